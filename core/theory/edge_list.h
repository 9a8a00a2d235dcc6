#pragma once

#include "core/base/error.h"
#include "core/tensor/tensor.h"

#include <filesystem>
#include <string>
#include <string_view>

namespace headloom {

/// The adjacency of an undirected graph, float64 [N, N], scaled to a spectral radius of at most 1
/// (`boundSpectralRadius`), from lines "a,b" or "a,b,weight": nodes count from 0, a weight is any
/// finite number but 0. A first line of words is a heading; empty lines and lines after # are
/// skipped. An edge may stand both ways round if its weight is the same.
///
/// nNodes 0: as many as the list names. `where` names the list in errors, which give the line.
Result<Tensor> graphFromEdges(std::string_view list, const std::string& where, int nNodes = 0);

/// The text of a list of edges. Errors: no such file, more than 1 MiB.
Result<std::string> readEdgeList(const std::filesystem::path& path);

/// The graph of such a file.
Result<Tensor> graphFromFile(const std::filesystem::path& path, int nNodes = 0);

}  // namespace headloom
