#pragma once

#include "tests/gpu/device/device.h"

namespace headloom::device {

struct BenchOptions {
    double seconds = 0.5;  ///< for each measurement, of at least five runs; 0: a single run
    bool small = false;    ///< the small sizes only and a batch of 1: does it run at all?
};

/// Measures a backend at the sizes of app/cli/bench_cases.h: passes that keep the maps and that do
/// not, a token decoded at half the context, training steps; on a GPU then the share of the
/// memory's speed at which attention writes its maps. One line a measurement, tabs between its
/// parts: "bench", name, backend, median milliseconds of the host's clock, first and third
/// quartile, and the median of the GPU's clock where there is one. False: something failed, and
/// was said.
bool bench(Device& device, const BenchOptions& options);

}  // namespace headloom::device
