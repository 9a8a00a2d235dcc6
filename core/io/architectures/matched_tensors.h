#pragma once

#include "core/base/error.h"
#include "core/io/architectures/architecture_map.h"
#include "core/io/architectures/load_report.h"
#include "core/io/tensor_source.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace headloom {

/// Where one of our tensors is stored: the whole of an entry, or one of its parts.
struct Piece {
    const TensorEntry* entry = nullptr;
    const TensorRule* rule = nullptr;
    std::size_t part = 0;

    bool fused() const { return rule->to.size() > 1; }
    /// Numbers in and out of a matrix of two axes as stored, all parts together; -1: it is none.
    std::int64_t in() const { return side(MatrixLayout::linear); }
    std::int64_t out() const { return side(MatrixLayout::conv1d); }

  private:
    std::int64_t side(MatrixLayout last) const;
};

/// A checkpoint's tensors under our names.
struct MatchedTensors {
    std::map<std::string, Piece> pieces;
    std::vector<TensorFate> fates;  ///< of all entries of the file, in its order
    int nLayers = 0;

    const Piece* find(const std::string& name) const;
    /// That of the first layer that has it. `name` without "blocks.N.".
    const Piece* firstOf(const std::string& name) const;
    bool any(const std::string& name) const { return firstOf(name) != nullptr; }
};

/// "blocks.N." before the name of a layer's tensor.
std::string layerName(int layer, const std::string& name);

/// Null where no map fits. The text says why the map was chosen, or what kept the nearest one from
/// being it.
std::pair<const ArchitectureMap*, std::string> recognise(
    const TensorSource& source, const std::vector<const ArchitectureMap*>& maps);

/// Error: two stored tensors are the same one of ours.
Result<MatchedTensors> matchTensors(const TensorSource& source, const ArchitectureMap& map);

}  // namespace headloom
