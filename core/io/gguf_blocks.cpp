#include "core/io/gguf_blocks.h"

#include "core/io/half.h"

#include <cassert>
#include <cstring>

namespace headloom {

namespace {

constexpr int half = 16;  ///< low nibbles hold elements 0..15 of a block, high ones 16..31

float halfAt(const std::byte* at) {
    std::uint16_t bits = 0;
    std::memcpy(&bits, at, 2);
    return floatFromHalf(bits);
}

/// x = (q - zero) * scale + minimum, with q's four low bits from `nibbles` and its fifth from
/// `fifths` (0 where there is none).
void decodeNibbles(const std::byte* nibbles, std::uint32_t fifths, int zero, float scale,
                   float minimum, float* out) {
    for (int i = 0; i < half; ++i) {
        const int both = std::to_integer<int>(nibbles[i]);
        const int low = (both & 15) | static_cast<int>((fifths >> i & 1) << 4);
        const int high = both >> 4 | static_cast<int>((fifths >> (i + half) & 1) << 4);
        out[i] = static_cast<float>(low - zero) * scale + minimum;
        out[i + half] = static_cast<float>(high - zero) * scale + minimum;
    }
}

std::uint32_t wordAt(const std::byte* at) {
    std::uint32_t word = 0;
    std::memcpy(&word, at, 4);
    return word;
}

}  // namespace

void decodeGgufBlock(StoredType type, const std::byte* block, float* out) {
    const float scale = halfAt(block);
    switch (type) {
        case StoredType::q8_0:
            for (int i = 0; i < 2 * half; ++i)
                out[i] = scale * static_cast<float>(static_cast<std::int8_t>(block[2 + i]));
            return;
        case StoredType::q4_0:
            return decodeNibbles(block + 2, 0, 8, scale, 0, out);
        case StoredType::q4_1:
            return decodeNibbles(block + 4, 0, 0, scale, halfAt(block + 2), out);
        case StoredType::q5_0:
            return decodeNibbles(block + 6, wordAt(block + 2), 16, scale, 0, out);
        case StoredType::q5_1:
            return decodeNibbles(block + 8, wordAt(block + 4), 0, scale, halfAt(block + 2), out);
        default:
            assert(false && "not a quantised type");
    }
}

}  // namespace headloom
