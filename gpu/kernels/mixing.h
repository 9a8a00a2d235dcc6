#pragma once

#include "gpu/kernels/block.h"

// Pseudo-heads, the collapse of their outputs and effective maps: sums over heads.

namespace headloom::gpu {

/// Body of ForEach over out [B, K, rowSize]: out[b, k] = sum_m alpha[m, k] x[b, m], k = (h, p).
struct MixHeads {
    const float *x, *alpha;  ///< [B, M, rowSize]; [M, K]
    float* out;
    Index nSources, nTargets, rowSize;  ///< M, K, N * d

    HEADLOOM_DEVICE void operator()(Index at) const {
        const Index cell = at % rowSize, k = at / rowSize % nTargets, b = at / rowSize / nTargets;
        const float* from = x + b * nSources * rowSize + cell;
        float sum = 0;
        for (Index m = 0; m < nSources; ++m) sum += alpha[m * nTargets + k] * from[m * rowSize];
        out[at] = sum;
    }
};

/// Body of ForEach over dX [B, M, rowSize]: dX[b, m] += sum_k alpha[m, k] dOut[b, k].
struct MixHeadsBackward {
    const float *dOut, *alpha;
    float* dX;
    Index nSources, nTargets, rowSize;

    HEADLOOM_DEVICE void operator()(Index at) const {
        const Index cell = at % rowSize, m = at / rowSize % nSources, b = at / rowSize / nSources;
        const float* from = dOut + b * nTargets * rowSize + cell;
        float sum = 0;
        for (Index k = 0; k < nTargets; ++k) sum += alpha[m * nTargets + k] * from[k * rowSize];
        dX[at] += sum;
    }
};

/// One factor of MixingGradient: the number of item i, batch b, token n, component c.
struct Operand {
    const float* numbers;
    Index batch, item, token;  ///< steps
    HEADLOOM_DEVICE float at(Index b, Index i, Index n, Index c) const {
        return numbers[b * batch + i * item + n * token + c];
    }
};

/// gradient[i, j] += sum over b, n, c of first(b, i, n, c) second(b, j, n, c), one entry a block.
/// With `perItem` above 0 only the entries j = i * perItem + (0..perItem-1) exist, and
/// nSecond = perItem. Shared memory: `lanes` floats.
struct MixingGradient {
    Operand first, second;
    float* gradient;  ///< [nFirst, nSecond]
    Index nSecond, nBatch, nTokens, width, perItem;

    template <class Block>
    HEADLOOM_DEVICE void operator()(Block& block) const {
        const Index i = block.index() / nSecond;
        const Index j = block.index() % nSecond + i * perItem;
        float sum = 0;
        for (Index b = 0; b < nBatch; ++b)
            for (Index cell = block.thread(); cell < nTokens * width; cell += block.threads()) {
                const Index n = cell / width, c = cell % width;
                sum += first.at(b, i, n, c) * second.at(b, j, n, c);
            }
        sum = blockReduce(block, sum, reinterpret_cast<float*>(block.shared()), Plus{});
        if (block.thread() == 0) gradient[block.index()] += sum;
    }
};

/// The collapse matrix in any of its three forms, read as R[g, h, p].
struct CollapseMatrix {
    const float* r;  ///< [H, H*P] if `full`, else [H, P]; null: every head its own
    Index nHeads, nPseudo;
    bool full;

    HEADLOOM_DEVICE float operator()(Index g, Index h, Index p) const {
        if (r && full) return r[(g * nHeads + h) * nPseudo + p];
        if (g != h) return 0;
        return r ? r[g * nPseudo + p] : 1.f;
    }
};

/// Body of ForEach over z [B, N, H, d].
struct Collapse {
    const float* y;  ///< [B, H, P, N, d]
    CollapseMatrix matrix;
    float* z;
    Index nTokens, dHead;

    HEADLOOM_DEVICE void operator()(Index at) const {
        const Index nHeads = matrix.nHeads, nPseudo = matrix.nPseudo;
        const Index c = at % dHead, g = at / dHead % nHeads;
        const Index n = at / dHead / nHeads % nTokens, b = at / dHead / nHeads / nTokens;
        const Index first = matrix.full ? 0 : g, end = matrix.full ? nHeads : g + 1;
        float sum = 0;
        for (Index h = first; h < end; ++h)
            for (Index p = 0; p < nPseudo; ++p)
                sum += matrix(g, h, p) *
                       y[(((b * nHeads + h) * nPseudo + p) * nTokens + n) * dHead + c];
        z[at] = sum;
    }
};

/// Body of ForEach over dY [B, H, P, N, d].
struct CollapseBackward {
    const float* dZ;
    CollapseMatrix matrix;
    float* dY;
    Index nTokens, dHead;

    HEADLOOM_DEVICE void operator()(Index at) const {
        const Index nHeads = matrix.nHeads, nPseudo = matrix.nPseudo;
        const Index c = at % dHead, n = at / dHead % nTokens, k = at / dHead / nTokens;
        const Index p = k % nPseudo, h = k / nPseudo % nHeads, b = k / nPseudo / nHeads;
        const Index first = matrix.full ? 0 : h, end = matrix.full ? nHeads : h + 1;
        float sum = 0;
        for (Index g = first; g < end; ++g)
            sum += matrix(g, h, p) * dZ[((b * nTokens + n) * nHeads + g) * dHead + c];
        dY[at] += sum;
    }
};

/// Body of ForEach over out [B, H, M, cells]: iha.md 4.
struct EffectiveMap {
    const float *maps, *alphaV;  ///< [B, H, P, P, cells]; [M, H, P] or null
    CollapseMatrix matrix;
    float* out;
    Index nSources, cells;  ///< M, Nq * Nk

    HEADLOOM_DEVICE void operator()(Index at) const {
        const Index nHeads = matrix.nHeads, nPseudo = matrix.nPseudo;
        const Index cell = at % cells, m = at / cells % nSources;
        const Index g = at / cells / nSources % nHeads, b = at / cells / nSources / nHeads;
        float sum = 0;
        for (Index h = 0; h < nHeads; ++h)
            for (Index p = 0; p < nPseudo; ++p) {
                const float weight = matrix(g, h, p);
                if (weight == 0) continue;
                for (Index r = 0; r < nPseudo; ++r) {
                    const float alpha = alphaV   ? alphaV[(m * nHeads + h) * nPseudo + r]
                                        : m == h ? 1.f
                                                 : 0.f;
                    sum += weight * alpha *
                           maps[(((b * nHeads + h) * nPseudo + p) * nPseudo + r) * cells + cell];
                }
            }
        out[at] = sum;
    }
};

}  // namespace headloom::gpu
