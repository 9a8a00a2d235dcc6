#pragma once

#include "core/backend/backend.h"
#include "core/models/trace.h"

namespace headloom {

// Traces on their way to the host, while their backend goes on computing. Where the backend is the
// host, a tensor is its own copy. Throw BackendFailure.

/// The host's tensor; its numbers are there when Backend::finishDownloads has returned.
Tensor startFetch(const Tensor& tensor, Backend& backend);
/// The same of all tensors of a layer, or of a trace beside its layers.
LayerTrace startFetch(LayerTrace layer, Backend& backend);
void startFetchOfEnds(ActivationTrace& trace, Backend& backend);

}  // namespace headloom
