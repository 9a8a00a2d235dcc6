#pragma once

#include "core/tensor/tensor.h"

#include <memory>
#include <vector>

namespace headloom {

/// A map of a constructed layer.
struct ConstructedTile {
    std::shared_ptr<const float> values;  ///< [N, N]
    int head = 0, keyPseudo = 0;
    int power = 0;      ///< it is the power of the graph's matrix, or the shift
    bool asked = true;  ///< false: one of those that fill the square of an interleaved layer
};

/// tiles [H P, N, N], float32, host, of which the first `nAsked` are asked for; shares their
/// memory.
std::vector<ConstructedTile> constructedTiles(const Tensor& tiles, int nPseudo, int nAsked);

}  // namespace headloom
