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

/// Sets the cells of a segment outside low..limit-1, counted from its start. `size` is in whole
/// panels; all but a few cells at the edges are left alone.
HEADLOOM_INLINE void fillOutside(float* cells, Index size, Index low, Index limit, float value) {
    for (Index at = 0; at < lesser(low, size); at += lanes)
        store(cells + at, laneNumbers() + static_cast<int>(at) < static_cast<int>(low)
                              ? all(value)
                              : load(cells + at));
    for (Index at = limit / lanes * lanes; at < size; at += lanes)
        store(cells + at, laneNumbers() + static_cast<int>(at) < static_cast<int>(limit)
                              ? load(cells + at)
                              : all(value));
}

/// Hides what this row may not see; with renormalise also the cells whose factor is 0.
HEADLOOM_INLINE void hide(const AttentionTask& t, Index row, float hidden, float* cells) {
    const Index low = lowestKey(t.sees, row);
    for (Index r = 0; r < t.nPseudo; ++r) {
        const Segment segment = segmentAt(t.segments, r);
        float* start = cells + segment.offset;
        fillOutside(start, roundedUp(segment.to - segment.from, panelWidth), low - segment.from,
                    greater(keyLimit(t.sees, row, t.p, r) - segment.from, 0), hidden);
        if (!t.renormalise) continue;
        const float* factor = t.multiplier + r * t.multiplierR + row * t.multiplierI;
        for (Index key = segment.from; key < segment.to; ++key)
            if (factor[key * t.multiplierJ] == 0.f) start[key - segment.from] = hidden;
    }
}

/// Largest score of a row; 0 where it sees nothing, so that exp(-inf) = 0 follows. NaN is passed
/// over here and comes back with its own weight.
HEADLOOM_INLINE float largestScore(const float* cells, Index length) {
    const Vector lowest = all(-__builtin_inff());
    Vector top[2] = {lowest, lowest};
    for (Index at = 0; at < length; at += panelWidth)
        HEADLOOM_UNROLL for (int part = 0; part < 2; ++part) top[part] =
            larger(load(cells + at + part * lanes), top[part]);
    const float largest = largestLane(larger(top[0], top[1]));
    return largest > -__builtin_inff() ? largest : 0.f;
}
/// Scores to powers of two, in place; gives their sum.
HEADLOOM_INLINE float raise(float* cells, Index length, float largest) {
    Vector sum[2] = {};
    for (Index at = 0; at < length; at += panelWidth)
        HEADLOOM_UNROLL for (int part = 0; part < 2; ++part) {
            float* cell = cells + at + part * lanes;
            const Vector weight = exp2Negative(load(cell) - largest);
            store(cell, weight);
            sum[part] += weight;
        }
    return sumOfLanes(sum[0] + sum[1]);
}

/// Scores to weights; gives what they are still to be multiplied by.
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
    __builtin_memset(kept, 0, sizeof(float) * static_cast<std::size_t>(segment.from));
    // Whole vectors: the cells beyond `to` are hidden, hence 0.
    const Index end = lesser(nKeys, roundedUp(segment.to, lanes));
    const float* cell = cells + segment.offset;
    float* to = kept + segment.from;
    inVectors(
        end - segment.from, [&](Index at) { store(to + at, load(cell + at) * factor); },
        [&](Index at, Index count) { storePart(to + at, load(cell + at) * factor, count); });
    __builtin_memset(kept + end, 0, sizeof(float) * static_cast<std::size_t>(nKeys - end));
}
/// The same past the caches; nKeys in whole vectors.
HEADLOOM_INLINE void streamRow(const Segment& segment, Index nKeys, const float* cells,
                               float factor, float* kept) {
    const Index end = roundedUp(segment.to, lanes);
    const float* cell = cells + segment.offset - segment.from;
    Index at = 0;
    for (; at < segment.from; at += lanes) storeStreaming(kept + at, Vector{});
    for (; at < end; at += lanes) storeStreaming(kept + at, load(cell + at) * factor);
    for (; at < nKeys; at += lanes) storeStreaming(kept + at, Vector{});
}

/// Query rows of one task that are worked on together.
struct RowBlock {
    Index row0 = 0, rows = 0;
    Index length = 0, stride = 0;  ///< of a row of cells
    float* cells = nullptr;
    float factors[attentionRows];  ///< what the cells are still to be multiplied by
};

/// cells = scale q k^T, on the keys that some row of the block sees.
HEADLOOM_INLINE void scoreBlock(const AttentionTask& t, const RowBlock& block, float scale) {
    float* scaled = t.scratch;
    const float* q = t.q + block.row0 * t.dHead;
    for (Index at = 0; at < block.rows * t.dHead; ++at) scaled[at] = q[at] * scale;
    for (Index r = 0; r < t.nPseudo; ++r) {
        const Segment segment = segmentAt(t.segments, r);
        PackedProduct scores;
        scores.m = block.rows;
        scores.n = segment.to - segment.from;
        scores.k = t.dHead;
        scores.a = scaled;
        scores.aRow = t.dHead;
        scores.b = t.packedKeys + r * t.packedKeysStride + segment.from * t.dHead;
        scores.panelStride = panelWidth * t.dHead;
        scores.c = block.cells + segment.offset;
        scores.cRow = block.stride;
        multiplyPacked(scores);
    }
}

