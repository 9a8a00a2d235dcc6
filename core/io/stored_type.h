#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace headloom {

/// How a file stores the elements of a tensor.
enum class StoredType {
    f64,
    f32,
    f16,
    bf16,
    f8e4m3,  ///< OCP E4M3: no infinities, NaN is 0x7F and 0xFF
    f8e5m2,  ///< the upper half of a float16
    i8,
    i16,
    i32,
    i64,
    u8,
    u16,
    u32,
    u64,
    boolean,  ///< one byte: 0 is false
    q8_0,     ///< GGUF: blocks of 32 elements with their scale, and so on
    q4_0,
    q4_1,
    q5_0,
    q5_1,
    i8Groups,  ///< llama2.c v2: an int8 for every element, then a float32 scale for every group
    other      ///< listed, never read
};

/// As safetensors and GGUF spell it: "F32", "Q4_0", "BOOL"; "other" for what is not read.
const char* nameOf(StoredType type);
/// The type of that name; none where this program has none.
std::optional<StoredType> storedTypeNamed(std::string_view name);

/// What elements are stored in: single ones for plain types, 32 for GGUF's blocks.
struct BlockSize {
    std::uint64_t elements, bytes;
};
/// i8Groups: 1 and 1, its scales not counted. other: 1 and 0.
BlockSize blockOf(StoredType type);

/// Elements first, first + step, ... of `stored` as numbers. Quantised types and i8Groups (whose
/// group is `groupSize` elements and whose scales begin `scales` bytes after `stored`) take a step
/// of 1 only. Nothing is checked here: the caller knows that the elements exist.
struct StoredElements {
    StoredType type = StoredType::other;
    const std::byte* stored = nullptr;  ///< of any alignment
    bool bigEndian = false;
    std::uint64_t groupSize = 0, scales = 0;

    void decode(std::uint64_t first, std::int64_t step, std::size_t count, float* out) const;
    void decode(std::uint64_t first, std::int64_t step, std::size_t count, double* out) const;
};

}  // namespace headloom
