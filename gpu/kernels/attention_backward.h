#pragma once

#include "gpu/kernels/attention_shape.h"

namespace headloom::gpu {

/// Gradients of the scores and the queries of a tile of rows, from the maps of the forward call
/// (formula: reference/attention.cpp). dScores [B, H, P, P, Nq, Nk], overwritten, already times
/// scale, 0 where masked. Shared memory, in floats: tileRows * (dValue + threads).
struct AttentionRowsBackward {
    AttentionShape shape;
    const float *k, *v, *maps, *dY;
    float *dScores, *dQ;  ///< dQ may be null

    template <class Block>
    HEADLOOM_DEVICE void operator()(Block& block) const {
        const RowTile tile(shape, block.index());
        float* above = reinterpret_cast<float*>(block.shared());
        float* scratch = above + tileRows * shape.dValue;
        loadTile(block, tile, dY, shape.dValue, above);
        block.sync();

        const Index pseudoHead = (tile.b * shape.nHeads + tile.h) * shape.nPseudo + tile.p;
        const auto rowAt = [&](Index row, Index r) {
            return ((pseudoHead * shape.nPseudo + r) * shape.nQueries + tile.begin + row) *
                   shape.nKeys;
        };
        for (Index r = 0; r < shape.nPseudo; ++r)
            for (Index j = tile.firstKey + block.thread(); j < tile.endKey; j += block.threads()) {
                const float* value = v + ((tile.familyAt + r) * shape.room + j) * shape.dValue;
                const TileSums dots = TileSums::dot(above, value, shape.dValue);
                for (int row = 0; row < tile.rows; ++row) dScores[rowAt(row, r) + j] = dots.of[row];
            }
        block.sync();
        throughSoftmax(block, tile, rowAt);
        if (!dQ) return;
        block.sync();

        const Slices mine(block, shape.dHead);
        TileSums sums = TileSums::zero();
        for (Index r = 0; r < shape.nPseudo && mine.owns(); ++r) {
            const float* key = k + (tile.familyAt + r) * shape.room * shape.dHead;
            for (Index j = tile.firstKey + mine.slice; j < tile.endKey; j += mine.slices) {
                const float number = key[j * shape.dHead + mine.component];
                for (int row = 0; row < tile.rows; ++row)
                    sums.of[row] += dScores[rowAt(row, r) + j] * number;
            }
        }
        joinSlices(block, mine, shape.dHead, sums, scratch, [&](Index row, Index c, float sum) {
            if (row < tile.rows) dQ[(tile.rowsAt + row) * shape.dHead + c] += sum;
        });
    }

  private:
    /// A warp a row: the gradients of the weights into those of q.k.
    template <class Block, class RowAt>
    HEADLOOM_DEVICE void throughSoftmax(Block& block, const RowTile& tile,
                                        const RowAt& rowAt) const {
        const int lane = block.thread() % lanes, warps = block.threads() / lanes;
        for (Index row = block.thread() / lanes; row < tile.rows; row += warps) {
            const Index i = tile.begin + row;
            float coupling = 0;
            if (shape.score != ScoreKind::linear) {
                for (Index r = 0; r < shape.nPseudo; ++r)
                    for (Index j = tile.firstKey + lane; j < tile.endKey; j += lanes)
                        coupling += maps[rowAt(row, r) + j] * dScores[rowAt(row, r) + j];
                coupling = warpReduce(block, coupling, Plus{});
            }
            for (Index r = 0; r < shape.nPseudo; ++r)
                for (Index j = lane; j < shape.nKeys; j += lanes) {
                    const Index at = rowAt(row, r) + j;
                    if (!shape.seen(tile.h, tile.p, i, r, j))
                        dScores[at] = 0;
                    else if (shape.score == ScoreKind::linear)
                        dScores[at] *= shape.scale;
                    else
                        dScores[at] = shape.scale * maps[at] * (dScores[at] - coupling);
                }
        }
    }
};

/// to[key, c] += sum over the group's heads, their pseudo-queries and rows of weights[row, key]
/// x[row, c]: dK from the gradients of the scores and q, dV from the maps and dY. A block owns
/// tileRows keys of one (b, g, r), so the order of the sum is fixed. Blocks: B * G * P *
/// divideUp(Nk, tileRows). Shared memory, in floats: tileRows a thread.
struct KeysBackward {
    AttentionShape shape;
    const float* weights;  ///< [B, H, P, P, Nq, Nk]
    const float* x;        ///< [B, H, P, Nq, width]
    float* to;             ///< [B, G, P, room, width]
    Index width;

    template <class Block>
    HEADLOOM_DEVICE void operator()(Block& block) const {
        auto* scratch = reinterpret_cast<float*>(block.shared());
        const Index tiles = divideUp(shape.nKeys, tileRows), nPseudo = shape.nPseudo;
        const Index first = block.index() % tiles * tileRows;
        const Index r = block.index() / tiles % nPseudo;
        const Index group = block.index() / tiles / nPseudo;  // b * G + g
        const Index perGroup = shape.nHeads / shape.nGroups;
        const Index keys = shape.nKeys - first < tileRows ? shape.nKeys - first : tileRows;

        const Slices mine(block, width);
        TileSums sums = TileSums::zero();
        const Index pseudoHeads = perGroup * nPseudo;  // (member, p), adjacent in [B, H, P]
        for (Index head = 0; head < pseudoHeads && mine.owns(); ++head) {
            const Index pseudoHead = group * pseudoHeads + head;
            const float* rows = x + pseudoHead * shape.nQueries * width;
            const float* map =
                weights + (pseudoHead * nPseudo + r) * shape.nQueries * shape.nKeys + first;
            for (Index i = mine.slice; i < shape.nQueries; i += mine.slices) {
                const float number = rows[i * width + mine.component];
                for (Index key = 0; key < keys; ++key)
                    sums.of[key] += map[i * shape.nKeys + key] * number;
            }
        }
        joinSlices(block, mine, width, sums, scratch, [&](Index key, Index c, float sum) {
            if (key >= keys) return;
            to[((group * nPseudo + r) * shape.room + first + key) * width + c] += sum;
        });
    }
};

}  // namespace headloom::gpu
