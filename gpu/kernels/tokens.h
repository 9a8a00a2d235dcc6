#pragma once

#include "gpu/kernels/block.h"

namespace headloom::gpu {

/// Body of ForEach over out [B*N, D]: the sum of the rows of a token's ids, and its position's.
struct Embed {
    const std::int32_t* ids;  ///< [B*N, sharers]
    const float* table;       ///< [V, D]
    const float* positions;   ///< row 0 is that of token 0 of the call; may be null
    float* out;
    Index nTokens, dModel, sharers;

    HEADLOOM_DEVICE void operator()(Index at) const {
        const Index x = at % dModel, token = at / dModel;
        float sum = table[ids[token * sharers] * dModel + x];
        for (Index k = 1; k < sharers; ++k) {
            const Index id = ids[token * sharers + k];
            if (id >= 0) sum += table[id * dModel + x];
        }
        if (positions) sum += positions[token % nTokens * dModel + x];
        out[at] = sum;
    }
};

/// Body of ForEach over [N, D]: dPositions[n] += the sum of dOut[b, n] over b.
struct EmbedPositionsBackward {
    const float* dOut;  ///< [B, N, D]
    float* dPositions;
    Index nBatch, rowSize;  ///< rowSize: N * D

    HEADLOOM_DEVICE void operator()(Index at) const {
        float sum = 0;
        for (Index b = 0; b < nBatch; ++b) sum += dOut[b * rowSize + at];
        dPositions[at] += sum;
    }
};

/// dTable[id] += dOut of every token with that id. A block owns one row of the table and looks for
/// its tokens in order, so no two threads add to one number and the sum's order is fixed. Shared
/// memory: one i32 a thread.
struct EmbedTableBackward {
    const std::int32_t* ids;  ///< [tokens * sharers]
    const float* dOut;        ///< [tokens, D]
    float* dTable;            ///< [V, D]
    Index nIds, sharers, dModel;

    template <class Block>
    HEADLOOM_DEVICE void operator()(Block& block) const {
        auto* seen = reinterpret_cast<std::int32_t*>(block.shared());
        float* row = dTable + block.index() * dModel;
        for (Index begin = 0; begin < nIds; begin += block.threads()) {
            const Index mine = begin + block.thread();
            if (begin > 0) block.sync();
            seen[block.thread()] = mine < nIds ? ids[mine] : -1;
            block.sync();
            for (int t = 0; t < block.threads(); ++t) {
                if (seen[t] != block.index()) continue;
                const float* from = dOut + (begin + t) / sharers * dModel;
                for (Index x = block.thread(); x < dModel; x += block.threads()) row[x] += from[x];
            }
        }
    }
};

}  // namespace headloom::gpu
