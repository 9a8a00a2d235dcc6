#pragma once

// Part of kernels_impl.h: the gradient of attention.
//
// For a block of query rows: dA = dY v^T; dS = A (dA - sum A dA) for softmax, dA for linear scores;
// then dQ += dS k, dK += dS^T q, dV += A^T dY. The scale on q.k is put into dY before dA, which
// carries it through to dS.

#include "core/backend/cpu/attention_impl.h"

namespace headloom::cpu {
namespace {

// The products over a block's rows sum over its rows: more rows, fewer passes over dK and dV;
// fewer, less wasted work at the edge of a causal mask.
constexpr Index gradientRows = 16;

/// sum + the products of weights and their gradients, lane by lane.
HEADLOOM_INLINE Vector coupling(const float* weights, const float* dWeights, Index count,
                                Vector sum) {
    Vector other = {};
    Index at = 0;
    for (; at + 2 * lanes <= count; at += 2 * lanes) {
        sum += load(weights + at) * load(dWeights + at);
        other += load(weights + at + lanes) * load(dWeights + at + lanes);
    }
    for (; at < count; at += lanes) {
        const Index rest = count - at;
        sum += (rest < lanes ? loadPart(weights + at, rest) : load(weights + at)) *
               load(dWeights + at);
    }
    return sum + other;
}

/// dA to dS in place, on the keys of one segment.
HEADLOOM_INLINE void coupleSoftmax(const float* weights, float* cells, Index count, float taken) {
    inVectors(
        count,
        [&](Index at) { store(cells + at, load(weights + at) * (load(cells + at) - taken)); },
        [&](Index at, Index rest) {
            store(cells + at, loadPart(weights + at, rest) * (load(cells + at) - taken));
        });
}

/// dA = dY v^T for a block of rows.
HEADLOOM_INLINE void weightGradients(const AttentionGradient& t, Index rows, const float* above,
                                     float* cells, Index stride) {
    for (Index r = 0; r < t.nPseudo; ++r) {
        const Segment segment = segmentAt(t.segments, r);
        PackedProduct product;
        product.m = rows;
        product.n = segment.to - segment.from;
        product.k = t.dValue;
        product.a = above;
        product.aRow = t.dValue;
        product.b = t.packedValues + r * t.packedValuesStride + segment.from * t.dValue;
        product.panelStride = panelWidth * t.dValue;
        product.c = cells + segment.offset;
        product.cRow = stride;
        multiplyPacked(product);
    }
}

/// dA to dS. Keys beyond `to` are left as they are, nothing reads them.
HEADLOOM_INLINE void scoreGradients(const AttentionGradient& t, Index p, Index row0, Index rows,
                                    float* cells, Index stride) {
    const Index tileSize = t.nQueries * t.sees.nKeys;
    const float* maps = t.maps + p * t.nPseudo * tileSize + row0 * t.sees.nKeys;
    float taken[gradientRows];
    for (Index i = 0; !t.linear && i < rows; ++i) {
        Vector sum = {};
        for (Index r = 0; r < t.nPseudo; ++r) {
            const Segment segment = segmentAt(t.segments, r);
            sum = coupling(maps + r * tileSize + i * t.sees.nKeys + segment.from,
                           cells + i * stride + segment.offset, segment.to - segment.from, sum);
        }
        taken[i] = sumOfLanes(sum);
    }
    for (Index r = 0; r < t.nPseudo; ++r) {
        const Segment segment = segmentAt(t.segments, r);
        const Index count = segment.to - segment.from;
        for (Index i = 0; i < rows; ++i) {
            float* start = cells + i * stride + segment.offset;
            if (!t.linear) {
                coupleSoftmax(maps + r * tileSize + i * t.sees.nKeys + segment.from, start, count,
                              taken[i]);
                continue;
            }
            const Index low = lowestKey(t.sees, row0 + i) - segment.from;
            const Index limit = keyLimit(t.sees, row0 + i, p, r) - segment.from;
            fill(start, start + lesser(count, low), 0.f);
            fill(start + lesser(count, greater(limit, 0)), start + count, 0.f);
        }
    }
}

/// C[m, n] += A[m, k] B[k, n].
HEADLOOM_INLINE void accumulate(Index m, Index n, Index k, const float* a, Index aRow,
                                Index aColumn, const float* b, float* c) {
    Product product;
    product.m = m;
    product.n = n;
    product.k = k;
    product.a = a;
    product.aRow = aRow;
    product.aColumn = aColumn;
    product.b = b;
    product.bRow = n;
    product.c = c;
    product.cRow = n;
    product.start = Start::add;
    multiply(product);
}

void attentionBackward(const AttentionGradient& t) {
    float* above = t.scratch;
    float* cells = above + gradientRows * t.dValue;
    const Index tileSize = t.nQueries * t.sees.nKeys;
    for (Index p = 0; p < t.nPseudo; ++p)
        for (Index row0 = 0; row0 < t.nQueries; row0 += gradientRows) {
            const Index rows = lesser(gradientRows, t.nQueries - row0);
            const Index length = layOut(t.sees, t.nPseudo, p, row0, rows, t.segments);
            const Index stride = rowStride(length);
            const float* dY = t.dY + (p * t.nQueries + row0) * t.dValue;
            const float* q = t.q + (p * t.nQueries + row0) * t.dHead;
            if (t.dQ || t.dK) {
                for (Index at = 0; at < rows * t.dValue; ++at) above[at] = dY[at] * t.scale;
                weightGradients(t, rows, above, cells, stride);
                scoreGradients(t, p, row0, rows, cells, stride);
            }
            for (Index r = 0; r < t.nPseudo; ++r) {
                const Segment segment = segmentAt(t.segments, r);
                const Index keys = segment.to - segment.from;
                if (keys == 0) continue;
                const float* dS = cells + segment.offset;
                const float* maps =
                    t.maps + (p * t.nPseudo + r) * tileSize + row0 * t.sees.nKeys + segment.from;
                const Index kFrom = r * t.kStride + segment.from * t.dHead;
                if (t.dQ)
                    accumulate(rows, t.dHead, keys, dS, stride, 1, t.k + kFrom,
                               t.dQ + (p * t.nQueries + row0) * t.dHead);
                if (t.dK) accumulate(keys, t.dHead, rows, dS, 1, stride, q, t.dK + kFrom);
                if (t.dV)
                    accumulate(keys, t.dValue, rows, maps, 1, t.sees.nKeys, dY,
                               t.dV + r * t.vStride + segment.from * t.dValue);
            }
        }
}

Index attentionBackwardScratch(Index nPseudo, Index nKeys, Index dValue) {
    const Index length = nPseudo * (roundedUp(nKeys, panelWidth) + panelWidth);
    return gradientRows * (dValue + rowStride(length) + panelWidth);
}

}  // namespace
}  // namespace headloom::cpu
