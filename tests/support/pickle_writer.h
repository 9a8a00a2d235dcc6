#pragma once

#include "tests/support/archive_writers.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace headloom::testing::pickle {

// Pieces of a pickle of protocol 2, each of which leaves one object on Python's stack.

inline std::string text(const std::string& value) {
    return "X" + bytesOf(static_cast<std::uint32_t>(value.size())) + value;
}
inline std::string integer(std::int64_t value) {
    if (value == static_cast<std::int32_t>(value))
        return "J" + bytesOf(static_cast<std::int32_t>(value));
    return "\x8a\x08" + bytesOf(value);
}
inline std::string real(double value) {
    std::string bytes = bytesOf(value);
    return "G" + std::string(bytes.rbegin(), bytes.rend());
}
inline std::string global(const std::string& module, const std::string& name) {
    return "c" + module + "\n" + name + "\n";
}
inline std::string tuple(const std::vector<std::string>& items) {
    std::string all;
    for (const std::string& item : items) all += item;
    return "(" + all + "t";
}
inline std::string list(const std::vector<std::string>& items) {
    std::string all;
    for (const std::string& item : items) all += item;
    return "](" + all + "e";
}
inline std::string dict(const std::vector<std::pair<std::string, std::string>>& items) {
    std::string all;
    for (const auto& [key, value] : items) all += text(key) + value;
    return "}(" + all + "u";
}
inline std::string call(const std::string& callee, const std::vector<std::string>& arguments) {
    return callee + tuple(arguments) + "R";
}
inline std::string numbers(const std::vector<std::int64_t>& values) {
    std::vector<std::string> items;
    for (const std::int64_t value : values) items.push_back(integer(value));
    return tuple(items);
}

/// A tensor over a storage of the archive.
struct TensorSpec {
    std::string storage = "FloatStorage";
    std::string key = "0";
    std::int64_t elements = 0;  ///< of the storage
    std::int64_t offset = 0;
    std::vector<std::int64_t> size = {}, stride = {};
    std::string dtype = {};  ///< for an untyped storage: "float8_e4m3fn"
};
inline std::string tensor(const TensorSpec& spec) {
    const std::string module = spec.storage == "UntypedStorage" ? "torch.storage" : "torch";
    const std::string storage = tuple({text("storage"), global(module, spec.storage),
                                       text(spec.key), text("cpu"), integer(spec.elements)}) +
                                "Q";
    std::vector<std::string> arguments = {storage,
                                          integer(spec.offset),
                                          numbers(spec.size),
                                          numbers(spec.stride),
                                          "\x89",
                                          global("collections", "OrderedDict") + ")R"};
    if (!spec.dtype.empty()) arguments.push_back(global("torch", spec.dtype));
    return call(
        global("torch._utils", spec.dtype.empty() ? "_rebuild_tensor_v2" : "_rebuild_tensor_v3"),
        arguments);
}

/// The archive that torch.save writes of one object, with storages 0, 1, ...
inline std::string archive(const std::string& object, const std::vector<std::string>& storages = {},
                           bool deflate = false) {
    std::vector<ZipPart> parts = {
        {"archive/data.pkl", std::string("\x80\x02", 2) + object + ".", deflate},
        {"archive/byteorder", "little", deflate}};
    for (std::size_t i = 0; i < storages.size(); ++i)
        parts.push_back({"archive/data/" + std::to_string(i), storages[i], deflate});
    parts.push_back({"archive/version", "3\n", deflate});
    return zipOf(parts);
}

}  // namespace headloom::testing::pickle
