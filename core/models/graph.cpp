#include "core/models/graph.h"

#include "core/base/rng.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace headloom {

namespace {

constexpr FilterGraph graphs[] = {FilterGraph::shift, FilterGraph::path, FilterGraph::ring,
                                  FilterGraph::random, FilterGraph::smallWorld};

/// Entries of an adjacency, both ways at once.
struct Joins {
    double* a;
    int nNodes;
    void operator()(int n, int m) const { a[n * nNodes + m] = a[m * nNodes + n] = 1; }
};

void joinAtRandom(const Joins& join) {
    Rng rng(0);
    for (int n = 1; n < join.nNodes; ++n) {
        const int parent = static_cast<int>(rng.below(static_cast<std::uint32_t>(n)));
        for (int m = 0; m < n; ++m)
            if (rng.below(4) == 0 || m == parent) join(n, m);
    }
}

void joinSmallWorld(const Joins& join) {
    const int nodes = join.nNodes;
    for (int n = 0; n < nodes; ++n)
        for (int step = 1; step <= std::min(2, nodes - 1); ++step)
            if (const int other = (n + step) % nodes; other != n) join(n, other);
    Rng rng(0);
    for (int shortcut = 0; shortcut < nodes / 8; ++shortcut) {
        const auto n = static_cast<int>(rng.below(static_cast<std::uint32_t>(nodes)));
        const auto away = 3 + static_cast<int>(rng.below(static_cast<std::uint32_t>(nodes - 5)));
        join(n, (n + away) % nodes);
    }
}

}  // namespace

std::string_view nameOf(FilterGraph graph) {
    switch (graph) {
        case FilterGraph::shift:
            return "shift";
        case FilterGraph::path:
            return "path";
        case FilterGraph::ring:
            return "ring";
        case FilterGraph::random:
            return "random";
        case FilterGraph::smallWorld:
            return "small-world";
    }
    return "?";
}

std::vector<std::string> filterGraphNames() {
    std::vector<std::string> names;
    for (const FilterGraph graph : graphs) names.emplace_back(nameOf(graph));
    return names;
}

Result<FilterGraph> filterGraphFrom(std::string_view name) {
    for (const FilterGraph graph : graphs)
        if (name == nameOf(graph)) return graph;
    return fail(Error::Kind::badInput, "graph", fmt::format("\"{}\" is not a graph", name),
                fmt::format("use one of: {}", fmt::join(filterGraphNames(), ", ")));
}

Tensor graphMatrix(FilterGraph graph, int nNodes) {
    const Tensor matrix = Tensor::host({nNodes, nNodes}, DType::f64);
    double* a = matrix.data<double>();
    const Joins join = {a, nNodes};
    if (graph == FilterGraph::shift) {
        for (int n = 0; n < nNodes; ++n) a[n * nNodes + (n + nNodes - 1) % nNodes] = 1;
        return matrix;
    }
    if (graph == FilterGraph::random) {
        joinAtRandom(join);
    } else if (graph == FilterGraph::smallWorld) {
        joinSmallWorld(join);
    } else {
        for (int n = 1; n < nNodes; ++n) join(n, n - 1);
        if (graph == FilterGraph::ring) join(0, nNodes - 1);
    }
    boundSpectralRadius(matrix);
    return matrix;
}

void boundSpectralRadius(const Tensor& matrix) {
    double most = 0;
    for (std::int64_t n = 0; n < matrix.size(0); ++n) {
        double sum = 0;
        for (const double value : matrix.at(n).values<double>()) sum += std::abs(value);
        most = std::max(most, sum);
    }
    if (most == 0) return;
    for (double& value : matrix.values<double>()) value /= most;
}

}  // namespace headloom