/// Scores to weights. Step by step for all rows: within a row every step waits for the one before.
HEADLOOM_INLINE void weighBlock(const AttentionTask& t, RowBlock& block) {
    const float hidden = t.score == Score::linear ? 0.f : -__builtin_inff();
    const auto row = [&](Index i) { return block.cells + i * block.stride; };
    for (Index i = 0; i < block.rows; ++i) hide(t, block.row0 + i, hidden, row(i));
    if (t.score == Score::softmax) {
        float largest[attentionRows];
        for (Index i = 0; i < block.rows; ++i) largest[i] = largestScore(row(i), block.length);
        for (Index i = 0; i < block.rows; ++i)
            block.factors[i] = raise(row(i), block.length, largest[i]);
        for (Index i = 0; i < block.rows; ++i)
            block.factors[i] = block.factors[i] == 0.f ? 0.f : 1.f / block.factors[i];
    } else {
        for (Index i = 0; i < block.rows; ++i)
            block.factors[i] = t.score == Score::linear ? 1.f : weighHard(row(i), block.length);
    }
    if (t.multiplier && !t.renormalise)
        for (Index i = 0; i < block.rows; ++i) applyMultiplier(t, block.row0 + i, row(i));
}

HEADLOOM_INLINE void keepBlock(const AttentionTask& t, const RowBlock& block, bool streams) {
    for (Index r = 0; r < t.nPseudo; ++r) {
        const Segment segment = segmentAt(t.segments, r);
        float* kept = t.maps + (r * t.nQueries + block.row0) * t.sees.nKeys;
        for (Index i = 0; i < block.rows; ++i, kept += t.sees.nKeys) {
            const float* cells = block.cells + i * block.stride;
            if (streams)
                streamRow(segment, t.sees.nKeys, cells, block.factors[i], kept);
            else
                keepRow(segment, t.sees.nKeys, cells, block.factors[i], kept);
            if (block.factors[i] != block.factors[i]) clearMasked(t, block.row0 + i, r, kept);
        }
    }
}

/// y = A v.
HEADLOOM_INLINE void mixBlock(const AttentionTask& t, const RowBlock& block) {
    float* y = t.y + block.row0 * t.dValue;
    for (Index r = 0; r < t.nPseudo; ++r) {
        const Segment segment = segmentAt(t.segments, r);
        Product mixed;
        mixed.m = block.rows;
        mixed.n = t.dValue;
        mixed.k = segment.to - segment.from;
        mixed.a = block.cells + segment.offset;
        mixed.aRow = block.stride;
        mixed.b = t.v + r * t.vStride + segment.from * t.dValue;
        mixed.bRow = t.dValue;
        mixed.c = y;
        mixed.cRow = t.dValue;
        mixed.start = r == 0 ? Start::zero : Start::add;
        multiply(mixed);
    }
    for (Index i = 0; i < block.rows; ++i, y += t.dValue)
        inVectors(
            t.dValue, [&](Index at) { store(y + at, load(y + at) * block.factors[i]); },
            [&](Index at, Index count) {
                for (Index c = at; c < at + count; ++c) y[c] *= block.factors[i];
            });
}

void attention(const AttentionTask& t, Index begin, Index end) {
    // Softmax works with powers of two: log2(e) goes into the queries once.
    const float scale = t.score == Score::softmax ? t.scale * 1.44269504088896341f : t.scale;
    const bool streams = t.streamMaps && t.sees.nKeys % lanes == 0 &&
                         reinterpret_cast<std::uintptr_t>(t.maps) % sizeof(Vector) == 0;
    RowBlock block;
    block.cells = t.scratch + attentionRows * t.dHead;
    for (block.row0 = begin; block.row0 < end; block.row0 += attentionRows) {
        block.rows = lesser(attentionRows, end - block.row0);
        block.length = layOut(t.sees, t.nPseudo, t.p, block.row0, block.rows, t.segments);
        block.stride = rowStride(block.length);
        scoreBlock(t, block, scale);
        weighBlock(t, block);
        if (t.maps) keepBlock(t, block, streams);
        mixBlock(t, block);
    }
    if (streams) finishStreaming();
}

Index attentionScratch(Index nPseudo, Index nKeys, Index dHead) {
    const Index length = nPseudo * (roundedUp(nKeys, panelWidth) + panelWidth);
    return attentionRows * (dHead + rowStride(length) + panelWidth);
}

}  // namespace
}  // namespace headloom::cpu
