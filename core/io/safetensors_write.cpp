#include "core/io/atomic_file.h"
#include "core/io/safetensors.h"
#include "core/io/safetensors_header.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>
#include <string_view>

namespace headloom {

namespace {

/// The header's text. Keys are written in the order given, metadata first.
Result<std::string> headerText(const std::string& file,
                               const std::vector<std::pair<std::string, Tensor>>& tensors,
                               const std::map<std::string, std::string>& metadata) {
    nlohmann::ordered_json header = nlohmann::ordered_json::object();
    if (!metadata.empty()) header["__metadata__"] = metadata;
    std::set<std::string_view> names;
    std::uint64_t offset = 0;
    for (const auto& [name, tensor] : tensors) {
        if (!names.insert(name).second || name == "__metadata__")
            return fail(Error::Kind::badInput, file, fmt::format("\"{}\" would occur twice", name),
                        "give every tensor a name of its own");
        const auto sizes = tensor.shape().sizes();
        header[name] = {{"dtype", nameOf(tensor.dtype())},
                        {"shape", std::vector<std::int64_t>(sizes.begin(), sizes.end())},
                        {"data_offsets", {offset, offset + tensor.bytes()}}};
        offset += tensor.bytes();
    }
    // Bytes that are not UTF-8 cannot be part of the format; they become U+FFFD.
    std::string text =
        header.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
    text.resize((text.size() + 7) / 8 * 8, ' ');
    if (text.size() > longestSafetensorsHeader)
        return fail(Error::Kind::unsupported, file, "its header would exceed the format's limit",
                    "write fewer tensors or less metadata");
    return text;
}

}  // namespace

Result<void> writeSafetensors(const std::filesystem::path& path,
                              std::vector<std::pair<std::string, Tensor>> tensors,
                              const std::map<std::string, std::string>& metadata) {
    std::sort(tensors.begin(), tensors.end(), [](const auto& a, const auto& b) {
        const auto wide = [](const Tensor& tensor) { return sizeOf(tensor.dtype()); };
        if (wide(a.second) != wide(b.second)) return wide(a.second) > wide(b.second);
        return a.first < b.first;
    });
    const auto text = headerText(path.string(), tensors, metadata);
    if (!text) return tl::unexpected(text.error());

    const std::uint64_t length = text->size();
    std::vector<std::span<const std::byte>> pieces = {std::as_bytes(std::span(&length, 1)),
                                                      std::as_bytes(std::span(*text))};
    for (const auto& entry : tensors) pieces.emplace_back(entry.second.raw(), entry.second.bytes());
    return writeFileAtomically(path, pieces);
}

}  // namespace headloom
