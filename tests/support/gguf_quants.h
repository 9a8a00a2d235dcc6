#pragma once

#include "core/io/half.h"
#include "core/io/stored_type.h"
#include "tests/support/archive_writers.h"
#include "tests/support/checkpoints.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

// GGUF's blocks of 32 numbers as llama.cpp rounds them, written from the format's description: what
// a reader makes of them can be compared with what was meant.

namespace headloom::testing {

/// The numbers that a tensor has once it is stored, and its bytes.
struct Rounded {
    std::string bytes;
    std::vector<float> values;

    void add(const Rounded& more) {
        bytes += more.bytes;
        values.insert(values.end(), more.values.begin(), more.values.end());
    }
};

/// How a type of blocks has x = (q - zero) * scale + minimum, q from 0 to `most`.
struct BlockKind {
    int zero, most;
    bool hasMinimum;
    bool five;  ///< q has a fifth bit
};
inline BlockKind blockKind(StoredType type) {
    switch (type) {
        case StoredType::q4_0:
            return {8, 15, false, false};
        case StoredType::q4_1:
            return {0, 15, true, false};
        case StoredType::q5_0:
            return {16, 31, false, true};
        default:
            return {0, 31, true, true};  // q5_1
    }
}

inline Rounded nibbleBlock(StoredType type, const float* values) {
    const BlockKind kind = blockKind(type);
    const auto [least, most] = std::minmax_element(values, values + 32);
    float scale = (*most - *least) / static_cast<float>(kind.most);
    if (!kind.hasMinimum)  // the number of largest magnitude becomes -zero
        scale = (-*least > *most ? *least : *most) / static_cast<float>(-kind.zero);
    const std::uint16_t storedScale = halfFrom(scale),
                        storedMinimum = kind.hasMinimum ? halfFrom(*least) : std::uint16_t{0};
    const float minimum = floatFromHalf(storedMinimum), back = floatFromHalf(storedScale);
    std::array<int, 32> q{};
    std::uint32_t fifths = 0;
    Rounded made;
    for (std::size_t i = 0; i < 32; ++i) {
        const float at = scale == 0 ? 0 : (values[i] - (kind.hasMinimum ? *least : 0)) / scale;
        q[i] = std::clamp(static_cast<int>(std::lround(at)) + kind.zero, 0, kind.most);
        fifths |= static_cast<std::uint32_t>(q[i] >> 4) << i;
        made.values.push_back(static_cast<float>(q[i] - kind.zero) * back + minimum);
    }
    made.bytes = bytesOf(storedScale);
    if (kind.hasMinimum) made.bytes += bytesOf(storedMinimum);
    if (kind.five) made.bytes += bytesOf(fifths);
    for (std::size_t i = 0; i < 16; ++i)
        made.bytes += static_cast<char>((q[i] & 15) | (q[i + 16] & 15) << 4);
    return made;
}

inline Rounded q8Block(const float* values) {
    float largest = 0;
    for (int i = 0; i < 32; ++i) largest = std::max(largest, std::abs(values[i]));
    const std::uint16_t stored = halfFrom(largest / 127);
    Rounded made;
    made.bytes = bytesOf(stored);
    for (int i = 0; i < 32; ++i) {
        const long q = largest == 0 ? 0 : std::lround(values[i] * 127 / largest);
        made.bytes += static_cast<char>(q);
        made.values.push_back(static_cast<float>(q) * floatFromHalf(stored));
    }
    return made;
}

/// All numbers of a tensor in a plain or a block type; whole blocks for the latter.
inline Rounded rounded(StoredType type, const Tensor& tensor) {
    Rounded made;
    const float* values = tensor.data<float>();
    for (std::int64_t at = 0; at < tensor.count();) {
        if (type == StoredType::q8_0) {
            made.add(q8Block(values + at));
            at += 32;
        } else if (blockOf(type).elements == 32) {
            made.add(nibbleBlock(type, values + at));
            at += 32;
        } else {
            const float value = values[at++];
            if (type == StoredType::f32) made.add({bytesOf(value), {value}});
            if (type == StoredType::f16)
                made.add({bytesOf(halfFrom(value)), {floatFromHalf(halfFrom(value))}});
            if (type == StoredType::bf16)
                made.add({bytesOf(bfloatFrom(value)), {floatFromBfloat16(bfloatFrom(value))}});
        }
    }
    return made;
}

}  // namespace headloom::testing
