#pragma once

#include "gpu/kernels/visibility.h"

namespace headloom::gpu {

/// Query rows that a block works on at a time; a thread holds one sum for each.
inline constexpr int tileRows = 8;

/// Sizes and settings of one attention call.
struct AttentionShape {
    Index nHeads, nGroups, nPseudo, nQueries, nKeys, room, dHead, dValue;
    Sees sees;
    ScoreKind score;
    float scale;
    Factors factors;
    bool renormalise;  ///< cells of factor 0 are masked instead, other factors ignored

    HEADLOOM_ANYWHERE Index tilesOfRows() const { return divideUp(nQueries, tileRows); }
    /// Pseudo-keys of a row: P * Nk.
    HEADLOOM_ANYWHERE Index rowSize() const { return nPseudo * nKeys; }

    /// Whether the query row may see the pseudo-key (r, j).
    HEADLOOM_DEVICE bool seen(Index h, Index p, Index i, Index r, Index j) const {
        if (!sees.allows(sees.queryStart + i, p, j, r)) return false;
        return !renormalise || factors.at(h, p, r, i, j) != 0;
    }
    HEADLOOM_DEVICE float factor(Index h, Index p, Index i, Index r, Index j) const {
        return renormalise ? 1.f : factors.at(h, p, r, i, j);
    }
};

/// The query rows of one block: up to tileRows rows of one pseudo-head.
struct RowTile {
    Index b, h, p, begin, rows;  ///< rows begin..begin+rows-1
    Index familyAt;              ///< of the group's keys and values: (b, g, r = 0)
    Index rowsAt;                ///< number of the first row in [B, H, P, Nq]
    Index firstKey, endKey;      ///< no row of the tile sees a key outside

    HEADLOOM_DEVICE RowTile(const AttentionShape& shape, Index block) {
        const Index tiles = shape.tilesOfRows();
        begin = block % tiles * tileRows;
        rows = shape.nQueries - begin < tileRows ? shape.nQueries - begin : tileRows;
        p = block / tiles % shape.nPseudo;
        h = block / tiles / shape.nPseudo % shape.nHeads;
        b = block / tiles / shape.nPseudo / shape.nHeads;
        const Index g = h * shape.nGroups / shape.nHeads;
        familyAt = (b * shape.nGroups + g) * shape.nPseudo;
        rowsAt = ((b * shape.nHeads + h) * shape.nPseudo + p) * shape.nQueries + begin;
        firstKey = shape.sees.firstKey(shape.sees.queryStart + begin);
        endKey = shape.sees.endKey(shape.sees.queryStart + begin + rows - 1);
        if (firstKey > endKey) firstKey = endKey;
    }
};

/// The tile's rows of x [.., Nq, width] into shared memory [tileRows, width], rows past the end 0.
/// The caller syncs.
template <class Block>
HEADLOOM_DEVICE void loadTile(Block& block, const RowTile& tile, const float* x, Index width,
                              float* to) {
    const float* from = x + tile.rowsAt * width;
    for (Index at = block.thread(); at < tileRows * width; at += block.threads())
        to[at] = at < tile.rows * width ? from[at] : 0.f;
}

/// Products of a key or value row with every row of the tile.
struct TileSums {
    float of[tileRows];

    HEADLOOM_DEVICE static TileSums zero() {
        TileSums sums;
        for (float& sum : sums.of) sum = 0;
        return sums;
    }
    /// Products of one row of `width` numbers with the tile's rows.
    HEADLOOM_DEVICE static TileSums dot(const float* tileInShared, const float* row, Index width) {
        TileSums sums = zero();
        for (Index c = 0; c < width; ++c) {
            const float value = row[c];
            for (int q = 0; q < tileRows; ++q) sums.of[q] += value * tileInShared[q * width + c];
        }
        return sums;
    }
};

/// How threads share sums that run over keys (or rows) for `width` components: a thread owns one
/// component and every `slices`-th key. Threads past the last slice own none.
struct Slices {
    Index slices, slice, component;

    template <class Block>
    HEADLOOM_DEVICE Slices(Block& block, Index width)
        : slices(block.threads() / width),
          slice(block.thread() / width),
          component(block.thread() % width) {}
    HEADLOOM_DEVICE bool owns() const { return slice < slices; }
};

/// Threads a block needs so that every component has one, in whole warps.
inline int threadsFor(Index width) {
    const Index wanted = width < 128 ? 128 : divideUp(width, lanes) * lanes;
    return static_cast<int>(wanted);
}

/// The slices' sums together: result(q, component, sum) for every row of the tile and component.
/// `scratch`: tileRows floats a thread, used for nothing else.
template <class Block, class Result>
HEADLOOM_DEVICE void joinSlices(Block& block, const Slices& mine, Index width, const TileSums& sums,
                                float* scratch, const Result& result) {
    for (int q = 0; q < tileRows; ++q) scratch[q * block.threads() + block.thread()] = sums.of[q];
    block.sync();
    for (Index at = block.thread(); at < tileRows * width; at += block.threads()) {
        const Index q = at / width, c = at % width;
        float sum = 0;
        for (Index slice = 0; slice < mine.slices; ++slice)
            sum += scratch[q * block.threads() + slice * width + c];
        result(q, c, sum);
    }
}

}  // namespace headloom::gpu
