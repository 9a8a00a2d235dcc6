#pragma once

#include "core/models/attention_layer.h"
#include "core/models/weights.h"

#include <string>
#include <vector>

namespace headloom {

/// One layer of linear attention that is to learn a bank of graph filters (iha.md 6): from X [N, d]
/// to [X, A X, .., A^(k-1) X]. Queries and keys come from the node's one-hot position, so W_Q and
/// W_K are the queries and keys, and all samples share one set of maps. No mask, no scale.
struct FilterConfig {
    AttentionKind kind = AttentionKind::mha;
    int nHeads = 2;
    int nPseudo = 1;
    int order = 4;   ///< k, how many powers of A
    int nNodes = 8;  ///< N
    int dNode = 2;   ///< d, numbers a node

    int width() const { return order * dNode; }      ///< of the output
    int dValue() const { return width() / nHeads; }  ///< of a head
    /// "MHA, 2 heads" or "IHA, 2 heads x 2 pseudo-heads".
    std::string summary() const;
};

/// The first thing that makes a configuration impossible, as a sentence with a remedy.
Result<void> validate(const FilterConfig& config);

/// attn.W_Q and attn.W_K [H, N, N], attn.W_V [H, d, kd/H], attn.alpha_Q, alpha_K, alpha_V
/// [source, target, P] and attn.R [H, H*P] (IHA), attn.W_O [H, kd/H, kd].
std::vector<WeightSpec> weightSpecs(const FilterConfig& config);
/// Matrices N(0, 1/fanIn), mixing as in any IHA layer. Float32, a pure function of the seed.
Weights initialWeights(const FilterConfig& config, std::uint64_t seed, const MixingInit& mixing);

/// The layer with weights on a backend. A batch of B samples stands side by side in the values:
/// B * kd/H wide. Its functions throw BackendFailure.
class FilterModel {
  public:
    /// `weights` in the order of weightSpecs, float32 or float64; they are read at every call.
    FilterModel(const FilterConfig& config, Weights weights, Backend& backend);

    /// x [N, B, d] on the backend. In the result the batch axis has size 1; v, mixedV and y are
    /// B * kd/H wide, z is [1, N*B, H, kd/H], out [N*B, kd].
    AttentionLayerResult forward(const Tensor& x) const;
    /// Adds the gradients to those given (named as the weights). dOut [N*B, kd].
    void backward(const Tensor& x, const AttentionLayerResult& trace, const Tensor& dOut,
                  const Weights& gradients) const;

    /// Pseudo-head tiles [H, P, P, N, N], on the host.
    Tensor maps() const;
    /// M[g, m], [H, H, N, N], on the host (iha.md 4).
    Tensor effectiveMaps() const;

    const Weights& weights() const { return weights_; }

  private:
    static AttentionWeights handlesOf(const Weights& weights);
    /// Queries, keys and maps, which no sample changes; values of width e.
    void attend(const Tensor& values, AttentionLayerResult& out) const;

    FilterConfig config_;
    Weights weights_;
    AttentionWeights handles_;
    Backend* backend_;
};

}  // namespace headloom
