#pragma once

#include "core/train/settings.h"

#include <cstdint>

namespace headloom {

/// The learning rate of update `step`, counted from 1: it rises in equal parts to the full rate at
/// step warmupSteps, then follows half a cosine down to finalFraction of it at step settings.steps
/// (and stays there).
double learningRateAt(const TrainSettings& settings, std::int64_t step);

/// How many updates fit into `seconds` when the first `done` took `elapsed`; at least `done` + 1.
std::int64_t stepsWithin(double seconds, std::int64_t done, double elapsed);

}  // namespace headloom
