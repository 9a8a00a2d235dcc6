#pragma once

#include "core/models/config.h"

#include <cstdint>
#include <vector>

namespace headloom::cli {

/// One measured size. A block is LayerNorm, attention (rotary virtual positions, flat causal mask,
/// no biases), residual, LayerNorm, GELU MLP four times as wide, residual.
struct BenchCase {
    const char* name;
    std::int64_t batch, tokens;
    int width, heads, pseudo;  ///< pseudo 0: MHA
    int layers, vocabulary;

    ModelConfig config() const;
};

/// Forward passes with all maps kept, and training steps. Named as in the PyTorch program that
/// they are measured against.
const std::vector<BenchCase>& forwardCases();
const std::vector<BenchCase>& trainCases();

}  // namespace headloom::cli
