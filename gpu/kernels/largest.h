#pragma once

#include "gpu/kernels/block.h"

#include <cmath>
#include <cstdint>
#include <cstring>

// The largest numbers of a row, a block a row.

namespace headloom::gpu {

/// A number and its place as one whole number, whose order is that of Backend::topK turned round:
/// the number's bits, made to count upwards, before the place, which counts downwards.
using Rank = std::uint64_t;

HEADLOOM_DEVICE inline Rank rankOf(float number, std::uint32_t place) {
    std::uint32_t bits = 0;  // below every finite number's
    if (std::isfinite(number)) {
        number += 0.f;  // -0 equals 0
        memcpy(&bits, &number, sizeof bits);
        bits = bits >> 31 ? ~bits : bits | 0x80000000u;
    }
    return Rank(bits) << 32 | std::uint32_t(~place);
}

HEADLOOM_DEVICE inline Index placeOf(Rank rank) {
    return std::uint32_t(~rank);
}

struct LaterRank {
    HEADLOOM_DEVICE Rank operator()(Rank a, Rank b) const { return a > b ? a : b; }
};

/// values and ids [R, count] of x [R, width]. A round finds the next rank below the last, so that
/// nothing need be kept of the rows; `count` is small. Shared memory: 2 * `lanes` ranks.
struct LargestOfRow {
    const float* x;
    float* values;
    std::int32_t* ids;
    Index width, count;

    template <class Block>
    HEADLOOM_DEVICE void operator()(Block& block) const {
        auto* scratch = reinterpret_cast<Rank*>(block.shared());
        const float* row = x + block.index() * width;
        Rank last = ~Rank(0);
        for (Index round = 0; round < count; ++round) {
            Rank best = 0;
            for (Index c = block.thread(); c < width; c += block.threads()) {
                const Rank rank = rankOf(row[c], std::uint32_t(c));
                if (rank < last && rank > best) best = rank;
            }
            // Turn about: a slow thread may still read what the round before left.
            last = blockReduce(block, best, scratch + round % 2 * lanes, LaterRank{});
            if (block.thread() > 0) continue;
            values[block.index() * count + round] = row[placeOf(last)];
            ids[block.index() * count + round] = std::int32_t(placeOf(last));
        }
    }
};

}  // namespace headloom::gpu
