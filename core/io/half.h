#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace headloom {

/// IEEE 754 binary16: 1 sign, 5 exponent, 10 fraction bits. Exact.
inline float floatFromHalf(std::uint16_t bits) {
    const int exponent = (bits >> 10) & 31;
    const int fraction = bits & 1023;
    float magnitude = 0;
    if (exponent == 31)
        magnitude = fraction ? std::numeric_limits<float>::quiet_NaN()
                             : std::numeric_limits<float>::infinity();
    else if (exponent == 0)
        magnitude = std::ldexp(static_cast<float>(fraction), -24);
    else
        magnitude = std::ldexp(static_cast<float>(1024 + fraction), exponent - 25);
    return (bits & 0x8000) ? -magnitude : magnitude;
}

/// bfloat16 is the upper half of a float32.
inline float floatFromBfloat16(std::uint16_t bits) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

}  // namespace headloom
