#include "core/io/containers.h"
#include "core/io/safetensors.h"

namespace headloom {

Result<std::shared_ptr<const TensorSource>> openTensorSource(const SourceFile& file) {
    auto listing = listSafetensors(file);
    if (!listing) return tl::unexpected(listing.error());
    return TensorSource::of(std::move(*listing));
}

Result<std::shared_ptr<const TensorSource>> openTensorSource(const std::filesystem::path& path) {
    const auto file = SourceFile::open(path);
    if (!file) return tl::unexpected(file.error());
    return openTensorSource(*file);
}

}  // namespace headloom
