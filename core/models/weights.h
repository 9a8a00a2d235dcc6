#pragma once

#include "core/models/config.h"
#include "core/tensor/tensor.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headloom {

/// Named tensors in the order of `weightSpecs`. Copies share memory; `clone` does not.
class Weights {
  public:
    void add(std::string name, Tensor tensor);
    /// Empty Tensor where there is none of that name.
    Tensor find(std::string_view name) const;
    /// Replaces the handle of an existing name.
    void replace(std::string_view name, Tensor tensor);

    const std::vector<std::pair<std::string, Tensor>>& entries() const { return entries_; }
    std::int64_t parameterCount() const;
    Weights clone() const;

  private:
    std::vector<std::pair<std::string, Tensor>> entries_;
};

/// What kind of parameter a tensor is: decides its initialisation and its weight decay.
enum class WeightRole {
    embedding,
    position,
    matrix,
    bias,
    normScale,
    normShift,
    mixing,
    collapse,
    lambda  ///< one of the four vectors that make a differential layer's lambda
};

struct WeightSpec {
    std::string name;  ///< TransformerLens name, "blocks.0.attn.W_Q"
    Shape shape;
    WeightRole role;
    std::int64_t fanIn = 0;  ///< of matrices and biases
};

/// Every parameter of a configuration, in file order. Vectors multiply from the left (x W):
/// W_Q/W_K/W_V [H, D, d], W_O [H, d, D], alpha_Q/alpha_K/alpha_V [source, target, P],
/// R [H, H*P] or [H, P]; IHA-lite: alpha_* [source, target]; talking heads: mix_L and mix_W
/// [source, target]; differential: W_Q, W_K [2H, D, d/2], lambda_Q1, lambda_K1, lambda_Q2,
/// lambda_K2 [d/2], ln_z.w [d] (core/models/map_attention.h). Biases b_Q, b_K, b_V [H or G, d] and
/// b_O [D]; norms of q and k ln_q.w, ln_k.w [d]. mlp.W_gate and W_in [D, M], W_out [M, D],
/// unembed.W_U [D, nSlots * nClasses].
std::vector<WeightSpec> weightSpecs(const ModelConfig& config);

/// Where alpha and R start; alpha is always the identity, 1(source = target) for every pseudo-head.
enum class MixingStart {
    identity,       ///< exactly; R = 1/P on the own pseudo-heads. The P copies then stay copies
    identityNoise,  ///< the same with noise on every entry of alpha and of R (default)
    mean,           ///< noise on alpha, R = 1/P exactly
    selectFirst,    ///< noise on alpha, R takes pseudo-head 0 of its own head and nothing else
    selectLast      ///< the same with pseudo-head P - 1: without noise and rotary positions, flat
                    ///< masked IHA is then MHA (iha.md 3)
};
/// "identity", "identity+noise", "mean", "select-first", "select-last".
std::string_view nameOf(MixingStart start);
std::vector<std::string> mixingStartNames();
Result<MixingStart> mixingStartFrom(std::string_view name);

/// How mixing starts. Pseudo-heads that start as exact copies stay copies where nothing tells them
/// apart (tasks.md 6), so the default breaks the symmetry.
struct MixingInit {
    MixingStart start = MixingStart::identityNoise;
    double alphaNoise = 0.3;     ///< deviation of the noise on alpha; unused by `identity`
    double collapseNoise = 0.3;  ///< of the noise on R; used by `identityNoise` alone
};

/// Embeddings N(0, 0.5^2); linear weights and biases uniform in +-1/sqrt(fanIn); norms 1 and 0;
/// mixing as `mixing`; lambda vectors N(0, 0.1^2) (Ye et al. 2024). Float32, a pure function of the
/// seed.
Weights initialWeights(const ModelConfig& config, std::uint64_t seed,
                       const MixingInit& mixing = {});

/// Names, shapes and float32 as `weightSpecs` says; the sentence names the first tensor that is
/// missing, unexpected or of another shape.
Result<void> checkWeights(const ModelConfig& config, const Weights& weights);

}  // namespace headloom
