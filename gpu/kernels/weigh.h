#pragma once

#include "core/backend/params.h"
#include "gpu/kernels/block.h"

#include <cmath>

namespace headloom::gpu {

/// Scores within this of the largest tie in `hard` (reference/weigh.h).
inline constexpr float tie = 1e-5f;

HEADLOOM_DEVICE inline float lowest() {
    return -INFINITY;
}

/// One warp turns the scores of a row into weights that still want dividing by their sum, which is
/// the result. `each(work)` calls work(score&) for the allowed keys of this lane.
template <class Block, class Each>
HEADLOOM_DEVICE float weighRow(Block& block, ScoreKind kind, const Each& each) {
    if (kind == ScoreKind::linear) return 1;
    float largest = lowest(), sum = 0;
    each([&](float& score) { largest = Larger{}(largest, score); });
    largest = warpReduce(block, largest, Larger{});
    each([&](float& score) {
        score = kind == ScoreKind::hard ? float(score >= largest - tie) : std::exp(score - largest);
        sum += score;
    });
    return warpReduce(block, sum, Plus{});
}

}  // namespace headloom::gpu
