#pragma once

#include "core/session/chain_run.h"

namespace headloom {

/// The maps of a graph filter as a run over its nodes; there is nothing to decode, and logits are
/// empty. Errors: a prompt other than the nodes; a failing backend.
Result<ChainRun> runFilter(const ChainRequest& request, Backend& backend);

}  // namespace headloom
