#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>

namespace headloom {

/// The size of the block that a pool gives for so many bytes, at least `least` (a power of two from
/// 4 up): four sizes to every power of two, so that at most a quarter of a block is unused and
/// tensors of nearly the same size share blocks.
inline std::size_t blockSize(std::size_t bytes, std::size_t least) {
    bytes = std::max(bytes, least);
    const std::size_t step = std::bit_floor(bytes - 1) / 4;
    return (bytes + step - 1) / step * step;
}

}  // namespace headloom
