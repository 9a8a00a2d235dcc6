#include "views/panels/loom_panel.h"

#include "views/heatmap/colour_bar.h"
#include "views/panels/column_panel.h"
#include "views/panels/head_grid_view.h"
#include "views/panels/loom_map.h"
#include "views/panels/view_bar.h"
#include "views/viewmodels/explore_view_model.h"

#include <QSplitter>
#include <QTimer>
#include <QVBoxLayout>

#include <algorithm>

namespace headloom {

namespace {

ColourScale scaleOf(const DisplayOptions::Values& shown) {
    ColourScale scale;
    switch (shown.curve) {
        case DisplayOptions::Curve::linear:
            scale.curve = ScaleCurve::linear;
            break;
        case DisplayOptions::Curve::sqrt:
            scale.curve = ScaleCurve::squareRoot;
            break;
        case DisplayOptions::Curve::log:
            scale.curve = ScaleCurve::logarithmic;
            break;
    }
    scale.perMap = !shown.sharedScale;
    scale.hideSink = shown.hideSink;
    return scale;
}

}  // namespace

LoomPanel::LoomPanel(ExploreViewModel& model, const Theme& theme, QWidget* parent)
    : QWidget(parent),
      model_(&model),
      theme_(&theme),
      bar_(new ViewBar(model, theme)),
      splitter_(new QSplitter(Qt::Horizontal)),
      left_(new ColumnPanel(model, Side::left, theme)),
      right_(new ColumnPanel(model, Side::right, theme)) {
    splitter_->setChildrenCollapsible(false);
    splitter_->addWidget(left_);
    splitter_->addWidget(right_);
    auto* all = new QVBoxLayout(this);
    all->setSpacing(0);
    all->setContentsMargins(0, 0, 0, 0);
    all->addWidget(bar_);
    all->addWidget(splitter_, 1);

    // One refresh for any number of changes in one go.
    const auto schedule = [this] {
        if (std::exchange(refreshDue_, true)) return;
        QTimer::singleShot(0, this, [this] {
            refreshDue_ = false;
            refresh();
        });
    };
    connect(&model, &ExploreViewModel::runsChanged, this, schedule);
    connect(&model.selection(), &Selection::stepChanged, this, schedule);
    connect(&model.selection(), &Selection::openChanged, this, schedule);
    connect(&model.display(), &DisplayOptions::changed, this, schedule);
    for (ColumnPanel* column : {left_, right_})
        connect(column, &ColumnPanel::openRequested, this, &LoomPanel::openRequested);
    resetLayout();
}

void LoomPanel::resetLayout() {
    splitter_->setSizes({theme_->pixels(shares_.first), theme_->pixels(shares_.second)});
}

/// A column of interleaved heads holds a strip of heads and the mixing weights beside its maps; one
/// that nobody stands in leaves its room to the other.
int LoomPanel::shareOf(Side side) const {
    const auto at = static_cast<std::size_t>(indexOf(side));
    if (model_->session().state().columns[at].choice.id.isEmpty()) return emptyShare;
    return model_->interleaves(side) ? interleavedShare : ordinaryShare;
}

void LoomPanel::fitToKinds() {
    const auto settled = [this](Side side) {
        return model_->head(side).present || shareOf(side) == emptyShare;
    };
    if (!settled(Side::left) || !settled(Side::right)) return;
    const std::pair<int, int> shares{shareOf(Side::left), shareOf(Side::right)};
    if (std::exchange(shares_, shares) != shares) resetLayout();
}

void LoomPanel::refresh() {
    fitToKinds();
    left_->refresh();
    right_->refresh();
    rescale();
}

void LoomPanel::rescale() {
    ColourScale scale = scaleOf(model_->display().values());
    if (!scale.perMap)
        scale.sharedMaximum =
            std::max(left_->largest(scale.hideSink), right_->largest(scale.hideSink));
    left_->setScale(scale);
    right_->setScale(scale);
    updateColourBar();
}

void LoomPanel::updateColourBar() {
    const DisplayOptions::Values& shown = model_->display().values();
    if (shown.scope == DisplayOptions::Scope::overview) {
        bar_->colourBar().setMapping(HeadGridView::mapping(shown));
        bar_->colourBar().setToolTip(tr("Overview: colour scale of all heads, from 0 to 1"));
        return;
    }
    const HeatmapView& map = right_->map().sheet().isEmpty() ? left_->map() : right_->map();
    const int tile = std::max(0, map.sheet().selectedTile);
    if (map.sheet().isEmpty()) return;
    bar_->colourBar().setMapping(map.valueMapping(tile));
    bar_->colourBar().setToolTip(shown.effective ? tr("Effect, signed: colour scale of M")
                                 : !shown.sharedScale
                                     ? tr("Attention: colour scale of the open map")
                                     : tr("Attention: colour scale of all maps"));
}

}  // namespace headloom
