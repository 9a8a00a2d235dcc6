#pragma once

#include "core/base/error.h"
#include "core/io/architectures/config_values.h"
#include "core/io/architectures/load_report.h"
#include "core/io/architectures/matched_tensors.h"
#include "core/models/config.h"

namespace headloom {

/// Widths, heads, vocabulary and context: those that the tensors' shapes tell, else those that are
/// stated; the report gets both. Error: a size that nothing tells, or that no model has.
Result<void> planSizes(const ConfigValues& values, const MatchedTensors& tensors,
                       ModelConfig& config, LoadReport& report);

/// Gives a head of its own and the embedding one vocabulary, the longer of their two.
void planOutputs(const MatchedTensors& tensors, ModelConfig& config, LoadReport& report);

}  // namespace headloom
