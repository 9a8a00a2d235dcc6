#pragma once

#include "core/base/error.h"
#include "core/tensor/tensor.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace headloom {

/// Which keys a query may see (paper section 3; iha "flat" is the paper's expanded causal mask).
enum class MaskKind {
    flat,   ///< causal over virtual tokens: token n, pseudo p sees (m, r) iff m*P + r <= n*P + p
    token,  ///< causal over tokens: sees every pseudo-token of tokens m <= n
    none    ///< everything
};

/// Which position the rotary embedding turns a pseudo-token by.
enum class PositionKind {
    virtualToken,  ///< n*P + p, each pseudo-token its own phase ("virtual" in files and on screen)
    token,         ///< n, shared by the P copies
    none           ///< no rotation
};

/// How scores become weights.
enum class ScoreKind {
    softmax,  ///< one softmax per pseudo-query over all N*P allowed pseudo-keys
    linear,   ///< scores used as they are, masked cells 0
    hard      ///< softmax at temperature -> 0, ties share equally; has no gradient
};

std::string_view nameOf(MaskKind kind);
std::string_view nameOf(PositionKind kind);
std::string_view nameOf(ScoreKind kind);
Result<MaskKind> maskFrom(std::string_view name);
Result<PositionKind> positionsFrom(std::string_view name);
Result<ScoreKind> scoreFrom(std::string_view name);

/// What an MLP does to a number.
enum class Activation {
    gelu,      ///< x * Phi(x), exact
    geluTanh,  ///< x / 2 * (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))), GPT-2's "gelu_new"
    relu,
    silu,         ///< x / (1 + exp(-x)), with a gate: "SwiGLU"
    reluSquared,  ///< max(0, x)^2
    tanh
};
std::string_view nameOf(Activation kind);  ///< "gelu", "gelu-tanh", "relu-squared", ...
Result<Activation> activationFrom(std::string_view name);

/// Rotary embedding of the first w = `width` components of a head in half-split pairs (i, i + w/2)
/// with frequency theta^(-2i/w) / divisors[i]; the components after them stay. Interleaved pairs
/// (2i, 2i + 1) are the same rotation with the columns of W_Q and W_K in another order, which is
/// how a loader brings them here.
struct RotaryParams {
    PositionKind positions = PositionKind::virtualToken;
    double theta = 10000.0;
    double factor = 1.0;     ///< multiplies the position (MHA at factor P has IHA's virtual angles)
    std::int64_t start = 0;  ///< token index of row 0, for appending to a KV cache
    bool inverse = false;    ///< turn back: the gradient of the rotation
    std::int64_t width = 0;  ///< even; 0: the whole head
    std::vector<double> divisors =
        {};  ///< one a pair, for contexts longer than trained on; empty: 1

    std::int64_t widthFor(std::int64_t dHead) const { return width > 0 ? width : dHead; }
    /// Radians a token turns pair i by.
    double frequency(std::int64_t pair, std::int64_t dHead) const;
};

/// Everything one attention operator needs beside its tensors. Ablation, decoding and capture are
/// parameters here so that no feature goes round the seam.
struct AttentionParams {
    MaskKind mask = MaskKind::flat;
    ScoreKind score = ScoreKind::softmax;
    std::int64_t window = 0;      ///< tokens a query sees, its own included; 0: no window
    double scale = 0.0;           ///< factor on q.k; 0: 1/sqrt(dHead)
    std::int64_t queryStart = 0;  ///< token index of query row 0 (keys always start at token 0)
    std::int64_t keyCount = 0;    ///< rows of k and v in use (a cache has room for more); 0: all
    /// Optional factor on the weights after the softmax, [H, P, P, Nq, Nk] where each axis is
    /// either full or 1. Rows are not renormalised unless `renormalise`, which instead masks the
    /// cells whose factor is 0 before the softmax and ignores other values.
    Tensor multiplier;
    bool renormalise = false;

    double scaleFor(std::int64_t dHead) const;
};

/// Whether query (token n, pseudo p) may see key (token m, pseudo r); P pseudo-heads.
/// Window: |n - m| < window on both sides (iha.md 2).
bool allows(const AttentionParams& params, std::int64_t nPseudo, std::int64_t n, std::int64_t p,
            std::int64_t m, std::int64_t r);

enum class NormKind { rms, layer };

/// One AdamW update (Loshchilov & Hutter 2019, decoupled decay).
struct AdamWParams {
    double learningRate = 1e-3;
    double beta1 = 0.9;
    double beta2 = 0.999;
    double epsilon = 1e-8;
    double weightDecay = 0.0;
    double gradientScale = 1.0;  ///< multiplies the gradient first (clipping)
    std::int64_t step = 1;       ///< counts from 1, for bias correction
};

}  // namespace headloom
