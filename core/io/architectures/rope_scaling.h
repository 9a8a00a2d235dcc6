#pragma once

#include "core/base/error.h"
#include "core/io/architectures/config_values.h"
#include "core/io/architectures/load_report.h"
#include "core/io/architectures/matched_tensors.h"
#include "core/models/config.h"

#include <cstdint>
#include <vector>

namespace headloom {

/// How Llama 3.1 and later stretch slow rotations ("rope_type": "llama3").
struct Llama3Scaling {
    double factor = 8, lowFactor = 1, highFactor = 4, originalContext = 8192;
};
/// The divisor of each of width/2 frequencies: 1 for those that turn more than highFactor times in
/// the original context, `factor` for those that turn less than lowFactor times, and a blend.
std::vector<double> llama3Divisors(const Llama3Scaling& scaling, double theta, std::int64_t width);

/// Sets theta, the width that rotates, position factors and divisors, which a file may have as a
/// tensor. Errors: a kind of scaling that is not computed here; the source's own.
Result<void> planRotation(const ConfigValues& values, const TensorSource& source,
                          const MatchedTensors& tensors, ModelConfig& config, LoadReport& report);

}  // namespace headloom
