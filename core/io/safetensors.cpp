#include "core/io/safetensors.h"

#include "core/io/containers.h"
#include "core/io/content.h"
#include "core/io/safetensors_header.h"
#include "core/io/stored_type.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

namespace headloom {

static_assert(std::endian::native == std::endian::little, "the format is little-endian");

namespace {

struct Diagnosis {
    std::string what, remedy;
};

/// What a file that is no safetensors file is instead.
Diagnosis diagnose(std::string_view text, std::uint64_t headerBytes) {
    switch (contentOf(text)) {
        case Content::empty:
            return {"is empty", "download or save it again"};
        case Content::lfsPointer:
            return {"is a Git LFS pointer, not the file itself",
                    "run \"git lfs pull\" in its folder"};
        case Content::webPage:
            return {"is a web page", "download the file itself, not the page that shows it"};
        case Content::zip:
            return {"is a zip archive, as PyTorch writes it", "convert it to safetensors first"};
        case Content::gguf:
            return {"is a GGUF file", "convert it to safetensors first"};
        case Content::npy:
            return {"is a NumPy array file", "convert it to safetensors first"};
        default:
            break;
    }
    if (text.size() < 8)
        return {fmt::format("is {} bytes long, too short for a safetensors file", text.size()),
                "download or save it again"};
    if (text.size() > 8 && text[8] == '{' && headerBytes <= longestSafetensorsHeader)
        return {fmt::format("is cut off: its header is {} bytes long, but only {} follow",
                            headerBytes, text.size() - 8),
                "download or save it again"};
    if (text.size() > 8 && text[8] == '{')
        return {fmt::format("its header claims {} bytes, above the format's limit of {}",
                            headerBytes, longestSafetensorsHeader),
                "download or save it again"};
    return {"is not a safetensors file", "name a file that ends in .safetensors"};
}

/// None for what is not read. Types of other formats do not count: their size was not checked.
std::optional<StoredType> storedTypeOf(const SafetensorsEntry& entry) {
    if (!bitsOfSafetensorsType(entry.dtype)) return std::nullopt;
    return storedTypeNamed(entry.dtype);
}

}  // namespace

Result<SafetensorsFile> SafetensorsFile::open(const std::filesystem::path& path) {
    const auto file = SourceFile::open(path);
    if (!file) return tl::unexpected(file.error());
    return of(*file);
}

Result<SafetensorsFile> SafetensorsFile::of(const SourceFile& source) {
    const std::string name = source.name();
    const std::string_view text = source.text();
    std::uint64_t headerBytes = 0;
    if (text.size() >= 8) std::memcpy(&headerBytes, text.data(), 8);
    if (text.size() <= 8 || headerBytes > longestSafetensorsHeader ||
        headerBytes > text.size() - 8 || text[8] != '{') {
        const Diagnosis found = diagnose(text, headerBytes);
        return fail(Error::Kind::badFile, name, found.what, found.remedy);
    }
    auto header = parseSafetensorsHeader(text.substr(8, headerBytes), name);
    if (!header) return tl::unexpected(header.error());

    SafetensorsFile file;
    file.file_ = source;
    file.dataStart_ = 8 + static_cast<std::size_t>(headerBytes);
    file.entries_ = std::move(header->entries);
    file.metadata_ = std::move(header->metadata);
    file.warnings_ = std::move(header->warnings);
    if (auto fine = checkSafetensorsLayout(file.entries_, text.size() - file.dataStart_, name);
        !fine)
        return tl::unexpected(fine.error());
    return file;
}

const SafetensorsEntry* SafetensorsFile::find(std::string_view name) const {
    const auto found = std::find_if(entries_.begin(), entries_.end(),
                                    [&](const auto& entry) { return entry.name == name; });
    return found == entries_.end() ? nullptr : &*found;
}

std::span<const std::byte> SafetensorsFile::bytes(const SafetensorsEntry& entry) const {
    return file_.bytes.subspan(dataStart_ + static_cast<std::size_t>(entry.begin),
                               static_cast<std::size_t>(entry.end - entry.begin));
}

Result<Tensor> SafetensorsFile::read(const SafetensorsEntry& entry, DType as,
                                     const std::function<bool()>& goOn) const {
    const auto refuse = [&](std::string what, std::string remedy) {
        return fail(Error::Kind::unsupported,
                    fmt::format("{}, tensor \"{}\"", file_.name(), entry.name), std::move(what),
                    std::move(remedy));
    };
    if (entry.shape.size() > static_cast<std::size_t>(Shape::maxRank))
        return refuse(fmt::format("has {} axes", entry.shape.size()),
                      fmt::format("tensors of up to {} axes are read", Shape::maxRank));
    const auto type = storedTypeOf(entry);
    if (!type)
        return refuse(fmt::format("is of type {}", entry.dtype), "convert it to F32, F16 or BF16");
    assert(as != DType::i32);
    const Tensor tensor = Tensor::host(Shape(std::span<const std::int64_t>(entry.shape)), as);
    const StoredElements elements = {*type, bytes(entry).data()};
    const auto count = static_cast<std::size_t>(tensor.count());
    constexpr std::size_t block = std::size_t{1} << 20;
    for (std::size_t first = 0; first < count; first += block) {
        if (goOn && !goOn()) return fail(Error::Kind::interrupted, file_.name(), "stopped");
        const std::size_t taken = std::min(block, count - first);
        if (as == DType::f64)
            elements.decode(first, 1, taken, tensor.data<double>() + first);
        else
            elements.decode(first, 1, taken, tensor.data<float>() + first);
    }
    return tensor;
}

Result<TensorListing> listSafetensors(const SourceFile& file) {
    auto opened = SafetensorsFile::of(file);
    if (!opened) return tl::unexpected(opened.error());
    TensorListing listing;
    listing.format = "safetensors";
    listing.files = {file};
    listing.metadata = opened->metadata();
    listing.warnings = opened->warnings();
    for (const SafetensorsEntry& from : opened->entries()) {
        TensorEntry entry;
        entry.name = from.name;
        entry.type = storedTypeOf(from).value_or(StoredType::other);
        entry.typeName = from.dtype;
        entry.shape = from.shape;
        entry.offset = opened->dataStart() + from.begin;
        entry.bytes = from.end - from.begin;
        listing.entries.push_back(std::move(entry));
    }
    return listing;
}

}  // namespace headloom
