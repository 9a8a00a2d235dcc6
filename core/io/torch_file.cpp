#include "core/io/containers.h"
#include "core/io/torch_tree.h"

#include <fmt/format.h>

namespace headloom {

namespace {

constexpr std::string_view pickleName = "data.pkl";

/// The archive's top folder with its slash, told by its one data.pkl: its name need not be that of
/// the file.
Result<std::string> findRoot(const SourceFile& file, const std::vector<ZipMember>& members) {
    std::vector<std::string> roots;
    for (const ZipMember& member : members)
        if (member.name == pickleName || member.name.ends_with(fmt::format("/{}", pickleName)))
            roots.push_back(member.name.substr(0, member.name.size() - pickleName.size()));
    if (roots.size() != 1)
        return fail(
            Error::Kind::badFile, file.name(),
            fmt::format("holds {} files named data.pkl, where PyTorch writes one", roots.size()),
            "save it again with torch.save");
    return roots.front();
}

const ZipMember* find(const std::vector<ZipMember>& members, const std::string& name) {
    for (const ZipMember& member : members)
        if (member.name == name) return &member;
    return nullptr;
}

/// A pickle is text-like and shrinks well, but not a thousandfold.
std::uint64_t mostPickleBytes(const ZipMember& member) {
    constexpr std::uint64_t alwaysFine = 1 << 20, growth = 20;
    return std::max(alwaysFine, member.storedBytes * growth);
}

}  // namespace

Result<TensorListing> listTorch(const SourceFile& file, const std::vector<ZipMember>& members) {
    const auto root = findRoot(file, members);
    if (!root) return tl::unexpected(root.error());
    if (find(members, *root + "constants.pkl"))
        return fail(Error::Kind::unsupported, file.name(),
                    "is a TorchScript archive, which is a program",
                    "load it in PyTorch and save its state_dict() with torch.save");

    const ZipMember& member = *find(members, *root + std::string(pickleName));
    const auto pickle = contentsOf(file, member, mostPickleBytes(member));
    if (!pickle) return tl::unexpected(pickle.error());
    bool bigEndian = false;
    if (const ZipMember* order = find(members, *root + "byteorder")) {
        const auto word = contentsOf(file, *order, 16);
        if (!word) return tl::unexpected(word.error());
        bigEndian = word->text() == "big";
    }
    const auto tree = readPickle(pickle->text(), file.name());
    if (!tree) return tl::unexpected(tree.error());
    const TorchTensors tensors(file, members, *tree, *root, bigEndian);
    return listTorchTree(file, *tree, tensors, pickle->bytes.size());
}

}  // namespace headloom
