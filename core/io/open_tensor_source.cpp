#include "core/io/containers.h"
#include "core/io/content.h"
#include "core/io/shards.h"
#include "core/io/wrapper_prefixes.h"

#include <algorithm>

namespace headloom {

namespace {

/// NumPy's members end in .npy; PyTorch's archives have a pickle.
Result<TensorListing> listArchive(const SourceFile& file) {
    const auto members = listZip(file);
    if (!members) return tl::unexpected(members.error());
    const auto anyEndsWith = [&members](std::string_view ending) {
        return std::any_of(members->begin(), members->end(), [ending](const ZipMember& member) {
            return member.name.ends_with(ending);
        });
    };
    if (anyEndsWith("data.pkl")) return listTorch(file, *members);
    if (anyEndsWith(".npy")) return listNpz(file, *members);
    return fail(Error::Kind::badFile, file.name(),
                "is a zip archive, but neither PyTorch nor NumPy wrote it",
                "unpack it and open the checkpoint in it");
}

Result<std::shared_ptr<const TensorSource>> sourceOf(Result<TensorListing> listing) {
    if (!listing) return tl::unexpected(listing.error());
    if (auto fine = removeWrapperPrefixes(*listing); !fine) return tl::unexpected(fine.error());
    return TensorSource::of(std::move(*listing));
}

}  // namespace

Result<TensorListing> listFile(const SourceFile& file) {
    const Content content = contentOf(file.text());
    switch (content) {
        case Content::safetensors:
            return listSafetensors(file);
        case Content::gguf:
            return listGguf(file);
        case Content::zip:
            return listArchive(file);
        case Content::npy:
            return listNpy(file);
        case Content::llama2c:
            return listLlama2c(file);
        default:
            return notATensorFile(file, content);
    }
}

Result<std::shared_ptr<const TensorSource>> openTensorSource(const SourceFile& file) {
    return sourceOf(listFile(file));
}

Result<std::shared_ptr<const TensorSource>> openTensorSource(const std::filesystem::path& path) {
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored)) {
        const auto inside = checkpointInFolder(path);
        if (!inside) return tl::unexpected(inside.error());
        return openTensorSource(*inside);
    }
    const auto file = SourceFile::open(path);
    if (!file) return tl::unexpected(file.error());
    if (contentOf(file->text()) == Content::json && isShardIndex(file->text()))
        return sourceOf(listShards(*file));
    return openTensorSource(*file);
}

}  // namespace headloom
