#pragma once

#include "core/models/config.h"

#include <string>
#include <string_view>
#include <vector>

namespace headloom {

/// A tensor of weights that mix heads. IHA has the first four, IHA-lite the first three, talking
/// heads the last two.
enum class MixingTensor { alphaQ, alphaK, alphaV, collapse, logits, weights };

/// As a user writes it: "alphaQ", "alphaK", "alphaV", "R", "logits", "weights".
std::string_view nameOf(MixingTensor matrix);
/// Error: no such matrix; the sentence lists those there are.
Result<MixingTensor> mixingTensorFrom(std::string_view name);
/// "blocks.0.attn.alpha_Q".
std::string tensorNameOf(MixingTensor matrix, int layer);
/// Those that a layer has, in this order; none in a layer that mixes nothing.
std::vector<MixingTensor> mixingTensorsOf(const LayerConfig& layer);
/// Its sizes in a layer of its kind: [source, target, pseudo], [source, target] of IHA-lite and
/// talking heads, R [target, column]; empty where the layer has none.
std::vector<int> mixingShape(MixingTensor matrix, const ModelConfig& config,
                             const LayerConfig& layer);

}  // namespace headloom
