#include "core/models/attention_layer.h"

#include "core/models/layer_changes.h"
#include "core/models/map_attention.h"

#include <cassert>

namespace headloom {

namespace {

/// x W + b, [B, G, N, d].
Tensor project(const Tensor& x, const Tensor& w, const Tensor& bias, Backend& backend) {
    const Tensor projected =
        backend.allocate({x.size(0), w.size(0), x.size(1), w.size(2)}, x.dtype());
    backend.projectHeads(x, w, bias, projected);
    return projected;
}

/// RMSNorm over the d components of every head and row; x [..., d].
Tensor normed(const Tensor& x, const Tensor& scale, double epsilon, Tensor& statistics,
              Backend& backend) {
    const std::int64_t d = x.size(-1), rows = x.count() / d;
    const Tensor out = backend.allocate(x.shape(), x.dtype());
    statistics = backend.allocate({rows, 2}, x.dtype());
    backend.norm(NormKind::rms, epsilon, x.reshaped({rows, d}), scale, {}, out.reshaped({rows, d}),
                 statistics);
    return out;
}

/// Projections as they are mixed (IHA) into pseudo-heads: base [B, G, N, d] and mixed
/// [B, H, P, N, d]. For MHA the mixed tensor is the projection itself with P = 1.
void mix(const Tensor& projected, const Tensor& alpha, Tensor& base, Tensor& mixed,
         Backend& backend) {
    const std::int64_t batch = projected.size(0), rows = projected.size(2), d = projected.size(3);
    if (!alpha) {
        mixed = projected.reshaped({batch, projected.size(1), 1, rows, d});
        return;
    }
    base = projected;
    mixed = backend.allocate({batch, alpha.size(1), alpha.size(2), rows, d}, base.dtype());
    backend.mixHeads(base, alpha, mixed);
}

}  // namespace

void projectAndRotate(const RotaryParams& rotary, const AttentionWeights& w, const Tensor& x,
                      AttentionLayerResult& out, Backend& backend, std::int64_t firstQuery) {
    const Tensor asking = firstQuery > 0 ? rowsFrom(x, firstQuery) : x;
    Tensor q = project(asking, w.wQ, w.bQ, backend), k = project(x, w.wK, w.bK, backend);
    if (w.normQ && !w.normLast) {
        out.projectedQ = q;
        out.projectedK = k;
        q = normed(q, w.normQ, w.normEpsilon, out.statisticsQ, backend);
        k = normed(k, w.normK, w.normEpsilon, out.statisticsK, backend);
    }
    mix(q, w.alphaQ, out.q, out.mixedQ, backend);
    mix(k, w.alphaK, out.k, out.mixedK, backend);
    mix(project(x, w.wV, w.bV, backend), w.alphaV, out.v, out.mixedV, backend);
    if (rotary.positions != PositionKind::none) {
        RotaryParams ofQueries = rotary;
        ofQueries.start += firstQuery;
        backend.rotate(ofQueries, out.mixedQ);
        backend.rotate(rotary, out.mixedK);
    }
    if (w.normQ && w.normLast) {
        out.mixedQ = normed(out.mixedQ, w.normQ, w.normEpsilon, out.statisticsQ, backend);
        out.mixedK = normed(out.mixedK, w.normK, w.normEpsilon, out.statisticsK, backend);
    }
}

Tensor rowsFrom(const Tensor& x, std::int64_t first) {
    assert(x.size(0) == 1);
    const std::int64_t rows = x.size(1) - first;
    return x.at(0).slice(first, rows).reshaped({1, rows, x.size(2)});
}

Tensor onlyHead(const Tensor& heads, std::int64_t index) {
    assert(heads.size(0) == 1);
    const Tensor one = heads.at(0).slice(index, 1);
    return one.reshaped({1, 1, one.size(1), one.size(2), one.size(3)});
}

namespace {

using Site = LayerChanges::Rows::Site;

/// y, and the maps where there is room for them, of one head.
void attendHead(AttentionParams params, int head, const AttentionLayerResult& out,
                Backend& backend) {
    if (params.multiplier) params.multiplier = params.multiplier.slice(head, 1);
    Tensor maps;
    if (out.maps)
        maps = out.maps.at(0).slice(head, 1).reshaped(
            {1, 1, out.maps.size(2), out.maps.size(3), out.maps.size(4), out.maps.size(5)});
    const std::int64_t group = head * out.mixedK.size(1) / out.mixedQ.size(1);
    backend.attention(params, onlyHead(out.mixedQ, head), onlyHead(out.mixedK, group),
                      onlyHead(out.mixedV, group), onlyHead(out.y, head), maps);
}

void attend(const AttentionParams& params, bool capture, const LayerChanges& changes,
            const Tensor& unchangedY, AttentionLayerResult& out, Backend& backend) {
    const Tensor& q = out.mixedQ;
    const std::int64_t batch = q.size(0), heads = q.size(1), pseudo = q.size(2), rows = q.size(3),
                       keys = params.keyCount > 0 ? params.keyCount : out.mixedK.size(3),
                       d = out.mixedV.size(4);
    if (capture || !changes.cells.empty())
        out.maps = backend.allocate({batch, heads, pseudo, pseudo, rows, keys}, q.dtype());
    out.y = backend.allocate({batch, heads, pseudo, rows, d}, q.dtype());
    if (unchangedY) {
        backend.zero(out.y);
        backend.add(unchangedY, out.y);
        for (const int head : changedHeads(changes, heads, pseudo))
            attendHead(params, head, out, backend);
    } else {
        backend.attention(params, q, out.mixedK, out.mixedV, out.y, out.maps);
    }
    changeCells(changes, out, backend);
}

}  // namespace

void attendAndCollapse(const AttentionParams& params, bool capture, const AttentionWeights& weights,
                       const LayerChanges& changes, AttentionLayerResult& out, Backend& backend,
                       const Tensor& unchangedY) {
    const bool overMaps = worksOnMaps(weights);
    changeRows(changes, Site::keys, out.mixedK, backend);
    changeRows(changes, Site::values, out.mixedV, backend);
    if (overMaps)
        attendOverMaps(params, weights, changes, out, backend);
    else
        attend(params, capture, changes, unchangedY, out, backend);
    changeRows(changes, Site::heads, out.normZ ? out.normZ : out.y, backend);
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
                   weights.wO.reshaped({heads * d, width}), weights.bO,
                   out.out.reshaped({batch * rows, width}));
}

AttentionParams attentionParams(const LayerConfig& layer) {
    AttentionParams params;
    params.mask = layer.mask;
    params.score = layer.score;
    params.window = layer.window;
    params.scale = layer.scoreScale;
    return params;
}

RotaryParams rotaryParams(const ModelConfig& config, const LayerConfig& layer, std::int64_t start) {
    RotaryParams rotary;
    rotary.positions = layer.positions;
    rotary.theta = config.ropeTheta;
    rotary.factor = layer.positionFactor;
    rotary.start = start;
    rotary.width = config.rotaryWidth;
    rotary.divisors = config.ropeDivisors;
    return rotary;
}

AttentionLayerResult runAttentionLayer(const LayerConfig& layer, double ropeTheta,
                                       const AttentionWeights& weights, const Tensor& x,
                                       Backend& backend) {
    AttentionLayerResult result;
    ModelConfig config;
    config.ropeTheta = ropeTheta;
    projectAndRotate(rotaryParams(config, layer), weights, x, result, backend);
    attendAndCollapse(attentionParams(layer), true, weights, {}, result, backend);
    return result;
}

}  // namespace headloom
