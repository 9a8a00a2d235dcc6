#pragma once

#include "views/viewmodels/map_ref.h"

#include <vector>

namespace headloom {

/// Which mixing weights make a tile and which tiles a weight feeds: the two directions of the link
/// between the tiles and the matrices. `perHead` is the collapse R [H, P].
struct MixingShape {
    int heads = 0;
    int pseudos = 1;
    bool perHead = false;
};

/// The weights of one matrix that make tile (head, p, r), as seen in the sheets of target head
/// `openHead`: a column of alpha_Q (p), of alpha_K and alpha_V (r), and the cell of R that reads
/// pseudo-head (head, p) into the open head.
std::vector<WeightRef> weightsOfTile(const MapRef& tile, MixingTensor matrix, int openHead,
                                     Side side, const MixingShape& shape);

/// The tiles that a weight feeds. alpha_Q[m, h, p] shapes row p of head h's sheet; alpha_K[m, h, r]
/// and alpha_V[m, h, r] its column r; R[g, h*P + p] reads row p of head h.
std::vector<MapRef> tilesFedBy(const WeightRef& weight, const MixingShape& shape);

}  // namespace headloom
