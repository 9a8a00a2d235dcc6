#pragma once

#include "core/models/attention_layer.h"

#include <vector>

namespace headloom {

/// What stands in the place of a part that is switched off.
enum class Instead {
    zero,
    mean,  ///< the mean over the positions of this prompt, the same at every position
    self,  ///< every token sees only itself
    other  ///< what the same part has in a pass over another prompt
};

/// What a forward pass does otherwise in one layer. core/models/ablation.h makes these of parts;
/// the seam does what it can, and what it cannot is done here on the host between its operators.
struct LayerChanges {
    Tensor multiplier;  ///< AttentionParams::multiplier, on the host; empty: none
    bool renormalise = false;

    /// Weights of a tile that get other values after the softmax; y follows. `mean`: every row is
    /// the mean row, which makes of what the tile reads its mean over the positions.
    struct Cells {
        int head = 0, queryPseudo = 0, keyPseudo = 0;
        int query = -1, key = -1;  ///< of one row, of one column; -1: of all
        Instead instead = Instead::zero;
        Tensor other;  ///< maps [1, H, P, P, N, N] of the other pass
    };
    std::vector<Cells> cells;

    /// Rows of numbers that get other values: what is written at one token or at all.
    struct Rows {
        enum class Site {
            keys,       ///< mixed and rotated keys of a pseudo-head, [B, H, P, N, d]
            values,     ///< its mixed values, the same shape
            heads,      ///< what a pseudo-head has read, before R: y, or its norm (differential)
            attention,  ///< what the layer's attention adds to the residual stream, [B, N, D]
            mlp         ///< what its MLP adds
        };
        Site site = Site::heads;
        int block = 0;  ///< head * P + pseudo-head; 0 for the last two
        int row = -1;   ///< of one token; -1: of all
        Instead instead = Instead::zero;
        Tensor other;  ///< what the other pass has at this site, with a batch of 1
    };
    std::vector<Rows> rows;
};

/// Heads that read otherwise than without the changes, from 0. Keys and values are another matter
/// (changesKeys): any head may read those.
std::vector<int> changedHeads(const LayerChanges& changes, std::int64_t heads, std::int64_t pseudo);
/// Whether keys or values are others.
bool changesKeys(const LayerChanges& changes);
/// Whether the same is done at every token, so that some tokens may be left out.
bool sameAtAllTokens(const LayerChanges& changes);

/// Applies `cells` to the maps that were captured and to y, which was made from them.
void changeCells(const LayerChanges& changes, const AttentionLayerResult& layer, Backend& backend);
/// Applies `rows` of a site to its tensor.
void changeRows(const LayerChanges& changes, LayerChanges::Rows::Site site, const Tensor& tensor,
                Backend& backend);

}  // namespace headloom
