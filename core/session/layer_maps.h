#pragma once

#include "core/analysis/token_flow.h"
#include "core/session/chain_run.h"

#include <functional>

namespace headloom {

/// All maps of a layer, [1, H, P, P, N, Nk] on the host: the run's or, where it does not hold them,
/// made again from what went into the layer. Errors: maps that have no room, interrupted.
Result<Tensor> layerMaps(const ChainRun& run, int layer, Backend& backend,
                         const std::function<bool()>& cancelled = {});

/// What tokens take from one another in every layer of a run, for rollout and flow. Errors as
/// above.
Result<LayeredAttention> layeredAttention(const ChainRun& run, Backend& backend,
                                          const std::function<bool()>& cancelled = {});

}  // namespace headloom
