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

BankParameters bankParameters(const BankSize& size) {
    const std::int64_t k = size.nFilters, n = size.nNodes, d = size.dNode,
                       heads = interleavedHeads(size.nFilters);
    return {2 * n * (n + d) * k + d * (n + d) * k,
            2 * n * (n + d) * heads + d * (n + d) * heads * heads + 4 * heads * heads * heads};
}

std::vector<int> crossingFilters(const BankSize& size, int mostFilters) {
    std::vector<int> crossings;
    for (int k = 2; k <= mostFilters; ++k)
        if (interleavedIsSmaller(size, k) != interleavedIsSmaller(size, k - 1))
            crossings.push_back(k);
    return crossings;
}

}  // namespace headloom
