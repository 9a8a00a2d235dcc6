#include "views/window/help_dialogs.h"

#include "views/window/main_window.h"

#include <QApplication>
#include <QDialog>
#include <QDialogButtonBox>
#include <QHeaderView>
#include <QLabel>
#include <QMenuBar>
#include <QPushButton>
#include <QTreeWidget>
#include <QVBoxLayout>

namespace headloom {

namespace {

struct HelpDialogs {
    Q_DECLARE_TR_FUNCTIONS(HelpDialogs)
};

/// An action's name without its underlined letter and without what an example is about.
QString plain(QString title) {
    return title.remove(u'&').section(QStringLiteral(" — "), 0, 0);
}

QDialogButtonBox* closeButton(QDialog& dialog) {
    auto* box = new QDialogButtonBox;
    QPushButton* button = box->addButton(HelpDialogs::tr("Close"), QDialogButtonBox::RejectRole);
    button->setDefault(true);
    button->setFocus();
    QObject::connect(box, &QDialogButtonBox::rejected, &dialog, &QDialog::reject);
    return box;
}

void addLine(QTreeWidgetItem* under, const QString& what, const QString& keys) {
    new QTreeWidgetItem(under, {what, keys});
}

void addActions(QTreeWidgetItem* under, const QMenu* menu) {
    for (const QAction* action : menu->actions()) {
        if (action->menu()) {
            addActions(under, action->menu());
            continue;
        }
        QStringList keys;
        for (const QKeySequence& sequence : action->shortcuts())
            keys << sequence.toString(QKeySequence::NativeText);
        if (!keys.isEmpty())
            addLine(under, plain(action->text()), keys.join(HelpDialogs::tr(" or ")));
    }
}

QTreeWidgetItem* addGroup(QTreeWidget* list, const QString& title) {
    auto* group = new QTreeWidgetItem(list, {title});
    QFont bold = list->font();
    bold.setWeight(QFont::DemiBold);
    group->setFont(0, bold);
    group->setFirstColumnSpanned(true);
    return group;
}

void addOtherKeys(QTreeWidget* list) {
    QTreeWidgetItem* chain = addGroup(list, HelpDialogs::tr("With a clicker"));
    addLine(chain, HelpDialogs::tr("Step forward, step back"),
            HelpDialogs::tr("Page Down, Page Up"));
    QTreeWidgetItem* maps = addGroup(list, HelpDialogs::tr("In the maps"));
    addLine(maps, HelpDialogs::tr("Walk cells"), HelpDialogs::tr("Arrow keys"));
    addLine(maps, HelpDialogs::tr("First or last cell of the row"), HelpDialogs::tr("Home, End"));
    addLine(maps, HelpDialogs::tr("Ten rows up or down"), HelpDialogs::tr("Page Up, Page Down"));
    addLine(maps, HelpDialogs::tr("Next or previous map"), HelpDialogs::tr("Tab, Shift+Tab"));
    addLine(maps, HelpDialogs::tr("Open the map"), HelpDialogs::tr("Return or click"));
    addLine(maps, HelpDialogs::tr("Zoom"), HelpDialogs::tr("Wheel, +, -"));
    addLine(maps, HelpDialogs::tr("Move"), HelpDialogs::tr("Drag"));
    addLine(maps, HelpDialogs::tr("Show the whole sheet"), HelpDialogs::tr("0 or double click"));
    QTreeWidgetItem* theory = addGroup(list, HelpDialogs::tr("On the Theory page"));
    addLine(theory, HelpDialogs::tr("Next or previous part"),
            HelpDialogs::tr("Ctrl+Page Down, Ctrl+Page Up"));
    QTreeWidgetItem* mixing = addGroup(list, HelpDialogs::tr("In the mixing weights"));
    addLine(mixing, HelpDialogs::tr("Walk weights"), HelpDialogs::tr("Arrow keys"));
    addLine(mixing, HelpDialogs::tr("Light the tiles that a weight feeds"),
            HelpDialogs::tr("Return or click"));
    addLine(mixing, HelpDialogs::tr("Change a weight"),
            HelpDialogs::tr("Drag, wheel, Shift+↑, Shift+↓ or type"));
    addLine(mixing, HelpDialogs::tr("Set a weight to 0"), HelpDialogs::tr("Delete"));
}

}  // namespace

void showShortcuts(MainWindow& window) {
    QDialog dialog(&window);
    dialog.setWindowTitle(HelpDialogs::tr("Keyboard shortcuts"));
    auto* list = new QTreeWidget;
    list->setColumnCount(2);
    list->setHeaderHidden(true);
    list->setRootIsDecorated(false);
    list->setAccessibleName(HelpDialogs::tr("Keyboard shortcuts"));
    list->setSelectionMode(QAbstractItemView::NoSelection);
    for (const QAction* top : window.menuBar()->actions())
        if (top->menu()) addActions(addGroup(list, plain(top->text())), top->menu());
    addOtherKeys(list);
    list->expandAll();
    const Theme& theme = window.appearance().theme();
    list->header()->setStretchLastSection(true);
    list->header()->resizeSection(0, theme.pixels(330));
    auto* all = new QVBoxLayout(&dialog);
    all->addWidget(list);
    all->addWidget(closeButton(dialog));
    dialog.resize(theme.pixels(560), theme.pixels(640));
    dialog.exec();
}

void showAbout(MainWindow& window) {
    QDialog dialog(&window);
    dialog.setWindowTitle(HelpDialogs::tr("About Headloom"));
    auto* label = new QLabel(
        HelpDialogs::tr(
            "<h3>Headloom %1</h3><p>A laboratory for attention heads: Multi-Head Attention's maps "
            "beside Interleaved Head Attention's tiles, stepping through a real chain.</p>"
            "<p>Interleaved Head Attention: Duvvuri et al., arXiv 2602.21371 (2026).</p>"
            "<p>Every number on screen is worked out on this computer; nothing is sent anywhere."
            "</p><p>MIT licence.</p>")
            .arg(QApplication::applicationVersion()));
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextBrowserInteraction);
    auto* all = new QVBoxLayout(&dialog);
    all->addWidget(label, 1);
    all->addWidget(closeButton(dialog));
    const Theme& theme = window.appearance().theme();
    dialog.resize(theme.pixels(460), theme.pixels(300));
    dialog.exec();
}

}  // namespace headloom
