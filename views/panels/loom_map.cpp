#include "views/panels/loom_map.h"

#include "views/viewmodels/explore_view_model.h"
#include "views/viewmodels/links.h"

namespace headloom {

LoomMap::LoomMap(ExploreViewModel& model, Side side, const Theme& theme, QWidget* parent)
    : HeatmapView(theme, parent), model_(&model), side_(side) {
    setAxesShown(true);
    Selection& selection = model.selection();
    connect(this, &HeatmapView::cellHovered, this, [this](int tile, int query, int key, float) {
        if (tile < 0 || tile >= static_cast<int>(content_.refs.size())) return;
        model_->selection().setCell(CellRef{side_, content_.refs[static_cast<std::size_t>(tile)],
                                            model_->tokenOf(side_, query, true),
                                            model_->tokenOf(side_, key, false)});
    });
    connect(this, &HeatmapView::cellLeft, this,
            [this] { model_->selection().setCell(std::nullopt); });
    connect(this, &HeatmapView::cellClicked, this, [this](int tile, int, int) { openTile(tile); });
    connect(this, &HeatmapView::tileClicked, this, &LoomMap::openTile);
    connect(&selection, &Selection::cellChanged, this, &LoomMap::followCell);
    connect(&selection, &Selection::weightChanged, this, &LoomMap::followWeight);
    connect(&selection, &Selection::openChanged, this, [this](Side changed) {
        if (changed == side_) followOpen();
    });
    connect(&selection, &Selection::hoveredTokenChanged, this,
            [this] { setLinkedToken(model_->cellOf(side_, model_->selection().hoveredToken())); });
}

void LoomMap::setContent(LoomSheet content) {
    content_ = std::move(content);
    setSheet(content_.sheet);
    followCell();
    followWeight();
}

void LoomMap::openTile(int tile) {
    if (tile < 0 || tile >= static_cast<int>(content_.refs.size())) return;
    model_->selection().setOpen(side_, content_.refs[static_cast<std::size_t>(tile)]);
}

void LoomMap::followOpen() {
    setSelectedTile(content_.tileOf(model_->selection().open(side_)));
}

void LoomMap::followCell() {
    const auto& cell = model_->selection().cell();
    if (!cell) return setCursorCell(std::nullopt);
    // The other column's cursor stands in this column's open map, at the same tokens.
    const MapRef& map = cell->side == side_ ? cell->map : model_->selection().open(side_);
    const int tile = content_.tileOf(map);
    const MapCell here{tile, model_->cellOf(side_, cell->query), model_->cellOf(side_, cell->key)};
    if (tile < 0 || !content_.sheet.contains(here)) return setCursorCell(std::nullopt);
    setCursorCell(here);
}

void LoomMap::followWeight() {
    std::vector<int> tiles;
    const auto& weight = model_->selection().weight();
    if (weight && weight->side == side_) {
        const ColumnHead head = model_->head(side_);
        for (const MapRef& map :
             tilesFedBy(*weight, {head.heads, head.pseudos, head.perHeadCollapse}))
            if (const int tile = content_.tileOf(map); tile >= 0) tiles.push_back(tile);
    }
    setLinkedTiles(std::move(tiles));
}

}  // namespace headloom
