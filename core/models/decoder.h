#pragma once

#include "core/backend/backend.h"
#include "core/models/attention_layer.h"
#include "core/models/kv_cache.h"
#include "core/models/layer_changes.h"
#include "core/models/trace.h"
#include "core/models/weights.h"

#include <functional>
#include <vector>

namespace headloom {

/// What a forward pass keeps and changes.
struct ForwardOptions {
    bool captureMaps = true;  ///< keep LayerTrace::maps
    /// Of these layers only; empty: of all. A map has H P^2 N^2 numbers, so a deep model on a long
    /// prompt has no room for all of them.
    std::vector<int> mapLayers;
    bool keepActivations = true;  ///< keep what `backward` needs; false: only maps and logits
    KvCache* cache = nullptr;     ///< append to this cache (batch of 1); rows start at its length
    /// What is done otherwise, one entry a layer (core/models/ablation.h); empty: nothing. Beyond
    /// the multiplier it needs all rows at once, without a cache.
    std::vector<LayerChanges> changes;
    /// Starts at this layer from what goes into it, [B, N, D] on the backend, instead of from the
    /// tokens: where only what comes after is different. The layers below are empty in the trace.
    int firstLayer = 0;
    Tensor input;
    /// What that layer computed in a pass that differs in the `changes` to its heads alone, with
    /// the same firstRow: what they leave as it was is taken from it. null: there is none. Batch of
    /// 1, and the maps of that layer are not captured.
    const LayerTrace* unchanged = nullptr;
    /// Only these rows and those after them are wanted of the logits, [1, N - firstRow, ...]: the
    /// last layer computes no others. Where above 0: batch of 1, no cache, and `changes` to the
    /// last layer that are the same at all tokens (sameAtAllTokens).
    std::int64_t firstRow = 0;
    /// Polled between layers; true ends the pass with Error::Kind::interrupted.
    std::function<bool()> cancelled;
    /// Called after every layer with all that it computed, whether it is kept or not.
    std::function<void(int layer, const LayerTrace& trace)> eachLayer;
};

/// Runs a configuration's weights on a backend. Keeps no state but handles to the weights, so one
/// Decoder serves any number of passes; the weights may be stepped by an optimizer in between.
/// Activations have the weights' floating type.
class Decoder {
  public:
    /// The weights must pass checkWeights and live on the backend (`place` moves them).
    Decoder(ModelConfig config, Weights weights, Backend& backend);

    const ModelConfig& config() const { return config_; }
    const Weights& weights() const { return weights_; }
    /// Whether a pass may be work for Backend::together: differential attention may not, as it
    /// reads the vectors of its lambda back from the backend.
    bool queuesAll() const;

    /// ids [B, N], or [B, N, K] where several tokens share a position (Backend::embed), i32 on the
    /// host. Errors: an id outside the vocabulary, more tokens than nCtx, no tokens, a failing
    /// backend, cancelled, renormalised changes of a kind that works on its maps.
    Result<ActivationTrace> forward(const Tensor& ids, const ForwardOptions& options = {}) const;

    /// The maps of single heads of a layer, one after the other, from the layer's input [1, N, D]
    /// on the backend (LayerTrace::residPre of a pass without a cache): what a long prompt leaves
    /// room for. maps [1, 1, P, P, N, N] are on the backend and overwritten by the next head's.
    /// `visit` returns false to end it as interrupted.
    Result<void> visitMaps(int layer, const Tensor& residPre, const std::vector<int>& heads,
                           const std::function<bool(int head, const Tensor& maps)>& visit) const;

    /// One row of a layer's maps, [1, H, P, P, 1, N] on the backend, from the layer's trace (as
    /// ForwardOptions::eachLayer sees it) of a pass over one sequence without a cache, which need
    /// not have captured its maps. Not of kinds that work on their maps. Throws BackendFailure.
    Tensor mapsOfRow(int layer, const LayerTrace& trace, int row) const;

    /// What each row of each tile sums to, [1, H, P, N, P] (head, p, row, r) on the backend: all of
    /// a layer's tile masses without its maps. Trace and errors as above.
    Tensor rowMasses(int layer, const LayerTrace& trace) const;

    /// Mean cross-entropy over the targets >= 0, each weighted by `weight` (1 / how many count,
    /// over the whole batch if this is a shard). targets [B, N, nSlots] i32 on the host. Gradients
    /// are added to `gradients`, one tensor a parameter in the order of weights(). The trace must
    /// be a full one (captured maps, kept activations, no cache, no multipliers) and of softmax or
    /// linear scores: hard scores have no gradient, which is refused.
    Result<double> backward(const ActivationTrace& trace, const Tensor& targets, double weight,
                            const Weights& gradients) const;

    /// Same loss, no gradients.
    Result<double> loss(const ActivationTrace& trace, const Tensor& targets, double weight) const;

  private:
    struct Layer {
        Tensor norm1Weight, norm1Bias;
        AttentionWeights attention;
        Tensor norm2Weight, norm2Bias, wIn, bIn, wOut, bOut, wGate, bGate;
    };
    struct Handles {
        Tensor embed, positions, normWeight, normBias, head, headBias;
        std::vector<Layer> layers;
    };
    static Handles handlesOf(const ModelConfig& config, const Weights& weights);

    /// x after a norm, whose weight is empty where the model has none; then x itself.
    Tensor normed(const Tensor& x, const Tensor& weight, const Tensor& bias,
                  Tensor& statistics) const;
    void normBackward(const Tensor& x, const Tensor& weight, const Tensor& statistics,
                      const Tensor& dNorm, const Tensor& dResid, const Tensor& dWeight,
                      const Tensor& dBias) const;
    Tensor forwardAttention(int index, const Tensor& x, const ForwardOptions& options,
                            LayerTrace& trace) const;
    Tensor forwardMlp(int index, const Tensor& x, const ForwardOptions& options,
                      LayerTrace& trace) const;
    void backwardAttention(int index, const LayerTrace& trace, const Tensor& dResid,
                           const Layer& gradients) const;
    void backwardMlp(int index, const LayerTrace& trace, const Tensor& dResid,
                     const Layer& gradients) const;
    /// ModelConfig::logitCap, by operators that are there: a mixing of one head is a factor.
    Tensor capped(const Tensor& logits) const;
    Result<void> checkInput(const Tensor& ids, const ForwardOptions& options) const;

    ModelConfig config_;
    Weights weights_;
    Handles handles_;
    Backend* backend_;
    Tensor intoCap_, outOfCap_;  ///< [1, 1, 1]; of a logitCap only
};

/// The weights on a backend: shared where the backend is the host, else its resident copies. They
/// must not be written again.
Weights place(const Weights& weights, Backend& backend);
Tensor place(const Tensor& tensor, Backend& backend);
/// A copy that may be uploaded in Backend::together.
Tensor pinned(const Tensor& host, Backend& backend);
/// Zeros of the same names and shapes, on the backend.
Weights zerosLike(const Weights& weights, Backend& backend);
/// A tensor in host memory: itself where the backend is the host.
Tensor onHost(const Tensor& tensor, Backend& backend);

}  // namespace headloom
