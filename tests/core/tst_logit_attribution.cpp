#include "core/analysis/logit_attribution.h"
#include "core/analysis/logit_lens.h"
#include "core/models/decoder.h"
#include "tests/support/capture_binding.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace headloom;

namespace {

ModelConfig configWith(const std::function<void(ModelConfig&)>& change) {
    ModelConfig config;
    config.dModel = 16;
    config.nHeads = 4;
    config.dVocab = 7;
    config.nCtx = 9;
    config.layers = {LayerConfig{}, LayerConfig{}};
    change(config);
    REQUIRE(validate(config));
    return config;
}

Weights wide(const Weights& weights) {
    Weights made;
    for (const auto& [name, tensor] : weights.entries()) made.add(name, tensor.cast(DType::f64));
    return made;
}

/// Norms and biases start at 1 and 0, which would hide a missing one.
Weights unlikeWeights(const ModelConfig& config) {
    const Weights weights = initialWeights(config, 11);
    Rng random(3);
    for (const auto& entry : weights.entries())
        if (entry.second.shape().rank() <= 2 && entry.first.find("W_") == std::string::npos)
            for (float& value : entry.second.values<float>())
                value += static_cast<float>(0.4 * random.uniform() - 0.2);
    return weights;
}

RowTrace rowTrace(const ModelConfig& config, const Weights& weights, int row) {
    const auto backend = makeReferenceBackend();
    const auto trace = Decoder(config, weights, *backend)
                           .forward(Tensor::of<std::int32_t>({1, 6}, {3, 1, 0, 6, 2, 5}))
                           .value();
    RowTrace out;
    out.row = row;
    for (int layer = 0; layer < config.nLayers(); ++layer)
        out.layers.push_back(
            layerRowOf(config, layer, trace.layers[static_cast<std::size_t>(layer)], row));
    takeEnd(config, trace, out);
    return out;
}

const std::pair<const char*, std::function<void(ModelConfig&)>> kinds[] = {
    {"MHA with RMSNorm", [](ModelConfig&) {}},
    {"LayerNorm, its shift and an MLP with biases",
     [](ModelConfig& c) {
         c.norm = NormKind::layer;
         c.dMlp = 20;
     }},
    {"GPT-2: positions, biases everywhere, a tied head",
     [](ModelConfig& c) {
         c.norm = NormKind::layer;
         c.dMlp = 20;
         c.learnedPositions = c.tiedHead = true;
         c.headBias = false;
         c.qBias = c.kBias = c.vBias = c.oBias = true;
         c.activation = Activation::geluTanh;
     }},
    {"Llama: gated MLP, grouped queries, no biases",
     [](ModelConfig& c) {
         c.dMlp = 20;
         c.gatedMlp = true;
         c.mlpBias = c.headBias = false;
         c.activation = Activation::silu;
         c.nKvHeads = 2;
         c.layers[0].positions = c.layers[1].positions = PositionKind::token;
     }},
    {"no final norm", [](ModelConfig& c) { c.finalNorm = c.blockNorms = false; }},
    {"IHA",
     [](ModelConfig& c) {
         c.layers = {{AttentionKind::iha, 3}, {AttentionKind::iha, 2}};
     }},
    {"IHA, per-head collapse beside MHA",
     [](ModelConfig& c) {
         c.layers[0] = {AttentionKind::iha, 2};
         c.layers[0].collapse = CollapseKind::perHead;
     }},
    {"IHA with one pseudo-head",
     [](ModelConfig& c) {
         c.layers[1] = {AttentionKind::iha, 1};
     }},
    {"IHA-lite", [](ModelConfig& c) { c.layers[0].kind = AttentionKind::ihaLite; }},
    {"talking heads", [](ModelConfig& c) { c.layers[1].kind = AttentionKind::talkingHeads; }},
    {"differential", [](ModelConfig& c) { c.layers[1].kind = AttentionKind::differential; }},
    {"nanochat: a squared ReLU and a cap on the logits",
     [](ModelConfig& c) {
         c.dMlp = 20;
         c.activation = Activation::reluSquared;
         c.mlpBias = c.headBias = false;
         c.logitCap = 4;
         c.layers[0] = {AttentionKind::iha, 2};
         c.qkNorm = c.qkNormLast = true;
     }},
    {"several answers a token", [](ModelConfig& c) {
         c.nSlots = 3;
         c.dVocabOut = 5;
     }}};

}  // namespace

