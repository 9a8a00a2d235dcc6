#include "core/models/attention_layer.h"

#include "core/models/map_attention.h"

namespace headloom {

namespace {

/// x W, then (IHA) mixed into pseudo-heads: base [B, G, N, d] and mixed [B, H, P, N, d]. For MHA
/// the mixed tensor is the projection itself with P = 1.
void project(const Tensor& x, const Tensor& w, const Tensor& alpha, Tensor& base, Tensor& mixed,
             Backend& backend) {
    const std::int64_t batch = x.size(0), rows = x.size(1), heads = w.size(0), d = w.size(2);
    const Tensor projected = backend.allocate({batch, heads, rows, d}, x.dtype());
    backend.projectHeads(x, w, projected);
    if (!alpha) {
        mixed = projected.reshaped({batch, heads, 1, rows, d});
        return;
    }
    base = projected;
    mixed = backend.allocate({batch, alpha.size(1), alpha.size(2), rows, d}, x.dtype());
    backend.mixHeads(base, alpha, mixed);
}

}  // namespace

void projectAndRotate(const LayerConfig& layer, double ropeTheta, std::int64_t start,
                      const AttentionWeights& weights, const Tensor& x, AttentionLayerResult& out,
                      Backend& backend) {
    project(x, weights.wQ, weights.alphaQ, out.q, out.mixedQ, backend);
    project(x, weights.wK, weights.alphaK, out.k, out.mixedK, backend);
    project(x, weights.wV, weights.alphaV, out.v, out.mixedV, backend);
    if (layer.positions == PositionKind::none) return;
    const RotaryParams rotary{layer.positions, ropeTheta, layer.positionFactor, start, false};
    backend.rotate(rotary, out.mixedQ);
    backend.rotate(rotary, out.mixedK);
}

namespace {

void attend(const AttentionParams& params, bool capture, AttentionLayerResult& out,
            Backend& backend) {
    const Tensor& q = out.mixedQ;
    const std::int64_t batch = q.size(0), heads = q.size(1), pseudo = q.size(2), rows = q.size(3),
                       keys = params.keyCount > 0 ? params.keyCount : out.mixedK.size(3),
                       d = out.mixedV.size(4);
    if (capture) out.maps = backend.allocate({batch, heads, pseudo, pseudo, rows, keys}, q.dtype());
    out.y = backend.allocate({batch, heads, pseudo, rows, d}, q.dtype());
    backend.attention(params, q, out.mixedK, out.mixedV, out.y, out.maps);
}

}  // namespace

void attendAndCollapse(const AttentionParams& params, bool capture, const AttentionWeights& weights,
                       AttentionLayerResult& out, Backend& backend) {
    const bool overMaps = worksOnMaps(weights);
    if (overMaps)
        attendOverMaps(params, weights, out, backend);
    else
        attend(params, capture, out, backend);
    if (!capture) out.maps = {};
    const std::int64_t batch = out.y.size(0), heads = out.y.size(1), rows = out.y.size(3),
                       d = out.y.size(4);
    out.z = backend.allocate({batch, rows, heads, d}, out.y.dtype());
    if (overMaps)
        collapseOverMaps(weights, out, backend);
    else
        backend.collapse(out.y, weights.r, out.z);
    if (!weights.wO) {
        out.out = out.z.reshaped({batch, rows, heads * d});
        return;
    }
    const std::int64_t width = weights.wO.size(2);
    out.out = backend.allocate({batch, rows, width}, out.y.dtype());
    backend.linear(out.z.reshaped({batch * rows, heads * d}),
                   weights.wO.reshaped({heads * d, width}), {},
                   out.out.reshaped({batch * rows, width}));
}

AttentionParams attentionParams(const LayerConfig& layer) {
    AttentionParams params;
    params.mask = layer.mask;
    params.score = layer.score;
    params.window = layer.window;
    return params;
}

AttentionLayerResult runAttentionLayer(const LayerConfig& layer, double ropeTheta,
                                       const AttentionWeights& weights, const Tensor& x,
                                       Backend& backend) {
    AttentionLayerResult result;
    projectAndRotate(layer, ropeTheta, 0, weights, x, result, backend);
    attendAndCollapse(attentionParams(layer), true, weights, result, backend);
    return result;
}

}  // namespace headloom
