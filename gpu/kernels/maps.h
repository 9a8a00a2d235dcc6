#pragma once

#include "gpu/kernels/visibility.h"
#include "gpu/kernels/weigh.h"

// Attention at P = 1 in steps, on maps that are kept (talking heads, differential attention).

namespace headloom::gpu {

/// The score function of rows [rows, Nk], a warp a row; Nq rows a head.
struct PatternRows {
    Sees sees;
    ScoreKind score;
    const float* scores;
    float* maps;
    Index nRows, nQueries;

    template <class Block>
    HEADLOOM_DEVICE void operator()(Block& block) const {
        const int lane = block.thread() % lanes, warps = block.threads() / lanes;
        const Index row = block.index() * warps + block.thread() / lanes;
        if (row >= nRows) return;  // a whole warp, and no barrier follows
        const Index n = sees.queryStart + row % nQueries;
        float* to = maps + row * sees.nKeys;
        for (Index j = lane; j < sees.nKeys; j += lanes) to[j] = scores[row * sees.nKeys + j];
        const auto seen = [&](Index j) { return sees.allows(n, 0, j, 0); };
        const float sum = weighRow(block, score, [&](const auto& work) {
            for (Index j = lane; j < sees.nKeys; j += lanes)
                if (seen(j)) work(to[j]);
        });
        for (Index j = lane; j < sees.nKeys; j += lanes) to[j] = seen(j) ? to[j] / sum : 0.f;
    }
};

/// dScores += the gradient of the score function (reference/maps.cpp), a warp a row.
struct PatternRowsBackward {
    Sees sees;
    bool linear;
    const float *maps, *dMaps;
    float* dScores;
    Index nRows, nQueries;

    template <class Block>
    HEADLOOM_DEVICE void operator()(Block& block) const {
        const int lane = block.thread() % lanes, warps = block.threads() / lanes;
        const Index row = block.index() * warps + block.thread() / lanes;
        if (row >= nRows) return;  // a whole warp, and no barrier follows
        const Index n = sees.queryStart + row % nQueries, at = row * sees.nKeys;
        float coupling = 0;
        if (!linear) {
            for (Index j = lane; j < sees.nKeys; j += lanes)
                coupling += maps[at + j] * dMaps[at + j];
            coupling = warpReduce(block, coupling, Plus{});
        }
        for (Index j = lane; j < sees.nKeys; j += lanes)
            if (sees.allows(n, 0, j, 0))
                dScores[at + j] +=
                    linear ? dMaps[at + j] : maps[at + j] * (dMaps[at + j] - coupling);
    }
};

/// Body of ForEach over maps [B, H, Nq, Nk].
struct ScaleMap {
    Factors factors;
    float* maps;
    Index nHeads, nQueries, nKeys;

    HEADLOOM_DEVICE void operator()(Index at) const {
        const Index j = at % nKeys, i = at / nKeys % nQueries, h = at / nKeys / nQueries % nHeads;
        maps[at] *= factors.at(h, 0, 0, i, j);
    }
};

}  // namespace headloom::gpu
