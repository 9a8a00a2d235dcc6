#include "views/viewmodels/links.h"

namespace headloom {

std::vector<WeightRef> weightsOfTile(const MapRef& tile, MixingTensor matrix, int openHead,
                                     Side side, const MixingShape& shape) {
    std::vector<WeightRef> weights;
    if (matrix == MixingTensor::collapse) {
        if (!shape.perHead || tile.head == openHead)
            weights.push_back({side, matrix, openHead, tile.head, tile.p});
        return weights;
    }
    if (tile.head != openHead) return weights;
    const int pseudo = matrix == MixingTensor::alphaQ ? tile.p : tile.r;
    for (int source = 0; source < shape.heads; ++source)
        weights.push_back({side, matrix, openHead, source, pseudo});
    return weights;
}

std::vector<MapRef> tilesFedBy(const WeightRef& weight, const MixingShape& shape) {
    std::vector<MapRef> tiles;
    for (int other = 0; other < shape.pseudos; ++other) {
        switch (weight.matrix) {
            case MixingTensor::alphaQ:
                tiles.push_back(MapRef::tile(weight.head, weight.pseudo, other));
                break;
            case MixingTensor::alphaK:
            case MixingTensor::alphaV:
                tiles.push_back(MapRef::tile(weight.head, other, weight.pseudo));
                break;
            case MixingTensor::collapse:
                tiles.push_back(MapRef::tile(weight.source, weight.pseudo, other));
                break;
            case MixingTensor::logits:
            case MixingTensor::weights:
                break;  // talking heads have no tiles
        }
    }
    return tiles;
}

}  // namespace headloom
