#pragma once

#include "core/base/error.h"
#include "core/tasks/task.h"

#include <string_view>
#include <vector>

namespace headloom {

/// What the nodes of a graph filter are joined to. All have spectral radius at most 1: the
/// adjacency is divided by the largest degree.
enum class FilterGraph {
    shift,  ///< node n takes from node n - 1, cyclic
    path,   ///< both neighbours in a row
    ring,   ///< both neighbours in a ring
    random  ///< a random tree plus a quarter of all other pairs, the same for every seed
};
std::string_view nameOf(FilterGraph graph);
std::vector<std::string> filterGraphNames();
Result<FilterGraph> filterGraphFrom(std::string_view name);

/// A [N, N], float64; row n holds what node n takes from every node.
Tensor graphMatrix(FilterGraph graph, int nNodes);

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
