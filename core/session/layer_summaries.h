#pragma once

#include "core/analysis/head_summary.h"
#include "core/session/chain_run.h"

namespace headloom {

/// Every head of a layer in few numbers, from the run's maps or, where it does not hold those of
/// the layer, from what went into the layer: one head's map is in memory at a time. Errors:
/// interrupted, no memory.
Result<std::vector<HeadSummary>> layerSummaries(const ChainRun& run, int layer, Backend& backend,
                                                const std::function<bool()>& cancelled = {});

}  // namespace headloom
