#pragma once

#include "core/tensor/tensor.h"

namespace headloom {

/// The least relative squared error that few maps can reach on a bank of filters.
struct RankFloor {
    double expected = 0;  ///< over inputs N(0, 1); predicting zero has 1
    /// Standard deviation when the error is measured on this many samples: nine of ten measurements
    /// of a best approximation are within 1.65 of it, and may so be below the expected value.
    double deviation = 0;
};

/// A layer whose heads have `nMaps` different maps computes sum_j map_j X W_j: of rank nMaps as a
/// matrix [node pair, input-output pair]. The target's singular values are sqrt(d) times those of
/// the matrix whose columns are the powers of A, so the floor is the share of the squares beyond
/// the first nMaps (Eckart and Young). For a shift it is (k - H) / k.
///
/// matrix: A [N, N] float64. Where equal singular values leave the best approximation open, the
/// deviation is the root mean square over all of them.
RankFloor rankFloor(const Tensor& matrix, int order, int dNode, int nMaps, int samples);

}  // namespace headloom
