#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headloom {

/// Types of GGUF's values, numbered as in the file.
enum class GgufType : std::uint32_t {
    u8,
    i8,
    u16,
    i16,
    u32,
    i32,
    f32,
    boolean,
    text,
    array,
    u64,
    i64,
    f64
};
constexpr std::uint32_t nGgufTypes = 13;

/// "u8", "a string", "an array": for sentences.
const char* nameOf(GgufType type);
/// The fewest bytes that a value of the type takes in the file.
std::uint64_t smallestSizeOf(GgufType type);

/// A value of a key, where it lies in the file: vocabularies have 100,000 strings, and most are
/// never asked for. GgufFile has checked that all of it exists.
class GgufValue {
  public:
    GgufValue() = default;
    /// A single value.
    GgufValue(GgufType type, std::string_view bytes) : type_(type), bytes_(bytes) {}
    /// An array of `count` values of type `element`, one after another.
    GgufValue(GgufType element, std::uint64_t count, std::string_view bytes)
        : type_(GgufType::array), element_(element), count_(count), bytes_(bytes) {}

    GgufType type() const { return type_; }
    bool isArray() const { return type_ == GgufType::array; }
    GgufType elementType() const { return element_; }
    /// Values in an array.
    std::uint64_t count() const { return count_; }

    // What a single value is; none where it is something else.
    std::optional<std::int64_t> integer() const;
    std::optional<double> number() const;  ///< integers as well
    std::optional<bool> boolean() const;
    std::optional<std::string_view> text() const;

    // What an array holds; none where it holds something else.
    std::optional<std::vector<std::string_view>> texts() const;
    std::optional<std::vector<std::int64_t>> integers() const;
    std::optional<std::vector<double>> numbers() const;  ///< integers as well

    /// The value in one line: a string as it is, numbers in decimal, true or false, an array of up
    /// to 1,000 numbers as "[1, 2]" and any other as "[50257 strings]".
    std::string line() const;

  private:
    GgufType type_ = GgufType::u8, element_ = GgufType::u8;
    std::uint64_t count_ = 0;
    std::string_view bytes_;  ///< of the value, or of all the elements
};

}  // namespace headloom
