#include "core/tasks/graph_filter.h"

#include "core/tasks/builtin.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace headloom {

namespace {

constexpr FilterGraph graphs[] = {FilterGraph::shift, FilterGraph::path, FilterGraph::ring,
                                  FilterGraph::random};

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
    const auto join = [&](int n, int m) { a[n * nNodes + m] = a[m * nNodes + n] = 1; };
    if (graph == FilterGraph::shift) {
        for (int n = 0; n < nNodes; ++n) a[n * nNodes + (n + nNodes - 1) % nNodes] = 1;
        return matrix;
    }
    if (graph == FilterGraph::random) {
        Rng rng(0);
        for (int n = 1; n < nNodes; ++n) {
            const int parent = static_cast<int>(rng.below(static_cast<std::uint32_t>(n)));
            for (int m = 0; m < n; ++m)
                if (rng.below(4) == 0 || m == parent) join(n, m);
        }
    } else {
        for (int n = 1; n < nNodes; ++n) join(n, n - 1);
        if (graph == FilterGraph::ring) join(0, nNodes - 1);
    }
    double most = 0;
    for (int n = 0; n < nNodes; ++n) {
        double degree = 0;
        for (int m = 0; m < nNodes; ++m) degree += a[n * nNodes + m];
        most = std::max(most, degree);
    }
    for (double& value : matrix.values<double>()) value /= most;
    return matrix;
}

GraphFilter::GraphFilter(FilterGraph graph, int order, int nNodes, int dNode)
    : matrix_(graphMatrix(graph, nNodes)), order_(order), nNodes_(nNodes), dNode_(dNode) {}

FilterBatch GraphFilter::batch(Split split, std::uint64_t seed, std::uint64_t first,
                               std::int64_t count) const {
    const Tensor x = Tensor::host({nNodes_, count, dNode_}, DType::f32);
    float* value = x.data<float>();
    for (std::int64_t b = 0; b < count; ++b) {
        Rng rng = sampleRng(split, seed, first + static_cast<std::uint64_t>(b));
        for (std::int64_t n = 0; n < nNodes_; ++n)
            for (std::int64_t c = 0; c < dNode_; ++c)
                value[(n * count + b) * dNode_ + c] = static_cast<float>(rng.normal());
    }
    return {x, target(x)};
}

Tensor GraphFilter::target(const Tensor& x) const {
    const std::int64_t batch = x.size(1), row = batch * dNode_;
    const Tensor out = Tensor::host({nNodes_, batch, std::int64_t{order_} * dNode_}, DType::f32);
    const double* a = matrix_.data<double>();
    const auto given = x.values<float>();
    std::vector<double> now(given.begin(), given.end()), next(now.size());
    for (std::int64_t power = 0; power < order_; ++power) {
        for (std::int64_t n = 0; n < nNodes_; ++n)
            for (std::int64_t b = 0; b < batch; ++b)
                for (std::int64_t c = 0; c < dNode_; ++c)
                    out.data<float>()[((n * batch + b) * order_ + power) * dNode_ + c] =
                        static_cast<float>(now[static_cast<std::size_t>(n * row + b * dNode_ + c)]);
        std::fill(next.begin(), next.end(), 0.0);
        for (std::int64_t n = 0; n < nNodes_; ++n)
            for (std::int64_t m = 0; m < nNodes_; ++m) {
                const double weight = a[n * nNodes_ + m];
                if (weight == 0) continue;
                double* to = next.data() + n * row;
                const double* from = now.data() + m * row;
                for (std::int64_t i = 0; i < row; ++i) to[i] += weight * from[i];
            }
        now.swap(next);
    }
    return out;
}

}  // namespace headloom
