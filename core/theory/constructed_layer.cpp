#include "core/theory/constructed_layer.h"

#include <algorithm>

namespace headloom {

namespace {

/// The tiles of pseudo-query 0 out of maps [1, H, P, P, N, N].
Tensor firstQueryTiles(const Tensor& maps, Backend& backend) {
    const std::int64_t heads = maps.size(1), pseudo = maps.size(2), n = maps.size(4);
    const Tensor tiles = Tensor::host({heads * pseudo, n, n}, maps.dtype());
    const Tensor flat = maps.reshaped({heads, pseudo, pseudo, n, n});
    for (std::int64_t h = 0; h < heads; ++h)
        backend.download(flat.at(h).at(0), tiles.slice(h * pseudo, pseudo));
    return tiles;
}

}  // namespace

LayerConfig constructedLayer(AttentionKind kind, int nPseudo, ScoreKind score) {
    LayerConfig layer;
    layer.kind = kind;
    layer.nPseudo = nPseudo;
    layer.mask = MaskKind::none;
    layer.score = score;
    layer.scoreScale = 1;
    return layer;
}

ConstructedRun runConstructed(const LayerConfig& layer, const AttentionWeights& weights,
                              const Tensor& input, DType type, Backend& backend) {
    constexpr double unused = 10000;  // no rotary positions
    const Tensor one = input.reshaped({1, input.size(0), input.size(1)});
    const AttentionLayerResult result = runAttentionLayer(
        layer, unused, placedOn(backend, type, weights), placedOn(backend, type, one), backend);
    return {firstQueryTiles(result.maps, backend), fetchedFrom(backend, result.out).at(0)};
}

Tensor withPositions(const Tensor& signal) {
    const std::int64_t n = signal.size(0), d = signal.size(1), width = d + n;
    const Tensor out = Tensor::host({n, width}, DType::f64);
    for (std::int64_t i = 0; i < n; ++i) {
        std::copy_n(signal.data<double>() + i * d, d, out.data<double>() + i * width);
        out.data<double>()[i * width + d + i] = 1;
    }
    return out;
}

std::int64_t countParameters(const AttentionWeights& weights) {
    std::int64_t count = 0;
    for (const Tensor& tensor : {weights.wQ, weights.wK, weights.wV, weights.alphaQ, weights.alphaK,
                                 weights.alphaV, weights.r, weights.wO})
        if (tensor) count += tensor.count();
    return count;
}

Tensor placedOn(Backend& backend, DType type, const Tensor& host) {
    if (!host) return {};
    const Tensor cast = host.dtype() == type ? host : host.cast(type);
    if (backend.info().isHost) return cast;
    const Tensor made = backend.allocate(host.shape(), type);
    backend.upload(cast, made);
    return made;
}

AttentionWeights placedOn(Backend& backend, DType type, const AttentionWeights& weights) {
    AttentionWeights placed = weights;
    for (Tensor* tensor : {&placed.wQ, &placed.wK, &placed.wV, &placed.alphaQ, &placed.alphaK,
                           &placed.alphaV, &placed.r, &placed.wO})
        *tensor = placedOn(backend, type, *tensor);
    return placed;
}

Tensor fetchedFrom(Backend& backend, const Tensor& tensor) {
    if (backend.info().isHost) return tensor.cast(DType::f64);
    const Tensor host = Tensor::host(tensor.shape(), tensor.dtype());
    backend.download(tensor, host);
    return host.cast(DType::f64);
}

}  // namespace headloom
