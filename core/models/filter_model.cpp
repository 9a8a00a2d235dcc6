#include "core/models/filter_model.h"

#include "core/base/counted.h"
#include "core/base/rng.h"
#include "core/models/decoder.h"

#include <fmt/format.h>

#include <cmath>

namespace headloom {

namespace {

constexpr int mostNodes = 64, mostPowers = 32, mostNumbers = 64, mostHeads = 32, mostPseudo = 16;

Result<void> checkRange(const char* name, int value, int least, int most) {
    if (value >= least && value <= most) return {};
    return fail(Error::Kind::badInput, name, fmt::format("{} cannot be had", value),
                fmt::format("use {} to {}", least, most));
}

/// Linear scores as they are (iha.md 6).
AttentionParams filterAttention() {
    AttentionParams params;
    params.mask = MaskKind::none;
    params.score = ScoreKind::linear;
    params.scale = 1.0;
    return params;
}

Tensor zeros(const Tensor& like, Backend& backend) {
    const Tensor made = backend.allocate(like.shape(), like.dtype());
    backend.zero(made);
    return made;
}

/// Pseudo-heads of base [1, H, N, e], or base itself where there is no mixing: [1, H, P, N, e].
Tensor mixed(const Tensor& base, const Tensor& alpha, Backend& backend) {
    const std::int64_t heads = base.size(1), rows = base.size(2), width = base.size(3);
    if (!alpha) return base.reshaped({1, heads, 1, rows, width});
    const Tensor out = backend.allocate({1, heads, alpha.size(2), rows, width}, base.dtype());
    backend.mixHeads(base, alpha, out);
    return out;
}

/// The gradient of `mixed`, added to dBase.
void mixedBackward(const Tensor& base, const Tensor& alpha, const Tensor& dMixed,
                   const Tensor& dBase, const Tensor& dAlpha, Backend& backend) {
    if (alpha)
        backend.mixHeadsBackward(base, alpha, dMixed, dBase, dAlpha);
    else
        backend.add(dMixed, dBase.reshaped(dMixed.shape()));
}

/// W [H, N, N] as the queries or keys of a batch of one.
Tensor asBase(const Tensor& table) {
    return table.reshaped({1, table.size(0), table.size(1), table.size(2)});
}

}  // namespace

std::string FilterConfig::summary() const {
    const std::string heads = counted(nHeads, "head");
    return kind == AttentionKind::mha ? "MHA, " + heads
                                      : "IHA, " + heads + " x " + counted(nPseudo, "pseudo-head");
}

Result<void> validate(const FilterConfig& config) {
    for (const auto& fine : {checkRange("filter order k", config.order, 1, mostPowers),
                             checkRange("nodes N", config.nNodes, 2, mostNodes),
                             checkRange("numbers a node d", config.dNode, 1, mostNumbers),
                             checkRange("heads H", config.nHeads, 1, mostHeads),
                             checkRange("pseudo-heads P", config.nPseudo, 1, mostPseudo)})
        if (!fine) return fine;
    if (config.width() % config.nHeads != 0)
        return fail(
            Error::Kind::badInput, "heads H",
            fmt::format("{} heads do not divide the {} outputs of a node (k = {} times d = {})",
                        config.nHeads, config.width(), config.order, config.dNode),
            "choose H so that k * d is a multiple of it");
    if (config.kind != AttentionKind::mha && config.kind != AttentionKind::iha)
        return fail(Error::Kind::unsupported, "filter",
                    fmt::format("is not trained with {}", nameOf(config.kind)), "use mha or iha");
    if (config.kind == AttentionKind::mha && config.nPseudo != 1)
        return fail(Error::Kind::badInput, "pseudo-heads P",
                    fmt::format("MHA has no {} pseudo-heads", config.nPseudo),
                    "use IHA, or 1 pseudo-head");
    return {};
}

std::vector<WeightSpec> weightSpecs(const FilterConfig& config) {
    const std::int64_t heads = config.nHeads, nodes = config.nNodes, d = config.dNode,
                       value = config.dValue(), width = config.width(), pseudo = config.nPseudo;
    std::vector<WeightSpec> specs = {{"attn.W_Q", {heads, nodes, nodes}, WeightRole::matrix, nodes},
                                     {"attn.W_K", {heads, nodes, nodes}, WeightRole::matrix, nodes},
                                     {"attn.W_V", {heads, d, value}, WeightRole::matrix, d}};
    if (config.kind == AttentionKind::iha) {
        for (const char* name : {"attn.alpha_Q", "attn.alpha_K", "attn.alpha_V"})
            specs.push_back({name, {heads, heads, pseudo}, WeightRole::mixing});
        specs.push_back({"attn.R", {heads, heads * pseudo}, WeightRole::collapse});
    }
    specs.push_back({"attn.W_O", {heads, value, width}, WeightRole::matrix, width});
    return specs;
}

Weights initialWeights(const FilterConfig& config, std::uint64_t seed, const MixingInit& mixing) {
    // The mixing is that of a decoder's layer with as many heads.
    ModelConfig layer;
    layer.nHeads = layer.dModel = config.nHeads;
    layer.dVocab = layer.nCtx = 1;
    layer.layers.resize(1);
    layer.layers[0].kind = config.kind;
    layer.layers[0].nPseudo = config.nPseudo;
    const Weights mixings = initialWeights(layer, seed, mixing);

    Weights weights;
    std::uint64_t stream = std::uint64_t{1} << 63;  // far from the numbers of samples
    for (const WeightSpec& spec : weightSpecs(config)) {
        if (spec.role != WeightRole::matrix) {
            weights.add(spec.name, mixings.find("blocks.0." + spec.name));
            continue;
        }
        Rng rng(seed, stream++);
        const Tensor tensor = Tensor::host(spec.shape, DType::f32);
        const double deviation = 1.0 / std::sqrt(static_cast<double>(spec.fanIn));
        for (float& value : tensor.values<float>())
            value = static_cast<float>(deviation * rng.normal());
        weights.add(spec.name, tensor);
    }
    return weights;
}

FilterModel::FilterModel(const FilterConfig& config, Weights weights, Backend& backend)
    : config_(config),
      weights_(std::move(weights)),
      handles_(handlesOf(weights_)),
      backend_(&backend) {}

AttentionWeights FilterModel::handlesOf(const Weights& weights) {
    AttentionWeights handles;
    handles.wQ = weights.find("attn.W_Q");
    handles.wK = weights.find("attn.W_K");
    handles.wV = weights.find("attn.W_V");
    handles.alphaQ = weights.find("attn.alpha_Q");
    handles.alphaK = weights.find("attn.alpha_K");
    handles.alphaV = weights.find("attn.alpha_V");
    handles.r = weights.find("attn.R");
    handles.wO = weights.find("attn.W_O");
    return handles;
}

void FilterModel::attend(const Tensor& values, AttentionLayerResult& out) const {
    const AttentionWeights& w = handles_;
    const std::int64_t heads = config_.nHeads, pseudo = config_.nPseudo, nodes = config_.nNodes;
    out.q = asBase(w.wQ);
    out.k = asBase(w.wK);
    out.v = values;
    out.mixedQ = mixed(out.q, w.alphaQ, *backend_);
    out.mixedK = mixed(out.k, w.alphaK, *backend_);
    out.mixedV = mixed(out.v, w.alphaV, *backend_);
    out.maps = backend_->allocate({1, heads, pseudo, pseudo, nodes, nodes}, w.wQ.dtype());
    out.y = backend_->allocate({1, heads, pseudo, nodes, values.size(3)}, w.wQ.dtype());
    backend_->attention(filterAttention(), out.mixedQ, out.mixedK, out.mixedV, out.y, out.maps);
}

AttentionLayerResult FilterModel::forward(const Tensor& x) const {
    const std::int64_t heads = config_.nHeads, pseudo = config_.nPseudo, nodes = config_.nNodes,
                       d = config_.dNode, value = config_.dValue(), width = config_.width(),
                       batch = x.size(1), rows = nodes * batch;
    AttentionLayerResult out;
    const Tensor v = backend_->allocate({1, heads, rows, value}, x.dtype());
    backend_->projectHeads(x.reshaped({1, rows, d}), handles_.wV, {}, v);
    attend(v.reshaped({1, heads, nodes, batch * value}), out);
    out.z = backend_->allocate({1, rows, heads, value}, x.dtype());
    backend_->collapse(out.y.reshaped({1, heads, pseudo, rows, value}), handles_.r, out.z);
    out.out = backend_->allocate({rows, width}, x.dtype());
    backend_->linear(out.z.reshaped({rows, width}), handles_.wO.reshaped({width, width}), {},
                     out.out);
    return out;
}

void FilterModel::backward(const Tensor& x, const AttentionLayerResult& trace, const Tensor& dOut,
                           const Weights& gradients) const {
    const std::int64_t heads = config_.nHeads, pseudo = config_.nPseudo, value = config_.dValue(),
                       width = config_.width(), rows = config_.nNodes * x.size(1);
    const AttentionWeights &w = handles_, g = handlesOf(gradients);
    const Tensor dZ = zeros(trace.z, *backend_);
    backend_->linearBackward(trace.z.reshaped({rows, width}), w.wO.reshaped({width, width}), dOut,
                             dZ.reshaped({rows, width}), g.wO.reshaped({width, width}), {});
    const Tensor dY = zeros(trace.y, *backend_);
    const Shape heap{1, heads, pseudo, rows, value};
    backend_->collapseBackward(trace.y.reshaped(heap), w.r, dZ, dY.reshaped(heap), g.r);

    const Tensor dQ = zeros(trace.mixedQ, *backend_), dK = zeros(trace.mixedK, *backend_),
                 dV = zeros(trace.mixedV, *backend_);
    backend_->attentionBackward(filterAttention(), trace.mixedQ, trace.mixedK, trace.mixedV,
                                trace.maps, dY, dQ, dK, dV);
    mixedBackward(trace.q, w.alphaQ, dQ, asBase(g.wQ), g.alphaQ, *backend_);
    mixedBackward(trace.k, w.alphaK, dK, asBase(g.wK), g.alphaK, *backend_);
    const Tensor dValues = zeros(trace.v, *backend_);
    mixedBackward(trace.v, w.alphaV, dV, dValues, g.alphaV, *backend_);
    backend_->projectHeadsBackward(x.reshaped({1, rows, config_.dNode}), w.wV,
                                   dValues.reshaped({1, heads, rows, value}), {}, g.wV, {});
}

Tensor FilterModel::maps() const {
    AttentionLayerResult result;
    const Tensor none =
        backend_->allocate({1, config_.nHeads, config_.nNodes, 1}, handles_.wQ.dtype());
    backend_->zero(none);
    attend(none, result);
    return onHost(result.maps, *backend_).at(0).copy();
}

Tensor FilterModel::effectiveMaps() const {
    const std::int64_t heads = config_.nHeads, nodes = config_.nNodes;
    const Tensor tiles = maps(),
                 placed = backend_->allocate(
                     {1, heads, config_.nPseudo, config_.nPseudo, nodes, nodes}, tiles.dtype());
    backend_->upload(tiles.reshaped(placed.shape()), placed);
    const Tensor out = backend_->allocate({1, heads, heads, nodes, nodes}, tiles.dtype());
    backend_->effectiveMaps(placed, handles_.alphaV, handles_.r, out);
    return onHost(out, *backend_).at(0).copy();
}

}  // namespace headloom
