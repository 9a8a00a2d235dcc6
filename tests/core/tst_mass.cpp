#include "core/analysis/mass.h"
#include "core/models/attention_layer.h"
#include "core/models/weights.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace headloom;
using doctest::Approx;

namespace {

// One head, P = 2, two tokens. Row 0 of pseudo-query 0 looks at token 0 only, half on each key
// family; its row 1 spreads .1 .2 | .3 .4. Pseudo-query 1 looks at family 1 of its own token.
Tensor handMade() {
    return Tensor::of<float>({1, 1, 2, 2, 2, 2}, {0.5f, 0.0f, 0.1f, 0.2f,  // p 0, r 0: rows 0 and 1
                                                  0.5f, 0.0f, 0.3f, 0.4f,  // p 0, r 1
                                                  0.0f, 0.0f, 0.0f, 0.0f,  // p 1, r 0
                                                  1.0f, 0.0f, 0.0f, 1.0f});  // p 1, r 1
}
// Single cells are float32, so their sums carry an error of up to four units of 6e-8.
Approx about(double value) {
    return Approx(value).epsilon(3e-7);
}

}  // namespace

TEST_CASE("masses of a row and of a tile") {
    const Tensor maps = handMade();
    CHECK(rowMass(maps, 0, 0, 0, 1) == about(0.3));
    CHECK(rowMass(maps, 0, 0, 1, 1) == about(0.7));
    CHECK(tileMass(maps, 0, 0, 0, 0) == about(0.5));
    CHECK(tileMass(maps, 0, 0, 0, 1) == about((0.5 + 0.3) / 2));
    CHECK(tileMass(maps, 0, 1, 1, 1) == about(1));
    // The batch axis of 1 may be left out.
    CHECK(rowMass(maps.at(0), 0, 0, 1, 1) == about(0.7));
}

TEST_CASE("evidence is the attention on the marked tokens, and its headline sums key families") {
    const Tensor maps = handMade();
    CHECK(evidenceMass(maps, 0, 0, 1, 1, {0}) == about(0.3));
    CHECK(evidenceMass(maps, 0, 0, 1, 1, {}) == 0);
    const EvidenceSummary summary = evidenceSummary(maps, 1, {0});
    REQUIRE(summary.entries.size() == 2);
    CHECK(summary.entries[0].mass == about(0.1 + 0.3));
    CHECK(summary.entries[1].p == 1);
    CHECK(summary.entries[1].mass == 0);
    CHECK(summary.best.p == 0);
    CHECK(summary.mean == about(0.2));
    CHECK(summary.chosenFrom == 2);
    const EvidenceSummary none = evidenceSummary(maps, 1, {});
    CHECK(none.entries.empty());
    CHECK(none.chosenFrom == 0);
}

TEST_CASE("entropy over all keys of a row") {
    const Tensor maps = handMade();
    CHECK(rowEntropy(maps, 0, 0, 0) == about(std::log(2.0)));
    CHECK(rowEntropy(maps, 0, 1, 1) == 0);
    const double expected =
        -(0.1 * std::log(0.1) + 0.2 * std::log(0.2) + 0.3 * std::log(0.3) + 0.4 * std::log(0.4));
    CHECK(rowEntropy(maps, 0, 0, 1) == about(expected));
}

TEST_CASE("cosine of tiles") {
    const Tensor maps = handMade();
    // (.5 0 | .1 .2) . (.5 0 | .3 .4) = .36, lengths sqrt(.3) and sqrt(.5)
    CHECK(tileCosine(maps, 0, 0, 0, 0, 0, 1, 1) == about(0.36 / std::sqrt(0.3 * 0.5)));
    CHECK(tileCosine(maps, 0, 0, 0, 0, 0, 1, 0) == about(1));
    CHECK(tileCosine(maps, 0, 1, 0, 0, 1, 1, 1) == 0);
}

TEST_CASE("tile masses of a softmax row add up to 1 and bound the evidence") {
    ModelConfig config;
    config.dModel = 6;
    config.nHeads = 2;
    config.dVocab = 2;
    config.nCtx = 7;
    LayerConfig layer{AttentionKind::iha, 3, MaskKind::flat, PositionKind::none};
    config.layers = {layer};
    const Weights weights = initialWeights(config, 3);
    const auto named = [&](const std::string& name) {
        return weights.find("blocks.0.attn." + name);
    };
    AttentionWeights attention;
    attention.wQ = named("W_Q");
    attention.wK = named("W_K");
    attention.wV = named("W_V");
    attention.wO = named("W_O");
    attention.alphaQ = named("alpha_Q");
    attention.alphaK = named("alpha_K");
    attention.alphaV = named("alpha_V");
    attention.r = named("R");
    std::vector<float> x;
    for (int i = 0; i < 7 * 6; ++i) x.push_back(static_cast<float>(i % 5) - 2);
    const auto backend = makeReferenceBackend();
    const Tensor maps =
        runAttentionLayer(layer, 1e4, attention, Tensor::of<float>({1, 7, 6}, x), *backend).maps;
    const std::vector<int> evidence = {0, 2, 3};
    for (int head = 0; head < 2; ++head)
        for (int p = 0; p < 3; ++p)
            for (int row = 0; row < 7; ++row) {
                double sum = 0;
                for (int r = 0; r < 3; ++r) {
                    const double mass = rowMass(maps, head, p, r, row);
                    CHECK(evidenceMass(maps, head, p, r, row, evidence) <= mass);
                    sum += mass;
                }
                // 21 float32 weights, each within a unit of 6e-8 or so
                CHECK(sum == Approx(1).epsilon(2e-6));
            }
}
