#pragma once

#include <cstdint>
#include <functional>

namespace headloom {

/// How far reading has come, in bytes of the model's float32 weights.
struct LoadProgress {
    std::uint64_t done = 0, total = 0;
};
/// Called between blocks of a few million numbers; false stops.
using Progress = std::function<bool(const LoadProgress&)>;

}  // namespace headloom
