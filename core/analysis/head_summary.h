#pragma once

#include "core/tensor/tensor.h"

#include <vector>

namespace headloom {

/// A head in few numbers, for a grid of many. w[i, j] is the attention of token i on token j: the
/// mean over the pseudo-queries p of the sum over the key families r.
struct HeadSummary {
    /// Tokens between query and key: the mean over rows of sum_j |w[i, j]| (i - j), each row
    /// divided by its sum of |w|; keys that come later count by their distance, too.
    double distance = 0;
    double first = 0;  ///< w on token 0: the mean over all rows but the first (a single row: of it)
    int side = 0;      ///< of the thumbnail
    std::vector<float> thumbnail;  ///< [side, side]: the largest |w| of each block of cells
};

/// maps [1, 1, P, P, N, N] of one head, host, float32; `side` cells across at most.
HeadSummary summarise(const Tensor& maps, int side);

}  // namespace headloom
