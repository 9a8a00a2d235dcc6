#pragma once

#include "core/backend/backend.h"
#include "core/models/config.h"

namespace headloom {

struct LayerChanges;

/// The weights of one attention layer: those that its kind has, the others empty. wO may be empty
/// (the heads are then only concatenated).
struct AttentionWeights {
    Tensor wQ, wK, wV;              ///< [H or G, D, d]; differential: wQ, wK [2H, D, d/2]
    Tensor alphaQ, alphaK, alphaV;  ///< [source, target, P]; IHA-lite: P = 1 and no r
    Tensor r;                       ///< [H, H*P] or [H, P]
    Tensor wO;                      ///< [H, d, D]
    Tensor bQ, bK, bV;              ///< [H or G, d]; may be empty
    Tensor bO;                      ///< [D]; may be empty
    Tensor normQ, normK;            ///< scales [d] of the norms of q and k; may be empty
    double normEpsilon = 0;         ///< of these norms
    bool normLast = false;          ///< after mixing and rotation, not before both
    Tensor mixLogits, mixWeights;   ///< talking heads: [source, target, 1]
    Tensor lambdaQ1, lambdaK1, lambdaQ2, lambdaK2;  ///< differential: [d/2]
    Tensor normZ;                                   ///< differential: [d]
    double lambdaInit = 0;                          ///< differential: fixed by the layer's depth
};

/// What the layer alone computes: x -> heads -> mix -> rotate -> attend -> collapse -> W_O.
struct AttentionLayerResult {
    Tensor q, k, v, mixedQ, mixedK, mixedV;                   ///< as in LayerTrace
    Tensor projectedQ, projectedK, statisticsQ, statisticsK;  ///< as in LayerTrace
    Tensor maps;                                              ///< [B, H, P, P, N, N]
    Tensor scores, pattern;                                   ///< as in LayerTrace
    Tensor y, z;                                              ///< [B, H, P, N, d], [B, N, H, d]
    Tensor normZ, statisticsZ;                                ///< as in LayerTrace
    Tensor out;                                               ///< [B, N, D]
};

/// The two halves of a layer, between which a decoder puts its key and value cache. The first fills
/// q, k, v and mixedQ, mixedK, mixedV for the rows of x; queries only from `firstQuery` on, which
/// is above 0 with a batch of 1 only.
void projectAndRotate(const RotaryParams& rotary, const AttentionWeights& weights, const Tensor& x,
                      AttentionLayerResult& out, Backend& backend, std::int64_t firstQuery = 0);
/// The second fills maps (if `capture`), y, z and out from mixedQ, mixedK, mixedV. `changes` other
/// than the multiplier of `params` need all keys in mixedK, without a cache. `unchangedY` is y as
/// it is without `changes`: then only the heads that they change are computed (changedHeads; batch
/// of 1, no kind that works on its maps, no capture).
void attendAndCollapse(const AttentionParams& params, bool capture, const AttentionWeights& weights,
                       const LayerChanges& changes, AttentionLayerResult& out, Backend& backend,
                       const Tensor& unchangedY = {});
/// Rows `first` and above of [1, N, D], same memory.
Tensor rowsFrom(const Tensor& x, std::int64_t first);
/// One head of [1, H, P, N, d], same memory.
Tensor onlyHead(const Tensor& heads, std::int64_t index);
/// Mask, score, window and scale of a layer, as the operator takes them.
AttentionParams attentionParams(const LayerConfig& layer);
/// A layer's rotation, whose first row is token `start`.
RotaryParams rotaryParams(const ModelConfig& config, const LayerConfig& layer,
                          std::int64_t start = 0);

/// One layer on its own, as in a layer file (semantics.md): x [B, N, D]. Any floating type that the
/// backend has.
AttentionLayerResult runAttentionLayer(const LayerConfig& layer, double ropeTheta,
                                       const AttentionWeights& weights, const Tensor& x,
                                       Backend& backend);

}  // namespace headloom
