#pragma once

#include "core/models/graph.h"
#include "core/tasks/task.h"

namespace headloom {

/// Samples of a filter bank, B side by side.
struct FilterBatch {
    Tensor x;       ///< [N, B, d] f32, N(0, 1)
    Tensor target;  ///< [N, B, k*d] f32: X, A X, .., A^(k-1) X
};

/// "Apply the first k powers of a graph to a signal." Not a task of tokens: numbers in, numbers
/// out.
class GraphFilter {
  public:
    GraphFilter(FilterGraph graph, int order, int nNodes, int dNode);

    const Tensor& matrix() const { return matrix_; }
    int order() const { return order_; }
    /// Samples first..first+count-1; sample i never depends on the batch.
    FilterBatch batch(Split split, std::uint64_t seed, std::uint64_t first,
                      std::int64_t count) const;
    /// The target of x [N, B, d] f32.
    Tensor target(const Tensor& x) const;

  private:
    Tensor matrix_;
    int order_, nNodes_, dNode_;
};

}  // namespace headloom
