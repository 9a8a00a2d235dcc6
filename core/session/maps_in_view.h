#pragma once

#include "core/models/decoder.h"
#include "core/session/chain_run.h"

namespace headloom {

/// Bytes of the maps (and effective maps) of all layers that a request asks for.
double mapBytes(const ChainRequest& request, int rows);

/// Gives a run without maps those of the layer in view, from its residuals: of all heads where the
/// request lets them be that many, else of the head in view. Errors: maps of one head that have no
/// room, interrupted.
Result<void> bringIntoView(ChainRun& run, const ChainRequest& request, const Decoder& decoder,
                           Backend& backend);

}  // namespace headloom
