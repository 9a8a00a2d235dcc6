#pragma once

// Part of kernels_impl.h: attention of a block of query rows.
//
// The cells of a row block stand in scratch as one segment per key pseudo-head, next to each other
// and in whole panels, so that a row is one contiguous run for the softmax. Cells of the run that a
// row may not see hold -inf (0 for linear scores).

#include "core/backend/cpu/gemm_impl.h"

namespace headloom::cpu {
namespace {

constexpr Index attentionRows = 2 * tileRows;

HEADLOOM_INLINE Index lowestKey(const Visibility& sees, Index row) {
    if (sees.window == 0) return 0;
    return greater(0, sees.queryStart + row - sees.window + 1);
}
/// One past the last key of pseudo-head r that pseudo-query p of `row` sees.
HEADLOOM_INLINE Index keyLimit(const Visibility& sees, Index row, Index p, Index r) {
    const Index token = sees.queryStart + row;
    Index limit = sees.nKeys;
    if (sees.mask == Mask::flat) limit = lesser(limit, r <= p ? token + 1 : token);
    if (sees.mask == Mask::token) limit = lesser(limit, token + 1);
    if (sees.window > 0) limit = lesser(limit, token + sees.window);
    return limit;
}

/// Where the keys of one pseudo-head stand in a row block.
struct Segment {
    Index offset = 0;  ///< floats from the start of the row
    Index from = 0;    ///< first key, a multiple of panelWidth
    Index to = 0;      ///< one past the last key that any row of the block sees; empty: to == from
};

/// Lays the segments out; returns the row length.
HEADLOOM_INLINE Index layOut(const Visibility& sees, Index nPseudo, Index p, Index row, Index rows,
                             Index* segments) {
    Index length = 0;
    for (Index r = 0; r < nPseudo; ++r) {
        const Index low = lowestKey(sees, row), limit = keyLimit(sees, row + rows - 1, p, r);
        const Index from = low / panelWidth * panelWidth;
        segments[3 * r] = length;
        segments[3 * r + 1] = from;
        segments[3 * r + 2] = low < limit ? limit : from;
        if (low < limit) length += roundedUp(limit - from, panelWidth);
    }
    return length;
}
HEADLOOM_INLINE Segment segmentAt(const Index* segments, Index r) {
    return {segments[3 * r], segments[3 * r + 1], segments[3 * r + 2]};
}

/// Rows a multiple of 4 KiB apart would all fall into one set of the first-level cache.
HEADLOOM_INLINE Index rowStride(Index length) {
    return length % 256 == 0 ? length + panelWidth : length;
}

HEADLOOM_INLINE void fill(float* from, float* to, float value) {
    for (; from < to; ++from) *from = value;
}

/// Hides what this row may not see; with renormalise also the cells whose factor is 0.
HEADLOOM_INLINE void hide(const AttentionTask& t, Index row, float hidden, float* cells) {
    const Index low = lowestKey(t.sees, row);
    for (Index r = 0; r < t.nPseudo; ++r) {
        const Segment segment = segmentAt(t.segments, r);
        float* start = cells + segment.offset;
        float* end = start + roundedUp(segment.to - segment.from, panelWidth);
        const Index limit = greater(keyLimit(t.sees, row, t.p, r), segment.from);
        fill(start, start + lesser(end - start, low - segment.from), hidden);
        fill(start + lesser(end - start, limit - segment.from), end, hidden);
        if (!t.renormalise) continue;
        const float* factor = t.multiplier + r * t.multiplierR + row * t.multiplierI;
        for (Index key = segment.from; key < segment.to; ++key)
            if (factor[key * t.multiplierJ] == 0.f) start[key - segment.from] = hidden;
    }
}

/// Scores to weights, all to be multiplied by the number returned. Length is in whole panels.
HEADLOOM_INLINE float weighSoftmax(float* cells, Index length) {
    const Vector lowest = all(-__builtin_inff());
    Vector top[2] = {lowest, lowest};
    for (Index at = 0; at < length; at += panelWidth)
        for (int part = 0; part < 2; ++part)
            top[part] = larger(load(cells + at + part * lanes), top[part]);
    float largest = largestLane(larger(top[0], top[1]));
    if (!(largest > -__builtin_inff())) largest = 0;  // nothing to see: exp(-inf) = 0 below
    Vector sum[2] = {};
    for (Index at = 0; at < length; at += panelWidth)
        for (int part = 0; part < 2; ++part) {
            float* cell = cells + at + part * lanes;
            const Vector weight = exp2Negative(load(cell) - largest);
            store(cell, weight);
            sum[part] += weight;
        }
    const float total = sumOfLanes(sum[0] + sum[1]);
    return total == 0.f ? 0.f : 1.f / total;
}

HEADLOOM_INLINE float weighHard(float* cells, Index length) {
    float largest = -__builtin_inff(), count = 0;
    bool strange = false;
    for (Index at = 0; at < length; ++at) {
        if (cells[at] > largest) largest = cells[at];
        strange = strange || cells[at] != cells[at];
    }
    for (Index at = 0; at < length; ++at) {
        // iha.md 2: ties within 1e-5; -inf marks the cells that are hidden
        cells[at] = cells[at] >= largest - 1e-5f && cells[at] > -__builtin_inff() ? 1.f : 0.f;
        count += cells[at];
    }
    if (strange) return __builtin_nanf("");
    return count == 0.f ? 0.f : 1.f / count;
}

HEADLOOM_INLINE void applyMultiplier(const AttentionTask& t, Index row, float* cells) {
    for (Index r = 0; r < t.nPseudo; ++r) {
        const Segment segment = segmentAt(t.segments, r);
        const float* factor = t.multiplier + r * t.multiplierR + row * t.multiplierI;
        for (Index key = segment.from; key < segment.to; ++key)
            cells[segment.offset + key - segment.from] *= factor[key * t.multiplierJ];
    }
}

/// Masked cells stay 0 even in a row that is not a number.
HEADLOOM_INLINE void clearMasked(const AttentionTask& t, Index row, Index r, float* kept) {
    const Index low = lowestKey(t.sees, row), limit = keyLimit(t.sees, row, t.p, r);
    fill(kept, kept + lesser(low, t.sees.nKeys), 0.f);
    fill(kept + greater(limit, 0), kept + t.sees.nKeys, 0.f);
}

/// Writes a row of one tile: the segment times `factor`, zeros left and right of it.
HEADLOOM_INLINE void keepRow(const Segment& segment, Index nKeys, const float* cells, float factor,
                             float* kept) {
    fill(kept, kept + segment.from, 0.f);
    // Whole vectors: the cells beyond `to` are hidden, hence 0.
    const Index end = lesser(nKeys, roundedUp(segment.to, lanes));
    const float* cell = cells + segment.offset;
    float* to = kept + segment.from;
    inVectors(
        end - segment.from, [&](Index at) { store(to + at, load(cell + at) * factor); },
        [&](Index at, Index count) { storePart(to + at, load(cell + at) * factor, count); });
    fill(kept + end, kept + nKeys, 0.f);
}

void attention(const AttentionTask& t, Index begin, Index end) {
    const bool linear = t.score == Score::linear;
    // Softmax works with powers of two: log2(e) goes into the queries once.
    const float scale = t.score == Score::softmax ? t.scale * 1.44269504088896341f : t.scale;
    const float hidden = linear ? 0.f : -__builtin_inff();
    float* scaled = t.scratch;
    float* cells = scaled + attentionRows * t.dHead;
    for (Index row0 = begin; row0 < end; row0 += attentionRows) {
        const Index rows = lesser(attentionRows, end - row0);
        const Index length = layOut(t.sees, t.nPseudo, t.p, row0, rows, t.segments);
        const Index stride = rowStride(length);
        for (Index at = 0; at < rows * t.dHead; ++at) scaled[at] = t.q[row0 * t.dHead + at] * scale;
        for (Index r = 0; r < t.nPseudo; ++r) {
            const Segment segment = segmentAt(t.segments, r);
            PackedProduct scores;
            scores.m = rows;
            scores.n = segment.to - segment.from;
            scores.k = t.dHead;
            scores.a = scaled;
            scores.aRow = t.dHead;
            scores.b = t.packedKeys + r * t.packedKeysStride + segment.from * t.dHead;
            scores.panelStride = panelWidth * t.dHead;
            scores.c = cells + segment.offset;
            scores.cRow = stride;
            multiplyPacked(scores);
        }
        float factors[attentionRows];
        for (Index i = 0; i < rows; ++i) {
            float* row = cells + i * stride;
            hide(t, row0 + i, hidden, row);
            factors[i] = linear                      ? 1.f
                         : t.score == Score::softmax ? weighSoftmax(row, length)
                                                     : weighHard(row, length);
            if (t.multiplier && !t.renormalise) applyMultiplier(t, row0 + i, row);
        }
        for (Index r = 0; t.maps && r < t.nPseudo; ++r) {
            float* kept = t.maps + (r * t.nQueries + row0) * t.sees.nKeys;
            for (Index i = 0; i < rows; ++i, kept += t.sees.nKeys) {
                keepRow(segmentAt(t.segments, r), t.sees.nKeys, cells + i * stride, factors[i],
                        kept);
                if (factors[i] != factors[i]) clearMasked(t, row0 + i, r, kept);
            }
        }
        for (Index r = 0; r < t.nPseudo; ++r) {
            const Segment segment = segmentAt(t.segments, r);
            Product mixed;
            mixed.m = rows;
            mixed.n = t.dValue;
            mixed.k = segment.to - segment.from;
            mixed.a = cells + segment.offset;
            mixed.aRow = stride;
            mixed.b = t.v + r * t.vStride + segment.from * t.dValue;
            mixed.bRow = t.dValue;
            mixed.c = t.y + row0 * t.dValue;
            mixed.cRow = t.dValue;
            mixed.start = r == 0 ? Start::zero : Start::add;
            multiply(mixed);
        }
        for (Index i = 0; i < rows; ++i)
            for (Index c = 0; c < t.dValue; ++c) t.y[(row0 + i) * t.dValue + c] *= factors[i];
    }
}

Index attentionScratch(Index nPseudo, Index nKeys, Index dHead) {
    const Index length = nPseudo * (roundedUp(nKeys, panelWidth) + panelWidth);
    return attentionRows * (dHead + rowStride(length) + panelWidth);
}

}  // namespace
}  // namespace headloom::cpu
