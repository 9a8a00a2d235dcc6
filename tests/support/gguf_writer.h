#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace headloom::testing {

/// Appends what a GGUF file consists of, without any check, so that a test can write what is wrong.
struct GgufWriter {
    std::string bytes;

    template <class T>
    GgufWriter& number(T value) {
        bytes.append(reinterpret_cast<const char*>(&value), sizeof(value));
        return *this;
    }
    GgufWriter& text(std::string_view value) {
        number<std::uint64_t>(value.size());
        bytes += value;
        return *this;
    }
    GgufWriter& header(std::uint32_t version, std::uint64_t nTensors, std::uint64_t nKeys) {
        bytes += "GGUF";
        return number(version).number(nTensors).number(nKeys);
    }

    GgufWriter& key(std::string_view name, std::string_view value) {
        return text(name).number<std::uint32_t>(8).text(value);
    }
    GgufWriter& key(std::string_view name, std::uint32_t value) {
        return text(name).number<std::uint32_t>(4).number(value);
    }
    GgufWriter& flag(std::string_view name, bool value) {
        return text(name).number<std::uint32_t>(7).number<std::uint8_t>(value);
    }
    GgufWriter& key(std::string_view name, const std::vector<std::string>& values) {
        text(name).number<std::uint32_t>(9).number<std::uint32_t>(8);
        number<std::uint64_t>(values.size());
        for (const std::string& value : values) text(value);
        return *this;
    }
    GgufWriter& key(std::string_view name, const std::vector<float>& values) {
        text(name).number<std::uint32_t>(9).number<std::uint32_t>(6);
        number<std::uint64_t>(values.size());
        for (const float value : values) number(value);
        return *this;
    }
    GgufWriter& key(std::string_view name, const std::vector<std::int32_t>& values) {
        text(name).number<std::uint32_t>(9).number<std::uint32_t>(5);
        number<std::uint64_t>(values.size());
        for (const std::int32_t value : values) number(value);
        return *this;
    }

    /// `dims` in the file's order: the fastest axis first.
    GgufWriter& tensor(std::string_view name, const std::vector<std::uint64_t>& dims,
                       std::uint32_t type, std::uint64_t offset) {
        text(name).number<std::uint32_t>(static_cast<std::uint32_t>(dims.size()));
        for (const std::uint64_t size : dims) number(size);
        return number(type).number(offset);
    }
    /// Up to the next multiple, where the data begins.
    GgufWriter& pad(std::size_t alignment = 32) {
        bytes.resize((bytes.size() + alignment - 1) / alignment * alignment);
        return *this;
    }
};

}  // namespace headloom::testing
