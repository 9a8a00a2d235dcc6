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

/// Backwards through mixing and projection: dMixed [B, H, P, N, d] to the gradients of alpha, W and
/// the layer's input.
void projectBackward(const Tensor& x, const Tensor& w, const Tensor& alpha, const Tensor& base,
                     const Tensor& dMixed, const Tensor& dX, const Tensor& dW, const Tensor& dAlpha,
                     Backend& backend) {
    const Shape projected{x.size(0), w.size(0), x.size(1), w.size(2)};
    if (!alpha) return backend.projectHeadsBackward(x, w, dMixed.reshaped(projected), dX, dW);
    const Tensor dBase = backend.allocate(projected, x.dtype());
    backend.zero(dBase);
    backend.mixHeadsBackward(base, alpha, dMixed, dBase, dAlpha);
    backend.projectHeadsBackward(x, w, dBase, dX, dW);
}

}  // namespace

Result<double> Decoder::loss(const ActivationTrace& trace, const Tensor& targets,
                             double weight) const {
    return guarded([&]() -> Result<double> {
        const std::int64_t predictions = targets.count();
        return backend_->crossEntropy(trace.logits.reshaped({predictions, config_.dVocab}),
                                      placedTargets(targets, *backend_), weight, {});
    });
}

Result<double> Decoder::backward(const ActivationTrace& trace, const Tensor& targets, double weight,
                                 const Weights& gradients) const {
    for (const LayerConfig& layer : config_.layers)
        if (layer.score == ScoreKind::hard)
            return fail(Error::Kind::unsupported, "training", "hard scores have no gradient",
                        "train with softmax or linear scores");
    return guarded([&]() -> Result<double> {
        const Handles grads = handlesOf(config_, gradients);
        const std::int64_t predictions = targets.count();
        const Tensor dLogits = backend_->allocate(trace.logits.shape(), trace.logits.dtype());
        const double loss = backend_->crossEntropy(
            trace.logits.reshaped({predictions, config_.dVocab}), placedTargets(targets, *backend_),
            weight, dLogits.reshaped({predictions, config_.dVocab}));

        const Tensor dNorm = zeros(trace.normFinal, *backend_);
        backend_->linearBackward(flat(trace.normFinal), handles_.head, flat(dLogits), flat(dNorm),
                                 grads.head, grads.headBias);
        // One tensor carries the gradient of the residual stream down through all layers: each
        // sub-layer adds its own contribution, as the residual connection adds on the way up.
        const Tensor dResid = zeros(trace.residFinal, *backend_);
        backend_->normBackward(config_.norm, flat(trace.residFinal), handles_.normWeight,
                               trace.statisticsFinal, flat(dNorm), flat(dResid), grads.normWeight,
                               grads.normBias);
        for (int i = config_.nLayers() - 1; i >= 0; --i) {
            const auto at = static_cast<std::size_t>(i);
            if (config_.dMlp > 0) backwardMlp(i, trace.layers[at], dResid, grads.layers[at]);
            backwardAttention(i, trace.layers[at], dResid, grads.layers[at]);
        }
        backend_->embedBackward(trace.ids, dResid, grads.embed, grads.positions);
        return loss;
    });
}

void Decoder::backwardMlp(int index, const LayerTrace& trace, const Tensor& dResid,
                          const Layer& grads) const {
    const Layer& w = handles_.layers[static_cast<std::size_t>(index)];
    const Tensor dPost = zeros(trace.mlpPost, *backend_);
    backend_->linearBackward(flat(trace.mlpPost), w.wOut, flat(dResid), flat(dPost), grads.wOut,
                             grads.bOut);
    const Tensor dPre = zeros(trace.mlpPre, *backend_);
    backend_->geluBackward(trace.mlpPre, dPost, dPre);
    const Tensor dNorm = zeros(trace.norm2, *backend_);
    backend_->linearBackward(flat(trace.norm2), w.wIn, flat(dPre), flat(dNorm), grads.wIn,
                             grads.bIn);
    backend_->normBackward(config_.norm, flat(trace.residMid), w.norm2Weight, trace.statistics2,
                           flat(dNorm), flat(dResid), grads.norm2Weight, grads.norm2Bias);
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
                             g.wO.reshaped({heads * d, width}), {});
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
        const RotaryParams back{layer.positions, config_.ropeTheta, layer.positionFactor, 0, true};
        backend_->rotate(back, dQ);
        backend_->rotate(back, dK);
    }
    const Tensor dNorm = zeros(trace.norm1, *backend_);
    projectBackward(trace.norm1, w.wQ, w.alphaQ, trace.q, dQ, dNorm, g.wQ, g.alphaQ, *backend_);
    projectBackward(trace.norm1, w.wK, w.alphaK, trace.k, dK, dNorm, g.wK, g.alphaK, *backend_);
    projectBackward(trace.norm1, w.wV, w.alphaV, trace.v, dV, dNorm, g.wV, g.alphaV, *backend_);
    backend_->normBackward(config_.norm, flat(trace.residPre), handles_.layers[at].norm1Weight,
                           trace.statistics1, flat(dNorm), flat(dResid), grads.norm1Weight,
                           grads.norm1Bias);
}

}  // namespace headloom
