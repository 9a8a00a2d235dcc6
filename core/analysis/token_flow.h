#pragma once

#include "core/base/error.h"
#include "core/tensor/tensor.h"

#include <functional>
#include <vector>

namespace headloom {

/// What tokens take from one another, layer by layer, with the residual stream counted in: a layer
/// is B = (A + I) / 2, where A is the mean over the heads of their maps, and a head's map the mean
/// over its pseudo-queries of the sum over the key families. Cells of A are magnitudes, those that
/// are not finite 0, and each row is divided by its sum (which softmax leaves as it is); a row of
/// zeros keeps the token itself (Abnar and Zuidema 2020).
struct LayeredAttention {
    int tokens = 0;
    std::vector<std::vector<double>> layers;  ///< B of each layer, [tokens, tokens], first to last

    /// maps [1, H, P, P, N, N], host, float32: the next layer's.
    void add(const Tensor& maps);
};
/// The same as a line of text.
const char* layerFormula();

/// Attention rollout: row `row` of B_last ... B_1 B_0, the share of each token at the bottom in
/// this one at the top.
std::vector<double> rollout(const LayeredAttention& attention, int row);
const char* rolloutFormula();

/// Attention flow: for each token at the bottom the most that can flow to it from token `row` at
/// the top, through edges of the capacities B, in [0, 1]. `progress` is told the share of the
/// tokens that are done. Errors: more edges than can be followed, interrupted.
Result<std::vector<double>> attentionFlow(const LayeredAttention& attention, int row,
                                          const std::function<bool()>& cancelled = {},
                                          const std::function<void(double)>& progress = {});
/// The same to groups of tokens at the bottom, each as one: the most that can flow to all of its
/// tokens together, which is no more than the sum of what can flow to each alone.
Result<std::vector<double>> attentionFlowTo(const LayeredAttention& attention, int row,
                                            const std::vector<std::vector<int>>& groups,
                                            const std::function<bool()>& cancelled = {});
const char* flowFormula();

}  // namespace headloom
