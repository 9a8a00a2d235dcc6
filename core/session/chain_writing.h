#pragma once

#include "core/models/decoder.h"
#include "core/session/chain_run.h"

namespace headloom {

/// Extends run.tokens by what the model says: request.maxSteps tokens, else as many as the truth
/// has, to the end token or the end of the context. Sets run.stepMilliseconds. It reads with a
/// cache; a mean over the positions or a cell off the last row has no place in one, so with
/// something switched off all tokens are read again at every step. Errors: a model of several
/// answers a row, a mask that has no order, interrupted. Throws BackendFailure. `progress`, which
/// may be empty, gets the share that is done.
Result<void> writeOn(const ChainRequest& request, const Decoder& decoder, Backend& backend,
                     ChainRun& run, const std::function<void(double)>& progress);

}  // namespace headloom
