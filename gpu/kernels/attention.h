#pragma once

#include "gpu/kernels/attention_shape.h"
#include "gpu/kernels/weigh.h"

// Attention forward. A block works on a tile of query rows of one pseudo-head.

namespace headloom::gpu {

/// Attention by whole rows: scores, weights, values. The rows lie in the maps where these are kept
/// and `rowsInShared` is false, else in shared memory; one of the two must be.
/// Shared memory, in floats: tileRows * (dHead + threads), and tileRows * P * Nk with rowsInShared.
struct AttentionRows {
    AttentionShape shape;
    const float *q, *k, *v;
    float *y, *maps;  ///< maps [B, H, P, P, Nq, Nk] or null
    bool rowsInShared;

    /// Where the weights of the tile's row q towards the keys of pseudo r begin.
    HEADLOOM_DEVICE Index mapRow(const RowTile& tile, Index row, Index r) const {
        const Index pseudoHead = (tile.b * shape.nHeads + tile.h) * shape.nPseudo + tile.p;
        return ((pseudoHead * shape.nPseudo + r) * shape.nQueries + tile.begin + row) * shape.nKeys;
    }

    template <class Block>
    HEADLOOM_DEVICE void operator()(Block& block) const {
        const RowTile tile(shape, block.index());
        float* queries = reinterpret_cast<float*>(block.shared());
        float* scratch = queries + tileRows * shape.dHead;
        float* kept = scratch + tileRows * block.threads();
        const auto rowOf = [&](Index row, Index r) {
            return rowsInShared ? kept + row * shape.rowSize() + r * shape.nKeys
                                : maps + mapRow(tile, row, r);
        };
        loadTile(block, tile, q, shape.dHead, queries);
        block.sync();

        for (Index r = 0; r < shape.nPseudo; ++r)
            for (Index j = tile.firstKey + block.thread(); j < tile.endKey; j += block.threads()) {
                const float* key = k + ((tile.familyAt + r) * shape.room + j) * shape.dHead;
                const TileSums dots = TileSums::dot(queries, key, shape.dHead);
                for (int row = 0; row < tile.rows; ++row)
                    rowOf(row, r)[j] = dots.of[row] * shape.scale;
            }
        block.sync();
        weigh(block, tile, rowOf);
        block.sync();

        const Slices mine(block, shape.dValue);
        TileSums sums = TileSums::zero();
        for (Index r = 0; r < shape.nPseudo && mine.owns(); ++r) {
            const float* value = v + (tile.familyAt + r) * shape.room * shape.dValue;
            for (Index j = tile.firstKey + mine.slice; j < tile.endKey; j += mine.slices) {
                const float number = value[j * shape.dValue + mine.component];
                for (int row = 0; row < tile.rows; ++row) sums.of[row] += rowOf(row, r)[j] * number;
            }
        }
        joinSlices(block, mine, shape.dValue, sums, scratch, [&](Index row, Index c, float sum) {
            if (row < tile.rows) y[(tile.rowsAt + row) * shape.dValue + c] = sum;
        });
    }

  private:
    /// A warp a row: scores into weights, and the maps where they are not the rows themselves.
    template <class Block, class RowOf>
    HEADLOOM_DEVICE void weigh(Block& block, const RowTile& tile, const RowOf& rowOf) const {
        const int lane = block.thread() % lanes, warps = block.threads() / lanes;
        for (Index row = block.thread() / lanes; row < tile.rows; row += warps) {
            const Index i = tile.begin + row;
            const float sum = weighRow(block, shape.score, [&](const auto& work) {
                for (Index r = 0; r < shape.nPseudo; ++r)
                    for (Index j = tile.firstKey + lane; j < tile.endKey; j += lanes)
                        if (shape.seen(tile.h, tile.p, i, r, j)) work(rowOf(row, r)[j]);
            });
            for (Index r = 0; r < shape.nPseudo; ++r)
                for (Index j = lane; j < shape.nKeys; j += lanes) {
                    const bool seen = shape.seen(tile.h, tile.p, i, r, j);
                    const float weight =
                        seen ? rowOf(row, r)[j] / sum * shape.factor(tile.h, tile.p, i, r, j) : 0.f;
                    rowOf(row, r)[j] = weight;
                    if (maps && rowsInShared) maps[mapRow(tile, row, r) + j] = weight;
                }
        }
    }
};

/// Attention with nothing kept: online softmax over tiles of as many keys as a block has threads
/// (Milakov & Gimelshein 2018). Softmax and linear scores. Shared memory, in floats:
/// tileRows * (dHead + 2 * threads + 3).
struct AttentionFused {
    AttentionShape shape;
    const float *q, *k, *v;
    float* y;

