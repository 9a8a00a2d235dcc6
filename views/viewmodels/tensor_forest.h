#pragma once

#include <QString>

#include <cstdint>
#include <memory>
#include <vector>

namespace headloom {

struct LoadReport;
class TensorSource;

/// A line of the tensor tree: a tensor, or a branch of the tensors whose names go on from its own.
struct TensorNode {
    QString part;  ///< the piece of the name between two dots
    QString shape, type, use;
    QString words;    ///< of a tensor: all that a search looks through, in lower case
    int parent = -1;  ///< -1: a root
    int row = 0;      ///< among its parent's children
    int entry = -1;   ///< of a tensor: index in TensorSource::entries(); of a branch -1
    int tensors = 0;  ///< in the branch; 1 of a tensor
    std::int64_t numbers = 0;
    std::uint64_t bytes = 0;  ///< stored
    std::vector<int> children;
};

/// The names of a checkpoint split at their dots, in the order of the file. Immutable.
struct TensorForest {
    std::vector<TensorNode> nodes;
    std::vector<int> roots;
    std::vector<int> ofEntry;  ///< node of each entry

    int tensorCount() const { return static_cast<int>(ofEntry.size()); }
    /// The whole name, or what a branch's tensors have in common.
    QString nameOf(int node) const;
};

/// Of what was listed. May take a while for files of a million tensors: not for the UI thread.
std::shared_ptr<const TensorForest> forestOf(const TensorSource& source, const LoadReport& report);

/// "[2, 3]"; "[]" of a scalar.
QString shapeText(const std::vector<std::int64_t>& shape);

}  // namespace headloom
