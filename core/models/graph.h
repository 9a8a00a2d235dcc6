#pragma once

#include "core/base/error.h"
#include "core/tensor/tensor.h"

#include <string>
#include <string_view>
#include <vector>

namespace headloom {

/// What the nodes of a graph filter are joined to. All have spectral radius at most 1: the
/// adjacency is divided by the largest degree.
enum class FilterGraph {
    shift,      ///< node n takes from node n - 1, cyclic
    path,       ///< both neighbours in a row
    ring,       ///< both neighbours in a ring
    random,     ///< a random tree plus a quarter of all other pairs, the same for every seed
    smallWorld  ///< two neighbours on each side of a ring, and a shortcut for every eighth node
};
std::string_view nameOf(FilterGraph graph);  ///< "shift", .., "small-world"
std::vector<std::string> filterGraphNames();
Result<FilterGraph> filterGraphFrom(std::string_view name);

/// A [N, N], float64; row n holds what node n takes from every node.
Tensor graphMatrix(FilterGraph graph, int nNodes);

/// Divides A [N, N], float64, by its largest sum of |entries| over a row, which bounds the spectral
/// radius. A graph without edges stays as it is.
void boundSpectralRadius(const Tensor& matrix);

}  // namespace headloom
