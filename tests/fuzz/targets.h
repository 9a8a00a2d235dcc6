#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace headloom::testing {

/// One reader that hostile bytes may meet. libFuzzer calls it for as long as wanted, and the tests
/// with a few thousand changed seeds.
struct FuzzTarget {
    const char* name;
    /// Must return, whatever the bytes. What it reads of them it reads to the end.
    void (*run)(std::span<const std::byte> bytes);
    /// Valid inputs to start from.
    std::vector<std::string> (*seeds)();
};

/// All of them. A new reader adds its row in targets.cpp.
const std::vector<FuzzTarget>& fuzzTargets();

}  // namespace headloom::testing
