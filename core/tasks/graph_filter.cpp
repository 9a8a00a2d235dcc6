#include "core/tasks/graph_filter.h"

#include "core/tasks/builtin.h"

#include <algorithm>

namespace headloom {

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
