#include "core/io/stored_type.h"

#include "core/io/gguf_blocks.h"
#include "core/io/half.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstring>

namespace headloom {

static_assert(std::endian::native == std::endian::little, "bytes are read as little-endian");

namespace {

struct Row {
    StoredType type;
    const char* name;
    BlockSize block;
};
constexpr Row table[] = {
    {StoredType::f64, "F64", {1, 8}},
    {StoredType::f32, "F32", {1, 4}},
    {StoredType::f16, "F16", {1, 2}},
    {StoredType::bf16, "BF16", {1, 2}},
    {StoredType::f8e4m3, "F8_E4M3", {1, 1}},
    {StoredType::f8e5m2, "F8_E5M2", {1, 1}},
    {StoredType::i8, "I8", {1, 1}},
    {StoredType::i16, "I16", {1, 2}},
    {StoredType::i32, "I32", {1, 4}},
    {StoredType::i64, "I64", {1, 8}},
    {StoredType::u8, "U8", {1, 1}},
    {StoredType::u16, "U16", {1, 2}},
    {StoredType::u32, "U32", {1, 4}},
    {StoredType::u64, "U64", {1, 8}},
    {StoredType::boolean, "BOOL", {1, 1}},
    {StoredType::q8_0, "Q8_0", {32, 34}},
    {StoredType::q4_0, "Q4_0", {32, 18}},
    {StoredType::q4_1, "Q4_1", {32, 20}},
    {StoredType::q5_0, "Q5_0", {32, 22}},
    {StoredType::q5_1, "Q5_1", {32, 24}},
    {StoredType::i8Groups, "I8_GROUPS", {1, 1}},
    {StoredType::other, "other", {1, 0}},
};

template <class Stored>
Stored swapped(Stored value) {
    auto bytes = std::bit_cast<std::array<std::byte, sizeof(Stored)>>(value);
    std::reverse(bytes.begin(), bytes.end());
    return std::bit_cast<Stored>(bytes);
}

struct Run {
    std::uint64_t first;
    std::int64_t step;
    std::size_t count;
};

template <class Stored, class Out, class Convert>
void convertPlain(const StoredElements& from, Run run, Out* out, Convert convert) {
    const std::byte* at = from.stored + run.first * sizeof(Stored);
    const std::ptrdiff_t stride =
        static_cast<std::ptrdiff_t>(run.step) * static_cast<std::ptrdiff_t>(sizeof(Stored));
    for (std::size_t i = 0; i < run.count; ++i) {
        Stored value;
        std::memcpy(&value, at + static_cast<std::ptrdiff_t>(i) * stride, sizeof(Stored));
        out[i] = static_cast<Out>(convert(from.bigEndian ? swapped(value) : value));
    }
}

template <class Out>
void decodeBlocks(const StoredElements& from, Run run, Out* out) {
    constexpr std::uint64_t largest = 32;
    const BlockSize block = blockOf(from.type);
    std::array<float, largest> numbers;
    assert(run.step == 1 && block.elements == largest);
    while (run.count > 0) {
        const std::uint64_t within = run.first % block.elements;
        const auto taken =
            static_cast<std::size_t>(std::min<std::uint64_t>(run.count, block.elements - within));
        decodeGgufBlock(from.type, from.stored + run.first / block.elements * block.bytes,
                        numbers.data());
        std::copy_n(numbers.begin() + within, taken, out);
        out += taken;
        run.first += taken;
        run.count -= taken;
    }
}

template <class Out>
void decodeGroups(const StoredElements& from, Run run, Out* out) {
    assert(run.step == 1 && from.groupSize > 0);
    for (std::size_t i = 0; i < run.count; ++i) {
        const std::uint64_t at = run.first + i;
        float scale = 0;
        std::memcpy(&scale, from.stored + from.scales + at / from.groupSize * 4, 4);
        out[i] = static_cast<float>(static_cast<std::int8_t>(from.stored[at])) * scale;
    }
}

template <class Out>
void decodeAs(const StoredElements& from, Run run, Out* out) {
    const auto same = [](auto value) { return value; };
    switch (from.type) {
        case StoredType::f64:
            return convertPlain<double>(from, run, out, same);
        case StoredType::f32:
            return convertPlain<float>(from, run, out, same);
        case StoredType::f16:
            return convertPlain<std::uint16_t>(from, run, out, floatFromHalf);
        case StoredType::bf16:
            return convertPlain<std::uint16_t>(from, run, out, floatFromBfloat16);
        case StoredType::f8e4m3:
            return convertPlain<std::uint8_t>(from, run, out, floatFromE4M3);
        case StoredType::f8e5m2:
            return convertPlain<std::uint8_t>(from, run, out, floatFromE5M2);
        case StoredType::i8:
            return convertPlain<std::int8_t>(from, run, out, same);
        case StoredType::i16:
            return convertPlain<std::int16_t>(from, run, out, same);
        case StoredType::i32:
            return convertPlain<std::int32_t>(from, run, out, same);
        case StoredType::i64:
            return convertPlain<std::int64_t>(from, run, out, same);
        case StoredType::u8:
            return convertPlain<std::uint8_t>(from, run, out, same);
        case StoredType::u16:
            return convertPlain<std::uint16_t>(from, run, out, same);
        case StoredType::u32:
            return convertPlain<std::uint32_t>(from, run, out, same);
        case StoredType::u64:
            return convertPlain<std::uint64_t>(from, run, out, same);
        case StoredType::boolean:
            return convertPlain<std::uint8_t>(from, run, out,
                                              [](std::uint8_t value) { return value != 0; });
        case StoredType::q8_0:
        case StoredType::q4_0:
        case StoredType::q4_1:
        case StoredType::q5_0:
        case StoredType::q5_1:
            return decodeBlocks(from, run, out);
        case StoredType::i8Groups:
            return decodeGroups(from, run, out);
        case StoredType::other:
            assert(false && "a type that is never read");
    }
}

}  // namespace

const char* nameOf(StoredType type) {
    return table[static_cast<std::size_t>(type)].name;
}

std::optional<StoredType> storedTypeNamed(std::string_view name) {
    for (const Row& row : table)
        if (row.name == name && row.type != StoredType::other) return row.type;
    return std::nullopt;
}

BlockSize blockOf(StoredType type) {
    const Row& row = table[static_cast<std::size_t>(type)];
    assert(row.type == type);
    return row.block;
}

void StoredElements::decode(std::uint64_t first, std::int64_t step, std::size_t count,
                            float* out) const {
    decodeAs(*this, {first, step, count}, out);
}

void StoredElements::decode(std::uint64_t first, std::int64_t step, std::size_t count,
                            double* out) const {
    decodeAs(*this, {first, step, count}, out);
}

}  // namespace headloom
