#pragma once

#include <bit>
#include <cstdint>
#include <limits>

namespace headloom {

/// IEEE 754 binary16: 1 sign, 5 exponent, 10 fraction bits. Exact.
inline float floatFromHalf(std::uint16_t bits) {
    const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000) << 16;
    const std::uint32_t rest = static_cast<std::uint32_t>(bits & 0x7fff) << 13;
    if ((bits & 0x7c00) == 0x7c00) return std::bit_cast<float>(sign | rest | 0x7f800000u);
    // The exponents' biases differ by 112. Multiplying moves subnormals to where they belong, too.
    return std::bit_cast<float>(
        sign | std::bit_cast<std::uint32_t>(std::bit_cast<float>(rest) * 0x1p112f));
}

/// bfloat16 is the upper half of a float32.
inline float floatFromBfloat16(std::uint16_t bits) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

/// OCP E5M2: the upper half of a binary16.
inline float floatFromE5M2(std::uint8_t bits) {
    return floatFromHalf(static_cast<std::uint16_t>(bits << 8));
}

/// OCP E4M3: 1 sign, 4 exponent (bias 7), 3 fraction bits; no infinities, all ones is NaN.
inline float floatFromE4M3(std::uint8_t bits) {
    if ((bits & 0x7f) == 0x7f) return std::numeric_limits<float>::quiet_NaN();
    // As a binary16 the exponent would be biased by 15: 8 too many.
    return floatFromHalf(static_cast<std::uint16_t>((bits & 0x80) << 8 | (bits & 0x7f) << 7)) *
           256.0f;
}

}  // namespace headloom
