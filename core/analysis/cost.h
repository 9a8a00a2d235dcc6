#pragma once

#include "core/models/config.h"

#include <cstdint>
#include <string>
#include <vector>

namespace headloom {

/// What a model costs on N tokens, by formula; exact counts of multiply-adds and entries.
struct Cost {
    std::int64_t parameters = 0;
    std::int64_t attentionParameters = 0;  ///< of one layer: W_Q W_K W_V W_O and what its kind adds
    std::int64_t patterns = 0;             ///< maps a layer: H, or H * P * P
    std::int64_t scoreEntries = 0;  ///< allowed (query, key) pairs of all softmaxes, all layers
    std::int64_t flops = 0;         ///< of a forward pass: 2 per multiply-add, no norms
    std::int64_t cacheBytes = 0;    ///< keys and values of N tokens, float32, as cached
};

/// `layer`: whose attentionParameters and patterns are meant.
Cost costOf(const ModelConfig& config, std::int64_t tokens, int layer = 0);

/// What a kind adds to W_Q W_K W_V W_O, one line of a formula with the numbers in it, for a tool
/// tip: "4 H^2 P = 4 x 2^2 x 2 = 32".
std::string mixingParameterFormula(const ModelConfig& config, int layer);

}  // namespace headloom
