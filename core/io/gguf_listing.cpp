#include "core/base/utf8.h"
#include "core/io/containers.h"
#include "core/io/gguf_file.h"

#include <fmt/format.h>

namespace headloom {

Result<TensorListing> listGguf(const SourceFile& source) {
    const auto file = GgufFile::parse(source);
    if (!file) return tl::unexpected(file.error());
    TensorListing listing;
    listing.format = fmt::format("GGUF, version {}", file->version());
    listing.files.push_back(source);
    for (const GgufKey& key : file->keys())
        listing.metadata.emplace(asUtf8(key.name), asUtf8(key.value.line()));
    for (const GgufTensor& tensor : file->tensors()) {
        TensorEntry entry;
        entry.name = std::string(tensor.name);
        const GgufTensorType* type = ggufTensorType(tensor.type);
        entry.typeName = type ? type->name : fmt::format("number {}", tensor.type);
        entry.type = storedTypeNamed(entry.typeName).value_or(StoredType::other);
        entry.shape = tensor.shape;
        entry.offset = tensor.offset;
        entry.bytes = tensor.bytes;
        listing.entries.push_back(std::move(entry));
    }
    return listing;
}

}  // namespace headloom