    template <class Block>
    HEADLOOM_DEVICE void operator()(Block& block) const {
        const RowTile tile(shape, block.index());
        float* queries = reinterpret_cast<float*>(block.shared());
        float* weights = queries + tileRows * shape.dHead;  // [tileRows, threads]
        float* scratch = weights + tileRows * block.threads();
        float* largest = scratch + tileRows * block.threads();  // of the keys so far, a row
        float* total = largest + tileRows;
        float* shrink = total + tileRows;  // what the sums so far are multiplied by
        loadTile(block, tile, q, shape.dHead, queries);
        if (block.thread() < tileRows) {
            largest[block.thread()] = lowest();
            total[block.thread()] = 0;
        }

        const Slices mine(block, shape.dValue);
        TileSums sums = TileSums::zero();
        for (Index r = 0; r < shape.nPseudo; ++r) {
            const float* key = k + (tile.familyAt + r) * shape.room * shape.dHead;
            const float* value = v + (tile.familyAt + r) * shape.room * shape.dValue;
            for (Index begin = tile.firstKey; begin < tile.endKey; begin += block.threads()) {
                const Index rest = tile.endKey - begin;
                const Index keys = rest < block.threads() ? rest : block.threads();
                block.sync();  // the tile is there, or the last keys' weights have been used
                if (block.thread() < keys) {
                    const TileSums dots = TileSums::dot(
                        queries, key + (begin + block.thread()) * shape.dHead, shape.dHead);
                    for (int row = 0; row < tileRows; ++row)
                        weights[row * block.threads() + block.thread()] =
                            dots.of[row] * shape.scale;
                }
                block.sync();
                weigh(block, tile, r, begin, keys, weights, largest, total, shrink);
                block.sync();
                for (int row = 0; row < tileRows; ++row) sums.of[row] *= shrink[row];
                for (Index j = mine.slice; j < keys && mine.owns(); j += mine.slices) {
                    const float number = value[(begin + j) * shape.dValue + mine.component];
                    for (int row = 0; row < tileRows; ++row)
                        sums.of[row] += weights[row * block.threads() + j] * number;
                }
            }
        }
        joinSlices(block, mine, shape.dValue, sums, scratch, [&](Index row, Index c, float sum) {
            if (row >= tile.rows) return;
            // No key allowed: zeros.
            const float by = shape.score == ScoreKind::linear ? 1.f : total[row];
            y[(tile.rowsAt + row) * shape.dValue + c] = by == 0 ? 0.f : sum / by;
        });
    }

  private:
    /// A warp a row: the tile's scores into exp(score - largest so far) times their factor.
    template <class Block>
    HEADLOOM_DEVICE void weigh(Block& block, const RowTile& tile, Index r, Index begin, Index keys,
                               float* weights, float* largest, float* total, float* shrink) const {
        const int lane = block.thread() % lanes, warps = block.threads() / lanes;
        for (Index row = block.thread() / lanes; row < tileRows; row += warps) {
            float* scores = weights + row * block.threads();
            const Index i = tile.begin + row;
            const auto seen = [&](Index at) {
                return row < tile.rows && shape.seen(tile.h, tile.p, i, r, begin + at);
            };
            const bool softmax = shape.score != ScoreKind::linear;
            float now = largest[row], by = 1;
            if (softmax) {
                for (Index at = lane; at < keys; at += lanes)
                    if (seen(at)) now = Larger{}(now, scores[at]);
                now = warpReduce(block, now, Larger{});
                // Nothing seen yet: there is nothing to shrink, and inf - inf would be NaN.
                by = largest[row] == lowest() ? 0.f : std::exp(largest[row] - now);
            }
            float sum = 0;
            for (Index at = lane; at < keys; at += lanes) {
                if (!seen(at)) {
                    scores[at] = 0;
                    continue;
                }
                const float weight = softmax ? std::exp(scores[at] - now) : scores[at];
                sum += weight;
                scores[at] = weight * shape.factor(tile.h, tile.p, i, r, begin + at);
            }
            sum = warpReduce(block, sum, Plus{});
            if (lane == 0) {
                total[row] = total[row] * by + sum;
                shrink[row] = by;
                largest[row] = now;
            }
        }
    }
};

}  // namespace headloom::gpu
