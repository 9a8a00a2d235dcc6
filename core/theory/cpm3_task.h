#pragma once

#include "core/base/error.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace headloom {

/// CPM-3 (iha.md 7): for every token i of a sequence, how many ordered pairs (j1, j2), j1 = j2
/// allowed, make x_i + G x_j1 + x_j2 divisible by M.
struct Cpm3Task {
    std::vector<int> sequence;  ///< x, [N]
    int g = 10, m = 4;

    int nTokens() const { return static_cast<int>(sequence.size()); }

    /// With these a sum stays below 2^24, so that float32 counts exactly, too.
    static constexpr int mostTokens = 64, mostSymbol = 999, mostFactor = 9999;
};

/// The number that cannot be had, as a sentence with a remedy: no or too many tokens, a symbol out
/// of 0..mostSymbol, G out of 0..mostFactor, M out of 1..mostFactor.
Result<void> validate(const Cpm3Task& task);

/// "3,1,4" or "3 1 4": whole numbers with commas or spaces between them. Errors name the symbol.
Result<std::vector<int>> sequenceFrom(std::string_view text);

/// Where G is 1 mod M, exchanging j1 and j2 changes nothing, and the counts do not tell the order
/// apart. The paper's condition G > 2 M does not rule that out.
bool isOrderSensitive(const Cpm3Task& task);

/// All N^2 pairs for every token, one by one. [N]
std::vector<std::int64_t> countPairs(const Cpm3Task& task);

}  // namespace headloom
