#include "core/theory/bank_size.h"

#include "core/theory/check_range.h"

#include <fmt/format.h>

namespace headloom {

namespace {

bool interleavedIsSmaller(BankSize size, int nFilters) {
    size.nFilters = nFilters;
    const BankParameters parameters = bankParameters(size);
    return parameters.iha < parameters.mha;
}

}  // namespace

Result<void> validate(const BankSize& size) {
    for (const auto& fine : {checkRange("filters k", size.nFilters, 1, BankSize::mostFilters),
                             checkRange("nodes N", size.nNodes, 2, BankSize::mostNodes),
                             checkRange("numbers a node d", size.dNode, 1, BankSize::mostNodes)})
        if (!fine) return fine;
    if (size.width() < size.nNodes) return {};
    return fail(
        Error::Kind::badInput, "k d < N",
        fmt::format("k d = {} x {} = {} is not below N = {}, and beyond that the rank of a "
                    "map no longer says how many heads are needed",
                    size.nFilters, size.dNode, size.width(), size.nNodes),
        fmt::format("use at least {} nodes, or fewer filters or numbers a node", size.width() + 1));
}

int interleavedHeads(int nFilters) {
    int heads = 1;
    while (heads * heads < nFilters) ++heads;
    return heads;
}

BankFormulas bankFormulas(const BankSize& size) {
    const CostFactor n = {"N", size.nNodes}, d = {"d", size.dNode}, k = {"k", size.nFilters},
                     both = {"(N + d)", size.nNodes + size.dNode};
    const auto heads = [&](int power) {
        return CostFactor{"H", interleavedHeads(size.nFilters), power};
    };
    BankFormulas made;
    made.mha.add(2, {n, both, k}).add(1, {d, both, k});
    made.iha.add(2, {n, both, heads(1)}).add(1, {d, both, heads(2)}).add(4, {heads(3)});
    return made;
}

BankParameters bankParameters(const BankSize& size) {
    const BankFormulas formulas = bankFormulas(size);
    // a refused size may be one that 64 bits do not hold
    return {formulas.mha.value().value_or(0), formulas.iha.value().value_or(0)};
}

std::vector<int> crossingFilters(const BankSize& size, int mostFilters) {
    std::vector<int> crossings;
    for (int k = 2; k <= mostFilters; ++k)
        if (interleavedIsSmaller(size, k) != interleavedIsSmaller(size, k - 1))
            crossings.push_back(k);
    return crossings;
}

}  // namespace headloom
