#include "core/models/decoder.h"
#include "core/models/guarded.h"
#include "core/models/map_attention.h"

#include <cassert>

namespace headloom {

namespace {

Tensor flat(const Tensor& x) {
    return x.reshaped({x.size(0) * x.size(1), x.size(2)});
}

Tensor zeros(const Tensor& like, Backend& backend) {
    const Tensor made = backend.allocate(like.shape(), like.dtype());
    backend.zero(made);
    return made;
}

/// Targets [B, N, nSlots] as [B*N*nSlots], on the backend.
Tensor placedTargets(const Tensor& targets, Backend& backend) {
    const Tensor rows = targets.reshaped({targets.count()});
    if (backend.info().isHost) return rows;
    const Tensor placed = backend.allocate(rows.shape(), DType::i32);
    backend.upload(rows, placed);
    return placed;
}

/// One of q, k, v on its way from the layer's input, with its weights (or their gradients).
struct Path {
    Tensor w, bias, norm, alpha;
};

/// Backwards through mixing, the norm of each head and projection: dMixed [B, H, P, N, d] to the
/// gradients of the path's weights and of the layer's input. `base` is what was mixed, `projected`
/// and `statistics` those of the norm.
void projectBackward(const Tensor& x, const Path& path, const Tensor& base, const Tensor& projected,
                     const Tensor& statistics, const Tensor& dMixed, const Tensor& dX,
                     const Path& gradient, Backend& backend) {
    const Shape shape{x.size(0), path.w.size(0), x.size(1), path.w.size(2)};
    Tensor dHeads = dMixed;
    if (path.alpha) {
        dHeads = backend.allocate(shape, x.dtype());
        backend.zero(dHeads);
        backend.mixHeadsBackward(base, path.alpha, dMixed, dHeads, gradient.alpha);
    }
    if (path.norm) {
        const Shape rows{statistics.size(0), shape[3]};
        const Tensor dNormed = dHeads.reshaped(rows);
        dHeads = backend.allocate(shape, x.dtype());
        backend.zero(dHeads);
        backend.normBackward(NormKind::rms, projected.reshaped(rows), path.norm, statistics,
                             dNormed, dHeads.reshaped(rows), gradient.norm, {});
    }
    backend.projectHeadsBackward(x, path.w, dHeads.reshaped(shape), dX, gradient.w, gradient.bias);
}

}  // namespace

Result<double> Decoder::loss(const ActivationTrace& trace, const Tensor& targets,
                             double weight) const {
    return guarded([&]() -> Result<double> {
        const std::int64_t predictions = targets.count();
        return backend_->crossEntropy(trace.logits.reshaped({predictions, config_.nClasses()}),
                                      placedTargets(targets, *backend_), weight, {});
    });
}

Result<double> Decoder::backward(const ActivationTrace& trace, const Tensor& targets, double weight,
                                 const Weights& gradients) const {
    for (const LayerConfig& layer : config_.layers)
        if (layer.score == ScoreKind::hard)
            return fail(Error::Kind::unsupported, "training", "hard scores have no gradient",
                        "train with softmax or linear scores");
    if (config_.qkNormLast || config_.logitCap > 0)
        return fail(Error::Kind::unsupported, "training",
                    "there is no gradient through a norm of rotated queries and keys, nor through "
                    "capped logits",
                    "look at the model, or train one without them");
    return guarded([&]() -> Result<double> {
        const Handles grads = handlesOf(config_, gradients);
        const std::int64_t predictions = targets.count();
        const Tensor dLogits = backend_->allocate(trace.logits.shape(), trace.logits.dtype());
        const double loss =
            backend_->crossEntropy(trace.logits.reshaped({predictions, config_.nClasses()}),
                                   placedTargets(targets, *backend_), weight,
                                   dLogits.reshaped({predictions, config_.nClasses()}));

        const Tensor dNorm = zeros(trace.normFinal, *backend_);
        if (config_.tiedHead)
            backend_->linearTransposedBackward(flat(trace.normFinal), handles_.head, flat(dLogits),
                                               flat(dNorm), grads.head, grads.headBias);
        else
            backend_->linearBackward(flat(trace.normFinal), handles_.head, flat(dLogits),
                                     flat(dNorm), grads.head, grads.headBias);
        // One tensor carries the gradient of the residual stream down through all layers: each
        // sub-layer adds its own contribution, as the residual connection adds on the way up.
        const Tensor dResid = zeros(trace.residFinal, *backend_);
        normBackward(trace.residFinal, handles_.normWeight, trace.statisticsFinal, dNorm, dResid,
                     grads.normWeight, grads.normBias);
        for (int i = config_.nLayers() - 1; i >= 0; --i) {
            const auto at = static_cast<std::size_t>(i);
            if (config_.dMlp > 0) backwardMlp(i, trace.layers[at], dResid, grads.layers[at]);
            backwardAttention(i, trace.layers[at], dResid, grads.layers[at]);
        }
        backend_->embedBackward(trace.ids, dResid, grads.embed, grads.positions);
        return loss;
    });
}

void Decoder::normBackward(const Tensor& x, const Tensor& weight, const Tensor& statistics,
                           const Tensor& dNorm, const Tensor& dResid, const Tensor& dWeight,
                           const Tensor& dBias) const {
    if (!weight) return backend_->add(dNorm, dResid);
    backend_->normBackward(config_.norm, flat(x), weight, statistics, flat(dNorm), flat(dResid),
                           dWeight, dBias);
}

void Decoder::backwardMlp(int index, const LayerTrace& trace, const Tensor& dResid,
                          const Layer& grads) const {
    const Layer& w = handles_.layers[static_cast<std::size_t>(index)];
    const Tensor& hidden = config_.gatedMlp ? trace.mlpGated : trace.mlpPost;
    const Tensor dHidden = zeros(hidden, *backend_);
    backend_->linearBackward(flat(hidden), w.wOut, flat(dResid), flat(dHidden), grads.wOut,
                             grads.bOut);
    const Tensor dNorm = zeros(trace.norm2, *backend_), dPre = zeros(trace.mlpPre, *backend_);
    if (config_.gatedMlp) {
        const Tensor dPost = zeros(hidden, *backend_), dLinear = zeros(hidden, *backend_);
        backend_->gateBackward(trace.mlpPost, trace.mlpLinear, dHidden, dPost, dLinear);
        backend_->activateBackward(config_.activation, trace.mlpPre, dPost, dPre);
        backend_->linearBackward(flat(trace.norm2), w.wGate, flat(dPre), flat(dNorm), grads.wGate,
                                 grads.bGate);
        backend_->linearBackward(flat(trace.norm2), w.wIn, flat(dLinear), flat(dNorm), grads.wIn,
                                 grads.bIn);
    } else {
        backend_->activateBackward(config_.activation, trace.mlpPre, dHidden, dPre);
        backend_->linearBackward(flat(trace.norm2), w.wIn, flat(dPre), flat(dNorm), grads.wIn,
                                 grads.bIn);
    }
    normBackward(trace.residMid, w.norm2Weight, trace.statistics2, dNorm, dResid, grads.norm2Weight,
                 grads.norm2Bias);
}

void Decoder::backwardAttention(int index, const LayerTrace& trace, const Tensor& dResid,
                                const Layer& grads) const {
    const auto at = static_cast<std::size_t>(index);
    const AttentionWeights &w = handles_.layers[at].attention, &g = grads.attention;
    const LayerConfig& layer = config_.layers[at];
    assert(trace.maps && trace.norm1);

    const std::int64_t rows = trace.z.size(0) * trace.z.size(1), heads = trace.z.size(2),
                       d = trace.z.size(3), width = config_.dModel;
    const Tensor dZ = zeros(trace.z, *backend_);
    backend_->linearBackward(trace.z.reshaped({rows, heads * d}), w.wO.reshaped({heads * d, width}),
                             flat(dResid), dZ.reshaped({rows, heads * d}),
                             g.wO.reshaped({heads * d, width}), g.bO);
    const Tensor dQ = zeros(trace.mixedQ, *backend_), dK = zeros(trace.mixedK, *backend_),
                 dV = zeros(trace.mixedV, *backend_);
    const AttentionParams params = attentionParams(layer);
    if (worksOnMaps(w)) {
        attendOverMapsBackward(params, w, trace, dZ, g, dQ, dK, dV, *backend_);
    } else {
        const Tensor dY = zeros(trace.y, *backend_);
        backend_->collapseBackward(trace.y, w.r, dZ, dY, g.r);
        backend_->attentionBackward(params, trace.mixedQ, trace.mixedK, trace.mixedV, trace.maps,
                                    dY, dQ, dK, dV);
    }
    if (layer.positions != PositionKind::none) {
        RotaryParams back = rotaryParams(config_, layer);
        back.inverse = true;
        backend_->rotate(back, dQ);
        backend_->rotate(back, dK);
    }
    const Tensor dNorm = zeros(trace.norm1, *backend_);
    projectBackward(trace.norm1, {w.wQ, w.bQ, w.normQ, w.alphaQ}, trace.q, trace.projectedQ,
                    trace.statisticsQ, dQ, dNorm, {g.wQ, g.bQ, g.normQ, g.alphaQ}, *backend_);
    projectBackward(trace.norm1, {w.wK, w.bK, w.normK, w.alphaK}, trace.k, trace.projectedK,
                    trace.statisticsK, dK, dNorm, {g.wK, g.bK, g.normK, g.alphaK}, *backend_);
    projectBackward(trace.norm1, {w.wV, w.bV, {}, w.alphaV}, trace.v, {}, {}, dV, dNorm,
                    {g.wV, g.bV, {}, g.alphaV}, *backend_);
    normBackward(trace.residPre, handles_.layers[at].norm1Weight, trace.statistics1, dNorm, dResid,
                 grads.norm1Weight, grads.norm1Bias);
}

}  // namespace headloom