TEST_CASE("the parts of a logit sum to what the model said, whatever it is made of") {
    for (const auto& [name, change] : kinds) {
        CAPTURE_BINDING(name);
        const ModelConfig config = configWith(change);
        const Weights narrow = unlikeWeights(config);
        for (const DType type : {DType::f32, DType::f64}) {
            const Weights weights = type == DType::f64 ? wide(narrow) : narrow;
            const RowTrace trace = rowTrace(config, weights, 4);
            for (const LogitTarget target :
                 {LogitTarget{3}, LogitTarget{1, 4}, LogitTarget{2, -1, config.nSlots - 1}}) {
                const auto made = attributeLogit(config, weights, trace, target);
                REQUIRE(made);
                // float64: roundings of two layers, 1e-16 each. float32: what the screen promises
                const double tolerance = type == DType::f64 ? 1e-13 : 1e-5;
                CHECK(std::abs(made->sum - made->whole) <= tolerance * made->magnitude);
                CHECK(made->magnitude > 0);
                const auto at = [&](int token) {
                    const double logit = trace.logits[static_cast<std::size_t>(
                        target.slot * config.nClasses() + token)];
                    const double cap = config.logitCap;  // the parts are what goes into it
                    return cap > 0 ? cap * std::atanh(logit / cap) : logit;
                };
                CHECK(made->whole ==
                      at(target.token) - (target.against < 0 ? 0 : at(target.against)));
            }
        }
    }
}

TEST_CASE("a tile's part is what is lost from the residual stream where it is switched off") {
    const ModelConfig config = configWith([](ModelConfig& c) {
        c.layers = {{AttentionKind::iha, 2}};
    });
    const Weights weights = wide(unlikeWeights(config));
    const RowTrace trace = rowTrace(config, weights, 5);
    const auto made = attributeLogit(config, weights, trace, {2}).value();
    // the only layer: what reaches the logit without the tile, at the scale that it had
    const auto backend = makeReferenceBackend();
    const Tensor multiplier = Tensor::host({4, 2, 2, 1, 1}, DType::f64);
    for (double& value : multiplier.values<double>()) value = 1;
    multiplier.data<double>()[(1 * 2 + 0) * 2 + 1] = 0;  // head 1, p 0, r 1
    ForwardOptions options;
    options.changes.resize(1);
    options.changes[0].multiplier = multiplier;
    const auto without = Decoder(config, weights, *backend)
                             .forward(Tensor::of<std::int32_t>({1, 6}, {3, 1, 0, 6, 2, 5}), options)
                             .value();
    const std::vector<double> left = rowOf(without.residFinal, 5);
    const Tensor scale = weights.find("ln_final.w"), head = weights.find("unembed.W_U");
    double lost = 0;
    for (std::size_t c = 0; c < left.size(); ++c)
        lost += (trace.residFinal[c] - left[c]) * trace.finalScale * scale.data<double>()[c] *
                head.data<double>()[c * 7 + 2];
    double part = 0;
    for (const LogitPart& each : made.parts)
        if (each.kind == LogitPart::Kind::tile && each.head == 1 && each.p == 0 && each.r == 1)
            part = each.value;
    CHECK(part == doctest::Approx(lost).epsilon(1e-12));
    double tiles = 0;
    for (const LogitPart& each : made.parts)
        if (each.kind == LogitPart::Kind::tile && each.head == 1) tiles += each.value;
    CHECK(made.head(0, 1) == tiles);
}

TEST_CASE("a token that is not there is refused") {
    const ModelConfig config = configWith([](ModelConfig&) {});
    const Weights weights = initialWeights(config, 1);
    const RowTrace trace = rowTrace(config, weights, 0);
    CHECK(attributeLogit(config, weights, trace, {7}).error().sentence() ==
          "token: there is no token 7; use 0 to 6.");
    CHECK(attributeLogit(config, weights, trace, {0, 9}).error().sentence() ==
          "token: there is no token 9; use 0 to 6.");
    CHECK(attributeLogit(config, weights, trace, {0, -1, 1}).error().sentence() ==
          "slot: there is no slot 1; use 0 to 0.");
}

TEST_CASE("the lens of the last residual stream is the model's answer") {
    for (const auto& [name, change] : kinds) {
        CAPTURE_BINDING(name);
        const ModelConfig config = configWith(change);
        const Weights weights = unlikeWeights(config);
        const RowTrace trace = rowTrace(config, weights, 3);
        const int slot = config.nSlots - 1;
        const auto points = logitLens(config, weights, trace, slot, 2, 3);
        REQUIRE(points.size() == std::size_t(config.dMlp > 0 ? 5 : 3));
        CHECK(points.front().place == LensPoint::Place::residPre);
        CHECK(nameOf(points.back().place) == "resid_post");
        const auto said = std::span(trace.logits)
                              .subspan(static_cast<std::size_t>(slot * config.nClasses()),
                                       static_cast<std::size_t>(config.nClasses()));
        const std::vector<float> narrow(said.begin(), said.end());
        // the same sums in another order, in float32
        CHECK(points.back().logit == doctest::Approx(said[2]).epsilon(1e-5));
        CHECK(points.back().top.front().id == topCandidates(narrow, 1, 1).front().id);
        CHECK(points.back().top.size() == 3);
        int larger = 0;
        for (const float other : narrow) larger += other > narrow[2] ? 1 : 0;
        CHECK(points.back().rank == larger);
    }
}
