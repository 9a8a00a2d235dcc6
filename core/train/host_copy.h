#pragma once

#include "core/backend/backend.h"
#include "core/models/weights.h"

namespace headloom {

/// Weights of a backend in host memory, their own even where the backend is the host. Throws
/// BackendFailure.
Weights hostCopy(const Weights& weights, Backend& backend);

}  // namespace headloom
