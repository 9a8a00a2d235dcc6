#pragma once

#include "core/backend/backend.h"
#include "core/models/trace.h"
#include "core/models/weights.h"

#include <string>

namespace headloom {

/// Name of the first tensor, in file order, that holds an infinity or a NaN; empty: all are finite.
std::string firstNonFinite(const Weights& weights, Backend& backend);
/// The same for the activations of a pass, in the order of computation, under TransformerLens's
/// names ("blocks.0.hook_resid_pre").
std::string firstNonFinite(const ActivationTrace& trace, Backend& backend);

}  // namespace headloom
