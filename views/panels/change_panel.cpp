#include "views/panels/change_panel.h"

#include "views/panels/effect_table.h"
#include "views/panels/history_list.h"
#include "views/panels/mixing_controls.h"
#include "views/panels/off_controls.h"
#include "views/panels/ranking_table.h"
#include "views/panels/segments.h"
#include "views/viewmodels/explore_view_model.h"

#include <QLabel>
#include <QToolButton>
#include <QVBoxLayout>

namespace headloom {

namespace {

QLabel* headingOf(const QString& title) {
    auto* label = new QLabel(title);
    label->setProperty("role", "strong");
    return label;
}

}  // namespace

ChangePanel::ChangePanel(ExploreViewModel& model, const Theme& theme, QWidget* parent)
    : QScrollArea(parent),
      model_(&model),
      theme_(&theme),
      effect_(model),
      ranking_(model),
      left_(segmentButton(tr("Left"), tr("Change the left model"))),
      right_(segmentButton(tr("Right"), tr("Change the right model"))),
      mixing_(new MixingControls(model, theme)),
      off_(new OffControls(model, theme)),
      rank_(new RankingTable(ranking_, model, theme)) {
    setFrameShape(QFrame::NoFrame);
    setWidgetResizable(true);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setFocusPolicy(Qt::NoFocus);
    auto* inside = new QWidget;
    auto* all = new QVBoxLayout(inside);
    all->addWidget(segmentRow({left_, right_}));
    const auto section = [all](const QString& title, QWidget* content) {
        all->addWidget(headingOf(title));
        all->addWidget(content);
    };
    // What is acted on stands above what answers, so that it does not move under the pointer.
    section(tr("Mixing"), mixing_);
    section(tr("Switched off"), off_);
    section(tr("What the changes do"), new EffectTable(effect_, model, theme));
    section(tr("What matters most"), rank_);
    section(tr("History"), new HistoryList(model, theme));
    all->addStretch(1);
    setWidget(inside);
    for (const Side side : bothSides)
        connect(side == Side::left ? left_ : right_, &QToolButton::clicked, this, [this, side] {
            chosen_ = true;
            setSide(side);
        });
    connect(&model, &ExploreViewModel::runsChanged, this, &ChangePanel::refresh);
    connect(&theme, &Theme::changed, this, &ChangePanel::restyle);
    setSide(Side::right);
    restyle();
    refresh();
}

void ChangePanel::setSide(Side side) {
    (side == Side::left ? left_ : right_)->setChecked(true);
    effect_.setSide(side);
    mixing_->setSide(side);
    off_->setSide(side);
    rank_->setSide(side);
}

/// Until the user chooses, the column with mixing is what there is to change.
void ChangePanel::refresh() {
    for (const Side side : bothSides) {
        QToolButton* button = side == Side::left ? left_ : right_;
        const QString name = model_->shortName(side);
        button->setText(name.isEmpty() ? (side == Side::left ? tr("Left") : tr("Right")) : name);
    }
    if (chosen_) return;
    const bool left = model_->interleaves(Side::left) && !model_->interleaves(Side::right);
    const Side better = left ? Side::left : Side::right;
    if (better != side()) setSide(better);
}

void ChangePanel::showEvent(QShowEvent* event) {
    QScrollArea::showEvent(event);
    effect_.setWanted(true);
}

void ChangePanel::hideEvent(QHideEvent* event) {
    QScrollArea::hideEvent(event);
    effect_.setWanted(false);
}

void ChangePanel::restyle() {
    const int edge = theme_->pixels(18);
    widget()->layout()->setContentsMargins(edge, theme_->pixels(10), edge, theme_->pixels(12));
    widget()->layout()->setSpacing(theme_->pixels(8));
    setMinimumWidth(theme_->pixels(326));
}

}  // namespace headloom
