#include "views/panels/theory_panel.h"

#include "views/panels/theory_bank_pane.h"
#include "views/viewmodels/theory_bank_model.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QListWidget>
#include <QShortcut>
#include <QStackedWidget>
#include <QVBoxLayout>

namespace headloom {

TheoryPanel::TheoryPanel(TheoryBankModel& bank, const Theme& theme, QWidget* parent)
    : QWidget(parent),
      model_(&bank),
      theme_(&theme),
      parts_(new QListWidget),
      panes_(new QStackedWidget),
      bank_(new TheoryBankPane(bank, theme)) {
    parts_->setAccessibleName(tr("Parts of the theory"));
    auto* all = new QHBoxLayout(this);
    all->addWidget(parts_);
    all->addWidget(panes_, 1);
    add(tr("A bank of filters"),
        tr("k heads or ⌈√k⌉: linear attention with constructed weights, not trained ones. Step the "
           "signal along the graph, and watch each map reach so many hops."),
        bank_);
    connect(parts_, &QListWidget::currentRowChanged, panes_, &QStackedWidget::setCurrentIndex);
    parts_->setCurrentRow(0);
    // What the clickers of a lecture hall send, wherever the focus is: boxes would take the keys.
    const auto step = [this](int key, int hops) {
        connect(new QShortcut(QKeySequence(key), this, nullptr, nullptr,
                              Qt::WidgetWithChildrenShortcut),
                &QShortcut::activated, this,
                [this, hops] { model_->setHop(model_->hop() + hops); });
    };
    step(Qt::Key_PageDown, 1);
    step(Qt::Key_PageUp, -1);
    connect(&theme, &Theme::changed, this, &TheoryPanel::restyle);
    restyle();
}

void TheoryPanel::add(const QString& title, const QString& sentence, QWidget* pane) {
    parts_->addItem(title);
    auto* page = new QWidget;
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(0, 0, 0, 0);
    auto* words = new QLabel(sentence);
    words->setProperty("role", "soft");
    words->setWordWrap(true);
    words->setObjectName(QStringLiteral("sentence"));
    column->addWidget(words);
    column->addWidget(pane, 1);
    panes_->addWidget(page);
    parts_->setVisible(parts_->count() > 1);  // one part leaves nothing to choose
}

void TheoryPanel::showEvent(QShowEvent* event) {
    model_->begin();
    QWidget::showEvent(event);
}

void TheoryPanel::restyle() {
    const int edge = theme_->pixels(14);
    layout()->setContentsMargins(edge, theme_->pixels(8), 0, theme_->pixels(8));
    layout()->setSpacing(0);
    parts_->setFixedWidth(theme_->pixels(168));
    for (QLabel* words : findChildren<QLabel*>(QStringLiteral("sentence")))
        words->setContentsMargins(edge, 0, edge, 0);
}

}  // namespace headloom
