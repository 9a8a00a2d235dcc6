#pragma once

#include "core/base/error.h"
#include "core/theory/cost_formula.h"

#include <cstdint>
#include <vector>

namespace headloom {

/// Sizes of a polynomial filter bank [X, A X, .., A^(k-1) X] (iha.md 6).
struct BankSize {
    int nFilters = 9;  ///< k
    int nNodes = 20;   ///< N
    int dNode = 1;     ///< d, numbers a node

    int width() const { return nFilters * dNode; }  ///< of the output

    static constexpr int mostFilters = 64, mostNodes = 128;
};

/// The bound that a size breaks, as a sentence with a remedy. Above all k d < N: a map of N x N
/// has rank at most N, and only while the k d columns of the answer can be independent of each
/// other does the paper's count of heads hold.
Result<void> validate(const BankSize& size);

/// ceil(sqrt(k)): heads, and pseudo-heads a head, of the interleaved construction.
int interleavedHeads(int nFilters);

/// The paper's formulas of the parameters, with positions n = N.
struct BankFormulas {
    CostFormula mha;  ///< 2 N (N + d) k + d (N + d) k
    CostFormula iha;  ///< 2 N (N + d) H + d (N + d) H^2 + 4 H^3, H = ceil(sqrt(k))
};
BankFormulas bankFormulas(const BankSize& size);

/// What they come to.
struct BankParameters {
    std::int64_t mha = 0, iha = 0;
};
BankParameters bankParameters(const BankSize& size);

/// Every k of 2..mostFilters at which another kind becomes the smaller one than was at k - 1, for
/// this N and d.
std::vector<int> crossingFilters(const BankSize& size, int mostFilters = BankSize::mostFilters);

}  // namespace headloom
