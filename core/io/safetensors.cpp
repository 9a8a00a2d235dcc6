#include "core/io/safetensors.h"

#include "core/io/half.h"
#include "core/io/safetensors_header.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <cstring>

namespace headloom {

static_assert(std::endian::native == std::endian::little, "the format is little-endian");

namespace {

std::string_view textOf(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

struct Diagnosis {
    std::string what, remedy;
};

bool looksLikeWebPage(std::string_view text) {
    std::string start;
    for (const char c : text.substr(0, 256))
        if (!start.empty() || c == '<')
            start += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return start.starts_with("<!doctype html") || start.starts_with("<html");
}

/// What a file that is no safetensors file is instead.
Diagnosis diagnose(std::string_view text, std::uint64_t headerBytes) {
    if (text.empty()) return {"is empty", "download or save it again"};
    if (text.starts_with("version https://git-lfs"))
        return {"is a Git LFS pointer, not the file itself", "run \"git lfs pull\" in its folder"};
    if (looksLikeWebPage(text))
        return {"is a web page", "download the file itself, not the page that shows it"};
    if (text.starts_with("PK\x03\x04"))
        return {"is a zip archive, as PyTorch writes it", "convert it to safetensors first"};
    if (text.starts_with("GGUF")) return {"is a GGUF file", "convert it to safetensors first"};
    if (text.starts_with("\x93NUMPY"))
        return {"is a NumPy array file", "convert it to safetensors first"};
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

template <class Stored, class Out, class Convert>
void convertAll(std::span<const std::byte> bytes, Out* out, Convert convert) {
    for (std::size_t at = 0; at + sizeof(Stored) <= bytes.size(); at += sizeof(Stored)) {
        Stored value;
        std::memcpy(&value, bytes.data() + at, sizeof(Stored));
        *out++ = static_cast<Out>(convert(value));
    }
}

bool isReadable(std::string_view dtype) {
    return dtype == "F64" || dtype == "F32" || dtype == "F16" || dtype == "BF16";
}

template <class Out>
void convertTo(std::span<const std::byte> bytes, std::string_view dtype, Out* out) {
    const auto same = [](auto value) { return value; };
    if (dtype == "F64")
        convertAll<double>(bytes, out, same);
    else if (dtype == "F32")
        convertAll<float>(bytes, out, same);
    else if (dtype == "F16")
        convertAll<std::uint16_t>(bytes, out, floatFromHalf);
    else
        convertAll<std::uint16_t>(bytes, out, floatFromBfloat16);
}

}  // namespace

Result<SafetensorsFile> SafetensorsFile::open(const std::filesystem::path& path) {
    const std::string name = path.string();
    auto mapped = MappedFile::open(path);
    if (!mapped) return tl::unexpected(mapped.error());

    const std::string_view text = textOf((*mapped)->bytes());
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
    file.path_ = path;
    file.file_ = *mapped;
    file.dataStart_ = 8 + static_cast<std::size_t>(headerBytes);
    file.entries_ = std::move(header->entries);
    file.metadata_ = std::move(header->metadata);
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
    return file_->bytes().subspan(dataStart_ + static_cast<std::size_t>(entry.begin),
                                  static_cast<std::size_t>(entry.end - entry.begin));
}

Result<Tensor> SafetensorsFile::read(const SafetensorsEntry& entry, DType as) const {
    const auto refuse = [&](std::string what, std::string remedy) {
        return fail(Error::Kind::unsupported,
                    fmt::format("{}, tensor \"{}\"", path_.string(), entry.name), std::move(what),
                    std::move(remedy));
    };
    if (entry.shape.size() > static_cast<std::size_t>(Shape::maxRank))
        return refuse(fmt::format("has {} axes", entry.shape.size()),
                      fmt::format("tensors of up to {} axes are read", Shape::maxRank));
    if (!isReadable(entry.dtype))
        return refuse(fmt::format("is of type {}", entry.dtype), "F64, F32, F16 and BF16 are read");
    assert(as != DType::i32);
    const Tensor tensor = Tensor::host(Shape(std::span<const std::int64_t>(entry.shape)), as);
    if (as == DType::f64)
        convertTo(bytes(entry), entry.dtype, tensor.data<double>());
    else
        convertTo(bytes(entry), entry.dtype, tensor.data<float>());
    return tensor;
}

}  // namespace headloom
