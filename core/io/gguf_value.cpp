#include "core/io/gguf_value.h"

#include <fmt/format.h>

#include <cstring>
#include <limits>

namespace headloom {

namespace {

template <class T>
T plain(std::string_view bytes, std::uint64_t index) {
    T value;
    std::memcpy(&value, bytes.data() + index * sizeof(T), sizeof(T));
    return value;
}

std::optional<std::int64_t> integerAt(GgufType type, std::string_view bytes, std::uint64_t index) {
    switch (type) {
        case GgufType::u8:
            return plain<std::uint8_t>(bytes, index);
        case GgufType::i8:
            return plain<std::int8_t>(bytes, index);
        case GgufType::u16:
            return plain<std::uint16_t>(bytes, index);
        case GgufType::i16:
            return plain<std::int16_t>(bytes, index);
        case GgufType::u32:
            return plain<std::uint32_t>(bytes, index);
        case GgufType::i32:
            return plain<std::int32_t>(bytes, index);
        case GgufType::i64:
            return plain<std::int64_t>(bytes, index);
        case GgufType::u64: {
            const auto value = plain<std::uint64_t>(bytes, index);
            if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
                return std::nullopt;
            return static_cast<std::int64_t>(value);
        }
        default:
            return std::nullopt;
    }
}

std::optional<double> numberAt(GgufType type, std::string_view bytes, std::uint64_t index) {
    if (type == GgufType::f32) return plain<float>(bytes, index);
    if (type == GgufType::f64) return plain<double>(bytes, index);
    if (type == GgufType::u64) return static_cast<double>(plain<std::uint64_t>(bytes, index));
    const auto integer = integerAt(type, bytes, index);
    if (!integer) return std::nullopt;
    return static_cast<double>(*integer);
}

std::string numberLine(GgufType type, std::string_view bytes, std::uint64_t index) {
    switch (type) {
        case GgufType::f32:  // as few digits as give the same float
            return fmt::format("{}", plain<float>(bytes, index));
        case GgufType::f64:
            return fmt::format("{}", plain<double>(bytes, index));
        case GgufType::u64:
            return fmt::format("{}", plain<std::uint64_t>(bytes, index));
        case GgufType::boolean:
            return plain<std::uint8_t>(bytes, index) != 0 ? "true" : "false";
        default:
            return fmt::format("{}", integerAt(type, bytes, index).value_or(0));
    }
}

/// All elements of an array; none as soon as one is none.
template <class T, class At>
std::optional<std::vector<T>> all(std::uint64_t count, const At& at) {
    std::vector<T> values;
    values.reserve(static_cast<std::size_t>(count));
    for (std::uint64_t i = 0; i < count; ++i) {
        const std::optional<T> value = at(i);
        if (!value) return std::nullopt;
        values.push_back(*value);
    }
    return values;
}

}  // namespace

const char* nameOf(GgufType type) {
    constexpr const char* names[nGgufTypes] = {"u8",  "i8",  "u16",    "i16",      "u32",
                                               "i32", "f32", "a bool", "a string", "an array",
                                               "u64", "i64", "f64"};
    return names[static_cast<std::uint32_t>(type)];
}

std::uint64_t smallestSizeOf(GgufType type) {
    // a string has its length before it, an array the type and number of its elements
    constexpr std::uint64_t sizes[nGgufTypes] = {1, 1, 2, 2, 4, 4, 4, 1, 8, 12, 8, 8, 8};
    return sizes[static_cast<std::uint32_t>(type)];
}

std::optional<std::int64_t> GgufValue::integer() const {
    return isArray() ? std::nullopt : integerAt(type_, bytes_, 0);
}

std::optional<double> GgufValue::number() const {
    return isArray() ? std::nullopt : numberAt(type_, bytes_, 0);
}

std::optional<bool> GgufValue::boolean() const {
    if (type_ != GgufType::boolean) return std::nullopt;
    return plain<std::uint8_t>(bytes_, 0) != 0;
}

std::optional<std::string_view> GgufValue::text() const {
    if (type_ != GgufType::text) return std::nullopt;
    return bytes_.substr(sizeof(std::uint64_t));
}

std::optional<std::vector<std::string_view>> GgufValue::texts() const {
    if (!isArray() || element_ != GgufType::text) return std::nullopt;
    std::vector<std::string_view> values;
    values.reserve(static_cast<std::size_t>(count_));
    std::string_view rest = bytes_;
    for (std::uint64_t i = 0; i < count_; ++i) {
        const auto length = static_cast<std::size_t>(plain<std::uint64_t>(rest, 0));
        values.push_back(rest.substr(sizeof(std::uint64_t), length));
        rest.remove_prefix(sizeof(std::uint64_t) + length);
    }
    return values;
}

std::optional<std::vector<std::int64_t>> GgufValue::integers() const {
    if (!isArray()) return std::nullopt;
    return all<std::int64_t>(count_,
                             [this](std::uint64_t i) { return integerAt(element_, bytes_, i); });
}

std::optional<std::vector<double>> GgufValue::numbers() const {
    if (!isArray()) return std::nullopt;
    return all<double>(count_, [this](std::uint64_t i) { return numberAt(element_, bytes_, i); });
}

std::string GgufValue::line() const {
    if (const auto own = text()) return std::string(*own);
    if (!isArray()) return numberLine(type_, bytes_, 0);
    constexpr std::uint64_t mostShown = 1000;
    if (element_ == GgufType::text) return fmt::format("[{} strings]", count_);
    if (element_ == GgufType::array) return fmt::format("[{} arrays]", count_);
    if (count_ > mostShown) return fmt::format("[{} numbers]", count_);
    std::string shown = "[";
    for (std::uint64_t i = 0; i < count_; ++i)
        shown += (i > 0 ? ", " : "") + numberLine(element_, bytes_, i);
    return shown + "]";
}

}  // namespace headloom
