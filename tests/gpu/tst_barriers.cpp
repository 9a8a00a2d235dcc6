#include "core/backend/conformance.h"
#include "gpu/backend/device_backend.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

// Every barrier of every kernel taken out, one at a time: the check of all operators must see it.

using namespace headloom;

namespace {

/// Whether all operators agree with reference on a GPU with these settings.
bool agrees(const gpu::Runtime::Settings& settings, std::uint64_t seed,
            std::map<std::string, int>* kernels = nullptr) {
    auto runtime = std::make_unique<gpu::Runtime>(settings);
    gpu::Runtime& kept = *runtime;
    gpu::DeviceBackend backend(std::move(runtime));
    try {
        const auto records = checkAgainstReference(backend, {seed, DType::f32});
        if (kernels) *kernels = kept.kernels();
        return std::all_of(records.begin(), records.end(),
                           [](const ConformanceRecord& record) { return record.passed; });
    } catch (const gpu::KernelFault&) {
        return false;
    }
}

}  // namespace

TEST_CASE("no barrier of a kernel can be left out unseen") {
    std::map<std::string, int> kernels;
    REQUIRE(agrees({}, 1, &kernels));
    std::set<std::string> unseen;
    for (const auto& [name, barriers] : kernels)
        for (int barrier = 0; barrier < barriers; ++barrier) {
            bool seen = false;
            for (std::uint64_t seed = 1; seed <= 3 && !seen; ++seed)
                seen = !agrees({.seed = seed, .skippedIn = name, .skippedBarrier = barrier}, seed);
            if (!seen) unseen.insert(name + " " + std::to_string(barrier));
        }
    CHECK(unseen == std::set<std::string>{});
}
