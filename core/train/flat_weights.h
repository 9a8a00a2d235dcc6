#pragma once

#include "core/backend/backend.h"
#include "core/models/weights.h"

namespace headloom {

/// Zeros for every parameter in one block of memory, so that gradients are cleared, added and
/// measured by one operator instead of one a parameter.
struct FlatWeights {
    Tensor all;     ///< [count], with zeros between the parts
    Weights parts;  ///< names, shapes and order of the weights; views of `all`
};

/// The parts start at multiples of 64 bytes. Throws BackendFailure.
FlatWeights flatZerosLike(const Weights& weights, Backend& backend);

}  // namespace headloom
