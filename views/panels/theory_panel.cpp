#include "views/panels/theory_panel.h"

#include "views/panels/segments.h"
#include "views/panels/theory_bank_pane.h"
#include "views/panels/theory_containment_pane.h"
#include "views/panels/theory_cost_pane.h"
#include "views/panels/theory_cpm3_pane.h"
#include "views/panels/theory_errata_pane.h"
#include "views/panels/theory_export.h"
#include "views/panels/theory_look_back_pane.h"
#include "views/panels/theory_part.h"
#include "views/panels/theory_results_pane.h"

#include <QButtonGroup>
#include <QHBoxLayout>
#include <QLabel>
#include <QShortcut>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <functional>

namespace headloom {

namespace {

/// Works wherever the focus is on the page: boxes and maps would take the keys.
void onKeys(QWidget& page, const QKeySequence& keys, std::function<void()> work) {
    auto* shortcut = new QShortcut(keys, &page, nullptr, nullptr, Qt::WidgetWithChildrenShortcut);
    QObject::connect(shortcut, &QShortcut::activated, &page, std::move(work));
}

}  // namespace

TheoryPanel::TheoryPanel(TheoryBankModel& bank, const Theme& theme, QWidget* parent)
    : QWidget(parent),
      theme_(&theme),
      row_(new QWidget),
      sentence_(new QLabel),
      parts_(new QStackedWidget) {
    row_->setAccessibleName(tr("Parts of the theory"));
    new QButtonGroup(row_);
    auto* line = new QHBoxLayout(row_);
    line->setSpacing(0);
    line->addStretch(1);  // after the tabs
    sentence_->setProperty("role", "soft");
    sentence_->setWordWrap(true);
    auto* all = new QVBoxLayout(this);
    all->setSpacing(0);
    all->addWidget(row_);
    all->addWidget(sentence_);
    all->addWidget(parts_, 1);
    add(new TheoryBankPane(bank, theme));
    add(new TheoryCpm3Pane(theme));
    add(new TheoryContainmentPane(theme));
    add(new TheoryLookBackPane(theme));
    add(new TheoryCostPane(theme));
    add(new TheoryResultsPane(theme));
    add(new TheoryErrataPane(theme));
    onKeys(*this, Qt::Key_PageDown, [this] { part(current()).step(1); });
    onKeys(*this, Qt::Key_PageUp, [this] { part(current()).step(-1); });
    const auto turnTo = [this](int index) {
        setCurrent(index);
        tabs_[static_cast<std::size_t>(current())]->setFocus(Qt::TabFocusReason);
    };
    onKeys(*this, Qt::CTRL | Qt::Key_PageDown, [this, turnTo] { turnTo(current() + 1); });
    onKeys(*this, Qt::CTRL | Qt::Key_PageUp, [this, turnTo] { turnTo(current() - 1); });
    connect(&theme, &Theme::changed, this, &TheoryPanel::restyle);
    setCurrent(0);
    restyle();
}

void TheoryPanel::add(TheoryPart* part) {
    const int index = count();
    QToolButton* tab = segmentButton(
        part->title(),
        tr("%1 (next and previous part: Ctrl+Page Down, Ctrl+Page Up)").arg(part->title()));
    tab->setFocusPolicy(Qt::StrongFocus);  // else the ring stays on a tab that was left
    tabs_.push_back(tab);
    row_->findChild<QButtonGroup*>()->addButton(tab);
    static_cast<QHBoxLayout*>(row_->layout())->insertWidget(index, tab);
    parts_->addWidget(part);
    // also what the arrow keys choose among the tabs
    connect(tab, &QToolButton::toggled, this, [this, index](bool chosen) {
        if (chosen) setCurrent(index);
    });
    connect(part, &TheoryPart::failed, this, &TheoryPanel::failed);
    connect(part, &TheoryPart::trainAsked, this, &TheoryPanel::trainAsked);
}

TheoryPart& TheoryPanel::part(int index) const {
    return *static_cast<TheoryPart*>(parts_->widget(index));
}

int TheoryPanel::current() const {
    return parts_->currentIndex();
}

void TheoryPanel::setCurrent(int index) {
    const int within = std::clamp(index, 0, count() - 1);
    tabs_[static_cast<std::size_t>(within)]->setChecked(true);
    sentence_->setText(part(within).sentence());
    parts_->setCurrentIndex(within);
}

Exportable TheoryPanel::exportable() const {
    return exportableOf(part(current()), *theme_);
}

void TheoryPanel::restyle() {
    const int edge = theme_->pixels(14), gap = theme_->pixels(8);
    layout()->setContentsMargins(0, gap, 0, gap);
    row_->layout()->setContentsMargins(edge, 0, edge, 0);
    sentence_->setContentsMargins(edge, gap, edge, 0);
}

}  // namespace headloom
