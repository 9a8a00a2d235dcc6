#pragma once

#include "core/io/architectures/matched_tensors.h"
#include "core/io/architectures/model_plan.h"
#include "core/io/load_progress.h"
#include "core/models/weights.h"

#include <string>
#include <vector>

namespace headloom {

/// Names of our tensors that the plan needs and the file does not have, as the map would name them.
std::vector<std::string> missingTensors(const ModelPlan& plan, const ArchitectureMap& map,
                                        const MatchedTensors& tensors);

/// The plan's weights in float32 and in our layout: matrices transposed, fused ones cut apart, the
/// columns of interleaved rotary pairs brought side by side by halves. Errors: a tensor whose shape
/// does not fit the plan; the source's own; interrupted.
Result<Weights> readWeights(const ModelPlan& plan, const TensorSource& source,
                            const MatchedTensors& tensors, const Progress& progress);

}  // namespace headloom
