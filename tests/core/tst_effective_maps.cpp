#include "core/models/decoder.h"
#include "core/models/effective_maps.h"

#include <doctest/doctest.h>

#include <cmath>
#include <string>

using namespace headloom;

namespace {

ModelConfig configOf(AttentionKind kind, int nPseudo = 1) {
    ModelConfig config;
    config.dModel = 8;
    config.nHeads = 2;
    config.dVocab = 5;
    config.nCtx = 6;
    LayerConfig layer;
    layer.kind = kind;
    layer.nPseudo = nPseudo;
    config.layers = {layer};
    return config;
}

const Tensor ids = Tensor::of<std::int32_t>({1, 5}, {0, 3, 1, 4, 2});

/// v = norm1 W_V [B, H, N, d]: what the effective maps multiply.
Tensor valuesOf(const LayerTrace& layer, const Tensor& wV, Backend& backend) {
    const Tensor v = backend.allocate(
        {layer.norm1.size(0), wV.size(0), layer.norm1.size(1), wV.size(2)}, wV.dtype());
    backend.projectHeads(layer.norm1, wV, {}, v);
    return v;
}

/// z[n, g] - sum_m M[g, m] v_m, the largest entry.
double residue(const Tensor& m, const Tensor& v, const Tensor& z) {
    const std::int64_t heads = m.size(1), rows = m.size(3), d = v.size(3);
    double largest = 0;
    for (std::int64_t g = 0; g < heads; ++g)
        for (std::int64_t i = 0; i < rows; ++i)
            for (std::int64_t x = 0; x < d; ++x) {
                double sum = -z.data<float>()[(i * heads + g) * d + x];
                for (std::int64_t s = 0; s < heads; ++s)
                    for (std::int64_t j = 0; j < rows; ++j)
                        sum += m.data<float>()[((g * heads + s) * rows + i) * rows + j] *
                               v.data<float>()[(s * rows + j) * d + x];
                largest = std::max(largest, std::abs(sum));
            }
    return largest;
}

}  // namespace

// z is a sum of some 20 products near 1 in float32.
TEST_CASE("effective maps take the values to z") {
    const auto backend = makeReferenceBackend();
    for (const auto& [kind, nPseudo] : {std::pair{AttentionKind::mha, 1},
                                        {AttentionKind::iha, 3},
                                        {AttentionKind::ihaLite, 1},
                                        {AttentionKind::talkingHeads, 1}}) {
        const std::string kindName(nameOf(kind));
        CAPTURE(kindName);
        const ModelConfig config = configOf(kind, nPseudo);
        const Weights weights = initialWeights(config, 2);
        const auto trace = Decoder(config, weights, *backend).forward(ids);
        REQUIRE(trace);
        const LayerTrace& layer = trace->layers[0];
        const auto made = effectiveMapsOf(config, 0, layer.maps, weights, *backend);
        REQUIRE(made);
        const Tensor v = valuesOf(layer, weights.find("blocks.0.attn.W_V"), *backend);
        CHECK(residue(*made, v, layer.z) < 1e-5);
    }
}

TEST_CASE("differential attention has none, and says why") {
    const auto backend = makeReferenceBackend();
    const ModelConfig config = configOf(AttentionKind::differential);
    const Weights weights = initialWeights(config, 2);
    const auto trace = Decoder(config, weights, *backend).forward(ids);
    REQUIRE(trace);
    const auto made = effectiveMapsOf(config, 0, trace->layers[0].maps, weights, *backend);
    REQUIRE_FALSE(made);
    CHECK(made.error().sentence() ==
          "layer 0: differential attention has no effective maps: each row of a head is divided by "
          "its length after the maps; look at the maps themselves.");
}
