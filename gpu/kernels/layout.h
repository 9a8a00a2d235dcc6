#pragma once

#include "gpu/kernels/block.h"

// Bodies of ForEach that bring numbers into another order.

namespace headloom::gpu {

/// to[b, j, i, x] = or += from[b, i, j, x] + bias[j, x]: the middle axes change places.
/// Counts over `to`, nBatch * second * first * width.
struct SwapMiddle {
    const float* from;  ///< [B, first, second, width]
    const float* bias;  ///< [second, width]; may be null
    float* to;          ///< [B, second, first, width]
    Index first, second, width;
    bool add;

    HEADLOOM_DEVICE void operator()(Index at) const {
        const Index x = at % width, i = at / width % first;
        const Index j = at / width / first % second, b = at / width / first / second;
        float value = from[((b * first + i) * second + j) * width + x];
        if (bias) value += bias[j * width + x];
        to[at] = add ? to[at] + value : value;
    }
};

/// to[block, start + n, x] = from[block, n, x]: rows into a cache with room for `room` rows.
struct AppendRows {
    const float* from;
    float* to;
    Index count, start, room, width;

    HEADLOOM_DEVICE void operator()(Index at) const {
        const Index x = at % width, n = at / width % count, block = at / width / count;
        to[(block * room + start + n) * width + x] = from[at];
    }
};

}  // namespace headloom::gpu
