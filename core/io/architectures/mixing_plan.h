#pragma once

#include "core/base/error.h"
#include "core/io/architectures/config_values.h"
#include "core/io/architectures/matched_tensors.h"
#include "core/io/architectures/model_plan.h"

namespace headloom {

/// Makes the layers interleaved (alphas of three axes and R) or IHA-lite (of two) where the file
/// has mixings, with their mask and positions; pseudo-heads that never meet become ordinary heads
/// (ModelPlan::foldedPseudo). Error: an alpha that reads differently with its axes
/// swapped while nothing says which is the source; a form that is not computed here.
Result<void> planMixing(const ConfigValues& values, const TensorSource& source,
                        const MatchedTensors& tensors, ModelPlan& plan, LoadReport& report);

}  // namespace headloom
