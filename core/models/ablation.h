#pragma once

#include "core/models/layer_changes.h"
#include "core/models/model_part.h"
#include "core/models/trace.h"
#include "core/models/weights.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace headloom {

/// "zero", "mean", "self", "other".
std::string_view nameOf(Instead instead);
Result<Instead> insteadFrom(std::string_view name);

/// One part switched off, as semantics.md says it:
/// - head, pseudo-head as query: what it writes to R is zero, or its mean; `self`: it sees only its
///   own token, masked before the softmax (after it where maps are made of maps);
/// - pseudo-head as key and value: masked before the softmax; `mean`: its keys (rotated) and values
///   are their means;
/// - tile, cell: times 0 after the softmax, or masked before it with `renormalise`; `self`: the
///   same for the cells of other tokens; `mean`: the mean over the query rows;
/// - layer, attention, MLP: what it adds to the residual stream;
/// - weight: zero, nothing else.
struct Cut {
    ModelPart part;
    Instead instead = Instead::zero;
    bool renormalise = false;  ///< of tiles and cells
    int row = -1;              ///< at one token only (as query, or as what is written); -1: at all

    friend bool operator==(const Cut&, const Cut&) = default;
};
/// "L1H3: zero", "L1H3.q0k1: zero, renormalised, at token 4".
std::string nameOf(const Cut& cut);

/// A set of parts that are switched off at once. Later cuts of the same part win.
struct Ablation {
    std::vector<Cut> cuts;
    /// For `other`: a whole pass over a prompt of as many tokens, on the host.
    std::shared_ptr<const ActivationTrace> donor = nullptr;
    /// The tokens of that prompt, for whom makes the pass (core/session/donor.h).
    std::vector<int> otherPrompt = {};

    bool empty() const { return cuts.empty(); }
    bool takesFromOther() const;
};

/// Errors: a part that the model does not have, a replacement that has no meaning for its part, a
/// prompt of another length than the donor's.
Result<void> checkAblation(const Ablation& ablation, const ModelConfig& config, int rows);

/// The weights, with those that are switched off set to zero; the others are shared.
Weights withoutWeights(const Ablation& ablation, const Weights& weights);

/// What a pass over `rows` tokens does otherwise, one entry a layer; all but the weights. Empty
/// where nothing is switched off.
std::vector<LayerChanges> layerChanges(const Ablation& ablation, const ModelConfig& config,
                                       int rows);

}  // namespace headloom
