#pragma once

#include "core/session/chain_run.h"

#include <memory>
#include <optional>
#include <string>

namespace headloom {

/// How far a model is from plain MHA with the same projections: iha.md 3, measured.
struct MhaDifference {
    /// Largest difference of an effective map M[g, m] (of a layer, over all rows) from MHA's
    /// 1(g = m) A[g]; none where they are too many to be held.
    std::optional<double> maps;
    std::optional<double> logits;  ///< none: nothing is said at any token
    bool exact = false;            ///< whether it must be zero up to rounding
    std::string reason;            ///< why it is or is not, a sentence without a full stop
};

/// Whether the mixing of a model makes it plain MHA, and why or why not: by its weights, mask,
/// positions and scores alone.
MhaDifference mhaEquality(const Model& model);

/// The same model with ordinary heads: its projections without their mixing, whole tokens under the
/// causal mask and at their own positions. Error: a layer whose heads are no mixed ordinary heads.
Result<std::shared_ptr<const Model>> plainMhaOf(const Model& model);

/// Measured over the tokens that a run was fed. Errors: as plainMhaOf, a failing backend,
/// interrupted.
Result<MhaDifference> differenceToMha(const ChainRun& run, std::int64_t mostMapBytes,
                                      Backend& backend,
                                      const std::function<bool()>& cancelled = {});

}  // namespace headloom
