#pragma once

#include "core/backend/params.h"
#include "core/base/error.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace headloom {

/// How a layer attends. Grouped-query attention is MHA with fewer key/value heads than heads.
enum class AttentionKind {
    mha,
    iha,           ///< iha.md 2
    ihaLite,       ///< mixing [H, H] of q, k and v, no pseudo-heads, no R: a folded MHA (iha.md 3)
    talkingHeads,  ///< logits and weights mixed across heads (core/models/map_attention.h)
    differential   ///< the difference of two softmaxes a head (core/models/map_attention.h)
};
/// "mha", "iha", "iha-lite", "talking-heads", "differential".
std::string_view nameOf(AttentionKind kind);
std::vector<AttentionKind> attentionKinds();
Result<AttentionKind> attentionKindFrom(std::string_view name);
std::string_view nameOf(NormKind kind);  // "rms", "layer"

/// How the P outputs of the pseudo-heads become one head again (iha.md 2, step 5).
enum class CollapseKind {
    full,    ///< R [H, H*P]: every head may read every pseudo-head (default)
    perHead  ///< R [H, P]: a head reads its own pseudo-heads
};
std::string_view nameOf(CollapseKind kind);  // "full", "per-head"

/// One attention layer. For all kinds but IHA nPseudo is 1, the masks flat and token coincide, and
/// `virtual` positions are token positions.
struct LayerConfig {
    AttentionKind kind = AttentionKind::mha;
    int nPseudo = 1;
    MaskKind mask = MaskKind::token;
    PositionKind positions = PositionKind::none;  ///< rotary; none: no rotation in this layer
    double positionFactor = 1.0;                  ///< multiplies rotary positions ("pm2": 2)
    CollapseKind collapse = CollapseKind::full;
    ScoreKind score = ScoreKind::softmax;
    int window = 0;         ///< tokens, own included; 0: none
    double scoreScale = 0;  ///< factor on q.k; 0: 1/sqrt(d)
};

/// A pre-norm decoder: x += Attention(norm(x)); x += MLP(norm(x)) if dMlp > 0; norm; linear head.
/// The defaults are our own models; the switches behind them are what other people's need.
struct ModelConfig {
    int dModel = 0;
    int nHeads = 0;
    int nKvHeads = 0;   ///< key/value heads, a divisor of nHeads; 0: as many as nHeads
    int headWidth = 0;  ///< d where it is not D/H; 0: D/H
    int dMlp = 0;       ///< hidden width of the MLP; 0: no MLP
    int dVocab = 0;
    /// Answers are among the first so many tokens of the vocabulary; 0: among all.
    int dVocabOut = 0;
    int nCtx = 0;    ///< longest input in tokens
    int nSlots = 1;  ///< predictions a token makes; the head is dModel -> nSlots * nClasses()
    NormKind norm = NormKind::rms;
    double normEpsilon = 1e-5;
    bool learnedPositions = false;
    bool headBias = true;  ///< bias of the linear head
    double ropeTheta = 10000.0;

    Activation activation = Activation::gelu;
    bool gatedMlp = false;  ///< W_out (act(x W_gate) * (x W_in)) instead of W_out act(x W_in)
    bool mlpBias = true;    ///< of all matrices of the MLP
    bool qBias = false, kBias = false, vBias = false;  ///< one number a head and component
    bool oBias = false;                                ///< of what W_O writes
    bool qkNorm = false;      ///< RMSNorm of every head's q and k, before mixing and rotation
    bool qkNormLast = false;  ///< that norm after both instead, on every pseudo-head
    bool normBias = true;     ///< LayerNorm has a shift
    bool blockNorms = true;   ///< false: attention and MLP read the residual stream as it is
    bool finalNorm = true;
    double logitCap = 0;               ///< c: logits are c tanh(x / c) of the head's x; 0: x itself
    bool tiedHead = false;             ///< the head is W_E, transposed; nSlots 1, all tokens
    int rotaryWidth = 0;               ///< RotaryParams::width
    std::vector<double> ropeDivisors;  ///< RotaryParams::divisors

    std::vector<LayerConfig> layers;

    int dHead() const { return headWidth > 0 ? headWidth : nHeads > 0 ? dModel / nHeads : 0; }
    int kvHeads() const { return nKvHeads > 0 ? nKvHeads : nHeads; }
    int nClasses() const { return dVocabOut > 0 ? dVocabOut : dVocab; }
    int nLayers() const { return static_cast<int>(layers.size()); }
    /// False where a mask is `none`: such a model has no order to decode in and no KV cache.
    bool causal() const;
    /// What a reader calls the layer's kind: "MHA", "GQA" (grouped), "MQA" (one group), "IHA",
    /// "IHA-lite", "talking heads", "differential attention".
    std::string_view kindWords(const LayerConfig& layer) const;
    /// "MHA, 1 layer, 2 heads of 16", "IHA, 1 layer, 2 heads x 2 pseudo-heads of 16" or
    /// "GQA, 1 layer, 4 query heads on 2 key/value heads of 8".
    std::string summary() const;
};

/// The first thing that makes a configuration impossible, as a sentence with a remedy.
Result<void> validate(const ModelConfig& config);

/// JSON text with the field names above; `fromJson` refuses unknown enum names and wrong types, and
/// validates. Missing fields take their defaults.
std::string toJson(const ModelConfig& config);
Result<ModelConfig> configFromJson(std::string_view text);

}  // namespace headloom
