#include "core/train/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace headloom {

double learningRateAt(const TrainSettings& settings, std::int64_t step) {
    const auto at = static_cast<double>(step), warmup = static_cast<double>(settings.warmupSteps);
    if (at < warmup) return settings.learningRate * at / warmup;
    const double span = std::max(1.0, static_cast<double>(settings.steps) - warmup);
    const double progress = std::clamp((at - warmup) / span, 0.0, 1.0);
    const double shape = 0.5 * (1.0 + std::cos(std::numbers::pi * progress));
    return settings.learningRate *
           (settings.finalFraction + (1.0 - settings.finalFraction) * shape);
}

std::int64_t stepsWithin(double seconds, std::int64_t done, double elapsed) {
    constexpr double most = 1e9;  // far above what anyone waits for, far below overflow
    const double each =
        std::max(elapsed, 1e-9) / static_cast<double>(std::max<std::int64_t>(done, 1));
    return std::max(done + 1, static_cast<std::int64_t>(std::min(seconds / each, most)));
}

}  // namespace headloom
