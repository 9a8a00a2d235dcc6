#include "views/viewmodels/constructed_tile.h"

namespace headloom {

std::vector<ConstructedTile> constructedTiles(const Tensor& tiles, int nPseudo, int nAsked) {
    std::vector<ConstructedTile> made;
    for (int i = 0; i < static_cast<int>(tiles.size(0)); ++i) {
        const auto kept = std::make_shared<const Tensor>(tiles.at(i));
        made.push_back({{kept, kept->data<float>()}, i / nPseudo, i % nPseudo, i, i < nAsked});
    }
    return made;
}

}  // namespace headloom
