#pragma once

#include "core/io/pickle.h"
#include "core/io/tensor_source.h"
#include "core/io/zip.h"

#include <string>
#include <unordered_map>

namespace headloom {

/// Turns the calls by which PyTorch rebuilds tensors into entries of an archive. Nothing is called.
class TorchTensors {
  public:
    /// `root` is the archive's top folder, with its slash; `file` and `members` must outlive this.
    TorchTensors(const SourceFile& file, const std::vector<ZipMember>& members,
                 const PickleTree& tree, std::string root, bool bigEndian);

    /// The node itself, or what it wraps: a Parameter's tensor, the tuple in a torch.Size.
    const PickleNode& unwrapped(const PickleNode& node) const;
    /// Whether this is a call that rebuilds a tensor. `node` is unwrapped.
    bool isTensor(const PickleNode& node) const;
    /// The entry of such a node. Errors name the tensor and what contradicts what.
    Result<TensorEntry> entry(const PickleNode& node, const std::string& name) const;

  private:
    struct Storage {
        StoredType type = StoredType::other;
        std::string typeName;
        const ZipMember* member = nullptr;
        std::uint64_t bytes = 0;  ///< of its elements, checked against the member
    };
    tl::expected<Storage, std::string> storageOf(const PickleNode& node) const;
    const PickleNode& item(const PickleNode& node, std::size_t index) const {
        return tree_[node.items[index]];
    }

    const SourceFile& file_;
    const PickleTree& tree_;
    std::string root_;
    bool bigEndian_;
    std::unordered_map<std::string_view, const ZipMember*> members_;
};

}  // namespace headloom
