#include "views/window/compute_menu.h"

#include "views/viewmodels/compute_model.h"
#include "views/window/compute_dialog.h"
#include "views/window/main_window.h"

#include <QActionGroup>
#include <QCoreApplication>
#include <QLabel>
#include <QMenu>
#include <QWidgetAction>

namespace headloom {

namespace {

struct ComputeMenu {
    Q_DECLARE_TR_FUNCTIONS(ComputeMenu)
};

struct Entry {
    const char* name;
    Qt::Key key;  ///< with Ctrl+Alt+Shift
};

constexpr Entry entries[] = {{"auto", Qt::Key_A},
                             {"cpu", Qt::Key_C},
                             {"reference", Qt::Key_R},
                             {"cuda", Qt::Key_G},
                             {"cuda-tf32", Qt::Key_T}};

/// Below the entries that cannot be chosen: what is missing for it. Entries of a menu do not wrap.
class WhyNot : public QWidgetAction {
  public:
    WhyNot(const Theme& theme, QObject* parent) : QWidgetAction(parent), text_(new QLabel) {
        text_->setWordWrap(true);
        text_->setFixedWidth(theme.pixels(width));
        text_->setContentsMargins(theme.pixels(42), 0, theme.pixels(16), theme.pixels(6));
        text_->setProperty("role", "soft");
        setDefaultWidget(text_);
        setVisible(false);
    }
    void say(const QString& sentence) {
        text_->setText(sentence);
        setVisible(!sentence.isEmpty());
    }

  private:
    static constexpr int width = 380;
    QLabel* text_;
};

}  // namespace

void fillComputeMenu(MainWindow& window, QMenu* menu) {
    ExploreSession& session = window.model().session();
    auto* model = new ComputeModel(session, menu);
    auto* group = new QActionGroup(menu);
    for (const Entry& entry : entries) {
        const std::string name = entry.name;
        QAction* action = menu->addAction(ComputeModel::titleOf(name));
        action->setShortcut(Qt::CTRL | Qt::ALT | Qt::SHIFT | entry.key);
        action->setCheckable(true);
        group->addAction(action);
        const auto follow = [action, name, &session] {
            action->setChecked(session.backend() == name);
        };
        follow();
        QObject::connect(action, &QAction::triggered, &window,
                         [&session, name] { session.setBackend(name); });
        QObject::connect(&session, &ExploreSession::backendChanged, action, follow);
        QObject::connect(model, &ComputeModel::probed, action, [action, name, model] {
            action->setEnabled(model->missing(name).isEmpty());
            action->setStatusTip(model->missing(name));
        });
    }
    auto* whyNot = new WhyNot(window.appearance().theme(), menu);
    menu->addAction(whyNot);
    QObject::connect(model, &ComputeModel::probed, whyNot,
                     [whyNot, model] { whyNot->say(model->missing("cuda")); });
    menu->addSeparator();
    QAction* compare = menu->addAction(ComputeMenu::tr("C&ompare two on this model…"));
    compare->setShortcut(Qt::CTRL | Qt::ALT | Qt::SHIFT | Qt::Key_Q);
    QObject::connect(compare, &QAction::triggered, &window,
                     [&window, model] { showComputeDialog(window, *model); });
    QObject::connect(menu, &QMenu::aboutToShow, model, &ComputeModel::probe);
}

}  // namespace headloom
