#pragma once

#include "core/analysis/row_trace.h"
#include "core/session/chain_run.h"

namespace headloom {

/// A run's sequence once more through its model, keeping one row of everything: a run in view holds
/// maps and logits alone. Errors: interrupted, no memory, a filter, which reads no tokens, a run of
/// which something was switched off.
Result<RowTrace> rowOfRun(const ChainRun& run, int row, Backend& backend,
                          const std::function<bool()>& cancelled = {});
/// Several rows of one such pass, in their order.
Result<std::vector<RowTrace>> rowsOfRun(const ChainRun& run, const std::vector<int>& rows,
                                        Backend& backend,
                                        const std::function<bool()>& cancelled = {});

/// What went into a layer, [1, rows, D] on the host: of the run where it holds it, else from the
/// sequence once more through the layers before, with what was switched off. Errors: interrupted,
/// no memory, a filter.
Result<Tensor> residualOfRun(const ChainRun& run, int layer, Backend& backend,
                             const std::function<bool()>& cancelled = {});

}  // namespace headloom
