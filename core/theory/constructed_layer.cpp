#include "core/theory/constructed_layer.h"

#include "core/models/layer_changes.h"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace headloom {

namespace {

/// The first of every `count` numbers.
Tensor firstOfEach(const Tensor& from, std::int64_t count, const Shape& shape) {
    const Tensor out = Tensor::host(shape, DType::f64);
    for (std::int64_t i = 0; i < out.count(); ++i)
        out.data<double>()[i] = from.data<double>()[i * count];
    return out;
}

/// Without the pseudo-queries that R does not read: all but the first of each head.
AttentionWeights withoutUnread(AttentionWeights weights) {
    if (!weights.alphaQ) return weights;
    const std::int64_t heads = weights.alphaQ.size(1), pseudo = weights.alphaQ.size(2);
    for (std::int64_t i = 0; i < weights.r.count(); ++i)
        assert(i % pseudo == 0 || weights.r.data<double>()[i] == 0);
    weights.alphaQ = firstOfEach(weights.alphaQ, pseudo, {heads, heads, 1});
    weights.r = firstOfEach(weights.r, pseudo, {heads, heads});
    return weights;
}

/// maps [1, H, 1, 1, N, P N], in which the tiles of a head lie side by side, as [H P, N, N] on the
/// host.
Tensor tilesOf(const Tensor& maps, Backend& backend) {
    const std::int64_t heads = maps.size(1), n = maps.size(4), pseudo = maps.size(5) / n;
    Tensor rows = maps;
    if (!backend.info().isHost) {
        rows = Tensor::host(maps.shape(), maps.dtype());
        backend.download(maps, rows);
    }
    if (pseudo == 1) return rows.reshaped({heads, n, n});
    const Tensor tiles = Tensor::host({heads * pseudo, n, n}, maps.dtype());
    const std::size_t row = static_cast<std::size_t>(n) * sizeOf(maps.dtype());
    const std::byte* from = rows.raw();
    for (std::int64_t h = 0; h < heads; ++h)
        for (std::int64_t i = 0; i < n; ++i)
            for (std::int64_t p = 0; p < pseudo; ++p, from += row)
                std::memcpy(tiles.raw() + static_cast<std::size_t>((h * pseudo + p) * n + i) * row,
                            from, row);
    return tiles;
}

/// [1, H, P, N, w] as [1, H, 1, P N, w]: without mask and positions a query does not mind in which
/// pseudo-head a key lies.
Tensor sideBySide(const Tensor& mixed) {
    return mixed.reshaped({1, mixed.size(1), 1, mixed.size(2) * mixed.size(3), mixed.size(4)});
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
    const AttentionWeights placed = placedOn(backend, type, withoutUnread(weights));
    const Tensor one = input.reshaped({1, input.size(0), input.size(1)});
    AttentionLayerResult made;
    RotaryParams unturned;
    unturned.positions = PositionKind::none;
    projectAndRotate(unturned, placed, placedOn(backend, type, one), made, backend);
    made.mixedK = sideBySide(made.mixedK);
    made.mixedV = sideBySide(made.mixedV);
    attendAndCollapse(attentionParams(layer), true, placed, {}, made, backend);
    return {tilesOf(made.maps, backend), fetchedFrom(backend, made.out).at(0)};
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
