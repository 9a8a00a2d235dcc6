#pragma once

#include "core/backend/backend.h"
#include "core/models/ablation.h"
#include "core/models/model.h"
#include "core/models/sampling.h"
#include "core/models/trace.h"
#include "core/tasks/task.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace headloom {

/// How a model goes through a chain (semantics.md).
enum class ChainMode {
    trueChain,  ///< fed the true tokens (or what the user typed), whatever it would have said
    onItsOwn    ///< fed the prompt, then its own tokens
};

/// One model over one sequence, complete and immutable: what every picture of a column is made of.
struct ChainRun {
    std::shared_ptr<const Model> model;
    ChainMode mode = ChainMode::trueChain;
    Ablation ablation;  ///< what was switched off
    /// Tokens fed, one a row, and after them (generated chains) the last token chosen, not fed.
    std::vector<int> tokens;
    int promptLength = 0;
    int rows = 0;  ///< rows of every map: tokens fed
    /// Host tensors; maps captured: [1, H, P, P, rows, rows] a layer.
    ActivationTrace trace;
    /// Where all maps together are more than was allowed: the one layer that has some, and the
    /// heads they are of, [1, heads, P, P, rows, rows]. -1: every layer has all of its own.
    int mapLayer = -1;
    std::vector<int> mapHeads;
    /// With `mapLayer`, what every row of every tile sums to, [1, H, P, rows, P] (head, p, row, r)
    /// a layer: of layers with pseudo-heads, whatever maps are kept. Else empty.
    std::vector<Tensor> rowMasses;
    /// What went into every layer, [1, rows, D], on the host: maps of others are made from it, and
    /// a run with other weights above it begins with it. Empty unless needed or asked for.
    std::vector<Tensor> residuals;
    /// Effective maps M [1, target, source, rows, rows] a layer (iha.md 4); empty unless asked for.
    /// A layer that has none (differential attention) has an empty tensor, and `noEffective` is the
    /// sentence that says why.
    std::vector<Tensor> effective;
    std::string noEffective;
    /// The true sequence for comparison; empty for a prompt without one.
    std::optional<Example> truth;
    /// First row whose chosen token differs from the true one; -1: none. In trueChain mode, the
    /// first row whose most probable token is wrong.
    int firstWrongRow = -1;
    double milliseconds = 0;      ///< forward pass with maps over all rows
    double stepMilliseconds = 0;  ///< median of a decoding step with the cache (0: none decoded)

    /// Logits of a row's slot, [V].
    std::span<const float> logits(int row, int slot = 0) const;
    /// Evidence positions of a row; empty where there is none.
    std::vector<int> evidence(int row) const;
};

struct ChainRequest {
    std::shared_ptr<const Model> model;
    ChainMode mode = ChainMode::trueChain;
    std::vector<int> prompt;       ///< token ids
    std::optional<Example> truth;  ///< for trueChain its tokens are fed, prompt included
    int maxSteps = 0;              ///< tokens to generate; 0: as long as the truth, or none
    bool effectiveMaps = false;    ///< also work out ChainRun::effective
    /// What of the pass is kept beside its logits: a deep model on a long prompt has no room for
    /// all of it. Maps of these layers only, empty: of all.
    bool maps = true, activations = true;
    std::vector<int> mapLayers;
    /// Bytes that the maps of all layers may take; 0: any number. Beyond it only those of `layer`
    /// are kept, and where they alone are too many, only those of `head` in it.
    std::int64_t mostMapBytes = 0;
    int layer = 0, head = 0;
    /// A run of this same request but for layer and head: nothing else is computed again.
    std::shared_ptr<const ChainRun> before;
    /// A run of this same request but for the numbers in the model's weights and for what is kept:
    /// its tokens are fed again whatever the model would say now, and the layers below the first
    /// one that differs are taken from it (semantics.md, edits).
    std::shared_ptr<const ChainRun> editOf;
    /// Of editOf only its tokens are taken: every layer is computed again, by another backend.
    bool allLayers = false;
    bool keepResiduals =
        false;  ///< ChainRun::residuals, so that an edit has something to begin with
    /// What is switched off. A model on its own then reads all of its tokens again at every step.
    Ablation ablation;
    std::function<void(double)> progress;  ///< share that is done: of the writing, of the layers
    SamplingParams sampling;
    std::uint64_t seed = 0;
    std::function<bool()> cancelled;
};

/// Runs a chain. Errors: an empty, over-long or out-of-vocabulary prompt (with the model's limits
/// in the sentence), a failing backend, interrupted.
Result<ChainRun> runChain(const ChainRequest& request, Backend& backend);

}  // namespace headloom
