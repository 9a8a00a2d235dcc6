#pragma once

#include "core/backend/backend.h"

#include <cstdint>
#include <string>
#include <vector>

namespace headloom {

/// One operator at one shape, a tested backend beside `reference` in float64.
struct ConformanceRecord {
    std::string op;            ///< "attention", "attention backward", "layer", ...
    std::string shape;         ///< sizes and settings: "B2 H3 G3 P2 Nq7 Nk7 d5 e5 flat softmax"
    double maxAbsolute = 0.0;  ///< largest |tested - reference| over all outputs; NaN counts as inf
    double maxRelative =
        0.0;                 ///< per output, largest error / largest |reference|; the worst of them
    double tolerance = 0.0;  ///< bound on maxRelative
    bool passed = false;
};

struct ConformanceOptions {
    std::uint64_t seed = 1;   ///< of the numbers and of the random shapes
    DType type = DType::f32;  ///< of the tested backend's tensors
};

/// Runs every operator of `tested`, forward and backward, on edge shapes and on seeded random ones,
/// against `reference` in float64 on the same numbers (all of them float32, so that rounding the
/// inputs is no part of the error).
///
/// Tolerance: an output that is a sum of K products carries at most K roundings of one unit each,
/// measured against the largest entry since cancelling terms cost digits that no order of summation
/// keeps. Every case states its K; the bound is (K + 16) units, 16 for exp, division and the like;
/// where an intermediate is larger than the outputs by a factor (scores of 60, a mean of 1000
/// deviations) so is the bound. A unit is that of the backend (DeviceInfo) in float32, 2^-52 in
/// float64.
///
/// Outputs start as NaN and gradients as random numbers, so an operator that does not overwrite or
/// does not add is seen; on small shapes gradients are also left out one at a time.
std::vector<ConformanceRecord> checkAgainstReference(Backend& tested,
                                                     const ConformanceOptions& options = {});

/// Every backward operator of `tested` against central differences of the reference's forward
/// operator in float64, on those cases that have few numbers. Tolerance: that of
/// checkAgainstReference plus 1e-7; with a step of 1e-5 truncation costs about 1e-10 times a third
/// derivative (up to 100 here) and cancellation 1e-16 / 1e-5 times a sum of up to 100.
std::vector<ConformanceRecord> checkGradients(Backend& tested,
                                              const ConformanceOptions& options = {});

}  // namespace headloom
