#include "views/viewmodels/selection.h"

namespace headloom {

void Selection::setLayer(int layer) {
    if (layer == layer_) return;
    layer_ = layer;
    emit layerChanged();
}

void Selection::setStep(int row) {
    if (row == step_) return;
    step_ = row;
    emit stepChanged();
}

void Selection::setOpen(Side side, const MapRef& map) {
    setWeight(std::nullopt);
    MapRef& open = open_[static_cast<std::size_t>(indexOf(side))];
    if (open == map) return;
    open = map;
    emit openChanged(side);
}

void Selection::setCell(const std::optional<CellRef>& cell) {
    if (cell == cell_) return;
    cell_ = cell;
    emit cellChanged();
}

void Selection::setHoveredToken(int token) {
    if (token == hoveredToken_) return;
    hoveredToken_ = token;
    emit hoveredTokenChanged();
}

void Selection::setWeight(const std::optional<WeightRef>& weight) {
    if (weight == weight_) return;
    weight_ = weight;
    emit weightChanged();
}

}  // namespace headloom
