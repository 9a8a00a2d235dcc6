#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace headloom {

/// Inflates raw DEFLATE data (zip's method 8) until `most` bytes are there or the data ends. None
/// where the data is damaged.
std::optional<std::vector<std::byte>> inflateUpTo(std::span<const std::byte> deflated,
                                                  std::size_t most);

}  // namespace headloom
