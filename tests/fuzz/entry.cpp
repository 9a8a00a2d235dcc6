// libFuzzer's entry. Which target it runs is chosen when it is compiled: HEADLOOM_FUZZ_TARGET.
#include "tests/fuzz/targets.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    for (const auto& target : headloom::testing::fuzzTargets())
        if (std::strcmp(target.name, HEADLOOM_FUZZ_TARGET) == 0) {
            target.run(std::as_bytes(std::span(data, size)));
            return 0;
        }
    std::abort();  // the build names a target that is not in the table
}
