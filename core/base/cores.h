#pragma once

#include <algorithm>
#include <thread>

namespace headloom {

inline constexpr int mostThreads = 256;  ///< that anybody may ask for

/// Threads to use where nobody said how many: the machine's cores, 1..mostThreads.
inline int coreCount() {
    return std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, mostThreads);
}

}  // namespace headloom
