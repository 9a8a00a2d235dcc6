#pragma once

#include "core/backend/params.h"

#include <cstdint>
#include <vector>

namespace headloom::cpu {

/// Cosines and sines of a rotary embedding, [P, N, d/2] each. Angles are worked out in float64: a
/// position of thousands times a frequency has no fraction digits left in float32.
struct RotaryTable {
    RotaryParams params;
    std::int64_t nPseudo = 0, nTokens = 0, half = 0;
    std::vector<float> cosine, sine;
};

/// Keeps the tables in use: the same few are asked for in every layer and step.
class RotaryTables {
  public:
    /// Valid until the next call. params.positions must not be none.
    const RotaryTable& of(const RotaryParams& params, std::int64_t nPseudo, std::int64_t nTokens,
                          std::int64_t half);

  private:
    std::vector<RotaryTable> tables_;
    std::size_t oldest_ = 0;
};

}  // namespace headloom::cpu
