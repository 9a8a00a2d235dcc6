#include "core/models/decoder.h"
#include "tests/support/capture_binding.h"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

using namespace headloom;

namespace {

ModelConfig smallConfig(AttentionKind kind, int nPseudo) {
    ModelConfig config;
    config.dModel = 6;
    config.nHeads = 3;
    config.dVocab = 5;
    config.nCtx = 7;
    LayerConfig layer;
    layer.kind = kind;
    layer.nPseudo = nPseudo;
    layer.mask = MaskKind::flat;
    layer.positions = PositionKind::virtualToken;
    config.layers = {layer, layer};
    return config;
}

/// Configurations that between them use every parameter and every branch of the backward pass.
std::vector<std::pair<std::string, ModelConfig>> configurations() {
    std::vector<std::pair<std::string, ModelConfig>> all;
    all.emplace_back("mha", smallConfig(AttentionKind::mha, 1));
    all.emplace_back("iha", smallConfig(AttentionKind::iha, 2));

    ModelConfig everything = smallConfig(AttentionKind::iha, 4);
    everything.norm = NormKind::layer;
    everything.dMlp = 10;
    everything.learnedPositions = true;
    everything.nSlots = 2;
    everything.layers[0].collapse = CollapseKind::perHead;
    everything.layers[0].mask = MaskKind::token;
    everything.layers[0].positions = PositionKind::token;
    everything.layers[1].window = 2;
    all.emplace_back("iha, MLP, slots, layer norm", everything);

    ModelConfig mixed = smallConfig(AttentionKind::iha, 3);
    mixed.dMlp = 8;
    mixed.layers[0] = LayerConfig{};
    mixed.layers[0].positions = PositionKind::token;
    mixed.layers[0].positionFactor = 2;
    mixed.layers[1].mask = MaskKind::none;
    mixed.layers[1].score = ScoreKind::linear;
    mixed.headBias = false;
    all.emplace_back("one MHA layer, one linear IHA layer", mixed);

    ModelConfig grouped = smallConfig(AttentionKind::mha, 1);
    grouped.dModel = 8;
    grouped.nHeads = 4;
    grouped.nKvHeads = 2;
    all.emplace_back("grouped keys and values", grouped);

    all.emplace_back("iha-lite", smallConfig(AttentionKind::ihaLite, 1));

    ModelConfig talking = grouped;
    talking.layers[0].kind = talking.layers[1].kind = AttentionKind::talkingHeads;
    talking.layers[1].window = 2;
    all.emplace_back("talking heads, grouped", talking);
    ModelConfig linear = smallConfig(AttentionKind::talkingHeads, 1);
    linear.layers[0].score = ScoreKind::linear;
    linear.layers[1].mask = MaskKind::none;
    all.emplace_back("talking heads, linear scores", linear);

    ModelConfig differential = smallConfig(AttentionKind::differential, 1);
    differential.dModel = 12;  // halves of 2 can be rotated
    differential.layers[1].positions = PositionKind::none;
    differential.layers[1].window = 3;
    all.emplace_back("differential", differential);

    ModelConfig qwen = grouped;  // the switches of other people's models, as they go together
    qwen.headWidth = 4;          // H d = 16, D = 8
    qwen.dMlp = 6;
    qwen.activation = Activation::silu;
    qwen.gatedMlp = true;
    qwen.mlpBias = qwen.headBias = false;
    qwen.qBias = qwen.kBias = qwen.vBias = qwen.qkNorm = qwen.tiedHead = true;
    qwen.ropeDivisors = {1, 4};
    qwen.layers[1].window = 3;
    all.emplace_back("gated, grouped, normed heads, tied", qwen);

    ModelConfig gpt = smallConfig(AttentionKind::mha, 1);
    gpt.norm = NormKind::layer;
    gpt.dMlp = 7;
    gpt.activation = Activation::geluTanh;
    gpt.qBias = gpt.vBias = gpt.oBias = true;
    gpt.normBias = false;
    gpt.layers[0].scoreScale = 1;
    all.emplace_back("biases, tanh, own scale", gpt);

    ModelConfig bare = smallConfig(AttentionKind::mha, 1);
    bare.blockNorms = bare.finalNorm = false;
    bare.headWidth = 5;
    bare.rotaryWidth = 2;
    bare.dMlp = 3;
    bare.activation = Activation::relu;
    bare.gatedMlp = true;
    all.emplace_back("no norms, part of a head rotates", bare);

    ModelConfig ihaNormed = smallConfig(AttentionKind::iha, 2);
    ihaNormed.qkNorm = ihaNormed.kBias = ihaNormed.oBias = true;
    all.emplace_back("iha, normed heads, biases", ihaNormed);
    ModelConfig differentialBiased = differential;
    differentialBiased.qBias = differentialBiased.qkNorm = true;
    all.emplace_back("differential, biases, normed halves", differentialBiased);
    return all;
}

/// What only runs: no gradient goes through it.
ModelConfig nanochat() {
    ModelConfig config = smallConfig(AttentionKind::iha, 2);
    config.qkNorm = config.qkNormLast = true;
    config.logitCap = 2;
    config.dMlp = 6;
    config.activation = Activation::reluSquared;
    return config;
}

Weights inDouble(const Weights& weights) {
    Weights made;
    for (const auto& [name, tensor] : weights.entries()) made.add(name, tensor.cast(DType::f64));
    return made;
}

const Tensor ids = Tensor::of<std::int32_t>({2, 5}, {0, 3, 1, 4, 2, 2, 2, 0, 1, 3});

Tensor targetsFor(const ModelConfig& config) {
    std::vector<std::int32_t> targets;
    for (int i = 0; i < 10 * config.nSlots; ++i) targets.push_back(i % 4 == 0 ? -1 : (i * 7) % 5);
    return Tensor::of<std::int32_t>({2, 5, config.nSlots}, targets);
}

}  // namespace

namespace {

// Central differences in float64 with step 1e-5 have a truncation error near 1e-10 and a rounding
// error near 1e-11; 1e-7 leaves room for the curvature of small models and none for a wrong term.
void checkGradients(const ModelConfig& config, const Tensor& input, const Tensor& targets) {
    REQUIRE(validate(config));
    const auto backend = makeReferenceBackend();
    const Weights weights = inDouble(initialWeights(config, 3));
    const Decoder decoder(config, weights, *backend);
    const double weight = 1.0 / 7;
    const Weights gradients = zerosLike(weights, *backend);
    const auto trace = decoder.forward(input);
    REQUIRE(trace);
    const auto loss = decoder.backward(*trace, targets, weight, gradients);
    REQUIRE(loss);
    CHECK(*loss == doctest::Approx(*decoder.loss(*trace, targets, weight)));
    const auto lossNow = [&] { return *decoder.loss(*decoder.forward(input), targets, weight); };
    for (std::size_t i = 0; i < weights.entries().size(); ++i) {
        const auto& [parameter, tensor] = weights.entries()[i];
        const Tensor gradient = gradients.entries()[i].second;
        // a stride that is odd visits all kinds of entries of the larger tensors
        const std::int64_t stride = tensor.count() > 40 ? 7 : 1;
        for (std::int64_t at = 0; at < tensor.count(); at += stride) {
            double& value = tensor.data<double>()[at];
            const double kept = value, step = 1e-5;
            value = kept + step;
            const double above = lossNow();
            value = kept - step;
            const double below = lossNow();
            value = kept;
            const double numeric = (above - below) / (2 * step);
            CAPTURE_BINDING(parameter);
            CAPTURE(at);
            CHECK(std::abs(numeric - gradient.data<double>()[at]) < 1e-7);
        }
    }
}

}  // namespace

TEST_CASE("every gradient agrees with finite differences") {
    for (const auto& [name, config] : configurations()) {
        CAPTURE_BINDING(name);
        checkGradients(config, ids, targetsFor(config));
    }
}

TEST_CASE("so it does where tokens share positions and answers are few") {
    ModelConfig config = smallConfig(AttentionKind::iha, 2);
    config.learnedPositions = true;
    config.nSlots = 2;
    config.dVocabOut = 2;
    const Tensor shared = Tensor::of<std::int32_t>({1, 3, 3}, {0, 3, -1, 4, -1, 2, 1, 1, 3});
    const Tensor targets = Tensor::of<std::int32_t>({1, 3, 2}, {1, 0, -1, 1, 0, -1});
    checkGradients(config, shared, targets);
    CHECK(initialWeights(config, 0).find("unembed.W_U").shape() == Shape{6, 4});
}

TEST_CASE("a position of one token is the same with room for more") {
    for (const char* name : {"reference", "cpu"}) {
        const auto backend = makeBackend(name, 1).value();
        ModelConfig config = smallConfig(AttentionKind::mha, 1);
        config.learnedPositions = true;
        const Decoder decoder(config, initialWeights(config, 3), *backend);
        const Tensor alone = Tensor::of<std::int32_t>({1, 2}, {4, 1});
        const Tensor roomy = Tensor::of<std::int32_t>({1, 2, 2}, {4, -1, 1, -1});
        const auto a = decoder.forward(alone), b = decoder.forward(roomy);
        REQUIRE((a && b));
        for (std::int64_t i = 0; i < a->logits.count(); ++i)
            CHECK(a->logits.data<float>()[i] == b->logits.data<float>()[i]);
    }
}

TEST_CASE("gradients add up over calls") {
    const auto backend = makeReferenceBackend();
    const ModelConfig config = smallConfig(AttentionKind::iha, 2);
    const Weights weights = inDouble(initialWeights(config, 3));
    const Decoder decoder(config, weights, *backend);
    const auto trace = decoder.forward(ids);
    const Weights once = zerosLike(weights, *backend), twice = zerosLike(weights, *backend);
    REQUIRE(decoder.backward(*trace, targetsFor(config), 1, once));
    REQUIRE(decoder.backward(*trace, targetsFor(config), 1, twice));
    REQUIRE(decoder.backward(*trace, targetsFor(config), 1, twice));
    for (std::size_t i = 0; i < once.entries().size(); ++i)
        for (std::int64_t at = 0; at < once.entries()[i].second.count(); ++at)
            CHECK(twice.entries()[i].second.data<double>()[at] ==
                  doctest::Approx(2 * once.entries()[i].second.data<double>()[at]));
}

// The same sums in another order: float32 with |logit| of a few units rounds near 1e-6.
TEST_CASE("a KV cache gives the logits of recomputing") {
    const auto backend = makeReferenceBackend();
    auto all = configurations();
    all.emplace_back("nanochat", nanochat());
    for (const auto& [name, config] : all) {
        if (!config.causal()) continue;
        CAPTURE_BINDING(name);
        const Decoder decoder(config, initialWeights(config, 5), *backend);
        const Tensor prompt = Tensor::of<std::int32_t>({1, 6}, {0, 3, 1, 4, 2, 2});
        const auto whole = decoder.forward(prompt);
        REQUIRE(whole);
        auto cache = KvCache::make(config, *backend);
        REQUIRE(cache);
        ForwardOptions options;
        options.cache = &*cache;
        // rows 0..2 at once, then one at a time, with a step back in between
        std::vector<float> logits;
        const auto feed = [&](std::int64_t from, std::int64_t count) {
            const Tensor part = prompt.reshaped({6, 1}).slice(from, count).reshaped({1, count});
            const auto trace = decoder.forward(part, options);
            REQUIRE(trace);
            CHECK(trace->layers[0].maps.shape()[5] == from + count);
            const auto values = trace->logits.values<float>();
            logits.insert(logits.end(), values.begin(), values.end());
        };
        feed(0, 3);
        feed(3, 1);
        const std::size_t kept = logits.size();
        feed(4, 1);
        cache->truncate(4);
        logits.resize(kept);
        feed(4, 1);
        feed(5, 1);
        CHECK(cache->length() == 6);
        for (std::size_t i = 0; i < logits.size(); ++i)
            CHECK(logits[i] == doctest::Approx(whole->logits.data<float>()[i]).epsilon(1e-5));
    }
}

TEST_CASE("nothing is learned through capped logits and norms of what is rotated") {
    const auto backend = makeReferenceBackend();
    const ModelConfig config = nanochat();
    CHECK(configFromJson(toJson(config)).value().qkNormLast);
    CHECK(configFromJson(toJson(config)).value().logitCap == 2);
    const Weights weights = initialWeights(config, 3), gradients = zerosLike(weights, *backend);
    const Decoder decoder(config, weights, *backend);
    const auto trace = decoder.forward(ids).value();
    for (const float logit : trace.logits.values<float>()) CHECK(std::abs(logit) < 2);
    CHECK(decoder.backward(trace, targetsFor(config), 1, gradients).error().sentence() ==
          "training: there is no gradient through a norm of rotated queries and keys, nor through "
          "capped logits; look at the model, or train one without them.");
}

TEST_CASE("later tokens never change earlier logits") {
    const auto backend = makeReferenceBackend();
    const ModelConfig config = smallConfig(AttentionKind::iha, 3);
    const Decoder decoder(config, initialWeights(config, 5), *backend);
    const auto a = decoder.forward(Tensor::of<std::int32_t>({1, 4}, {0, 1, 2, 3}));
    const auto b = decoder.forward(Tensor::of<std::int32_t>({1, 4}, {0, 1, 2, 4}));
    for (int i = 0; i < 3 * config.dVocab; ++i)
        CHECK(a->logits.data<float>()[i] == b->logits.data<float>()[i]);
}

TEST_CASE("a tied head is the embedding, transposed") {
    ModelConfig own = smallConfig(AttentionKind::mha, 1), tied = own;
    own.headBias = tied.headBias = false;
    tied.tiedHead = true;
    const Weights weights = initialWeights(tied, 4);
    Weights copied = weights.clone();
    const Tensor embed = weights.find("embed.W_E"), head = Tensor::host({6, 5}, DType::f32);
    for (int id = 0; id < 5; ++id)
        for (int i = 0; i < 6; ++i)
            head.data<float>()[i * 5 + id] = embed.data<float>()[id * 6 + i];
    copied.add("unembed.W_U", head);
    for (const char* name : {"reference", "cpu"}) {
        const auto backend = makeBackend(name, 2);
        REQUIRE(backend);
        const auto a = Decoder(own, copied, **backend).forward(ids);
        const auto b = Decoder(tied, weights, **backend).forward(ids);
        for (std::int64_t i = 0; i < a->logits.count(); ++i)  // the same sums in the same order
            CHECK(a->logits.data<float>()[i] == b->logits.data<float>()[i]);
    }
}

// A key's bias adds q.b to a whole row of scores, which the softmax takes out again.
TEST_CASE("a bias of the keys alone changes no map without rotation") {
    const auto backend = makeReferenceBackend();
    ModelConfig config = smallConfig(AttentionKind::mha, 1);
    for (LayerConfig& layer : config.layers) layer.positions = PositionKind::none;
    const auto plain = Decoder(config, initialWeights(config, 2), *backend).forward(ids);
    config.kBias = true;
    const auto biased = Decoder(config, initialWeights(config, 2), *backend).forward(ids);
    for (std::int64_t i = 0; i < plain->logits.count(); ++i)
        CHECK(plain->logits.data<float>()[i] ==
              doctest::Approx(biased->logits.data<float>()[i]).epsilon(1e-5));
}

TEST_CASE("maps are kept of the layers asked for") {
    const auto backend = makeReferenceBackend();
    const ModelConfig config = smallConfig(AttentionKind::iha, 2);
    const Decoder decoder(config, initialWeights(config, 1), *backend);
    ForwardOptions options;
    options.mapLayers = {1};
    const auto trace = decoder.forward(ids, options);
    REQUIRE(trace);
    CHECK_FALSE(trace->layers[0].maps);
    CHECK(trace->layers[1].maps);
    options.captureMaps = false;
    CHECK_FALSE(decoder.forward(ids, options)->layers[1].maps);
}

TEST_CASE("a cache takes what it has room for") {
    const auto backend = makeReferenceBackend();
    const ModelConfig config = smallConfig(AttentionKind::mha, 1);
    const Decoder decoder(config, initialWeights(config, 1), *backend);
    auto cache = KvCache::make(config, *backend, 3);
    REQUIRE(cache);
    CHECK(cache->capacity() == 3);
    CHECK(KvCache::make(config, *backend, 100)->capacity() == 7);
    ForwardOptions options;
    options.cache = &*cache;
    const auto trace = decoder.forward(Tensor::of<std::int32_t>({1, 4}, {0, 1, 2, 3}), options);
    REQUIRE_FALSE(trace);
    CHECK(trace.error().sentence() == "prompt: 4 tokens are too long; there is room for 3.");
}

TEST_CASE("bad input is a sentence") {
    const auto backend = makeReferenceBackend();
    const ModelConfig config = smallConfig(AttentionKind::mha, 1);
    const Decoder decoder(config, initialWeights(config, 1), *backend);
    const auto sentence = [&](const Tensor& prompt) {
        const auto trace = decoder.forward(prompt);
        REQUIRE_FALSE(trace);
        return trace.error().sentence();
    };
    CHECK(sentence(Tensor::host({1, 0}, DType::i32)) ==
          "prompt: there are no tokens; give at least one.");
    CHECK(sentence(Tensor::host({1, 8}, DType::i32)) ==
          "prompt: 8 tokens are too long; this model takes at most 7.");
    CHECK(sentence(Tensor::of<std::int32_t>({1, 1}, {5})) ==
          "prompt: token 5 is outside the vocabulary; use ids 0 to 4.");
    // none may stand for one that shares, not for the position's own
    CHECK(decoder.forward(Tensor::of<std::int32_t>({1, 1, 2}, {0, -1})));
    CHECK(sentence(Tensor::of<std::int32_t>({1, 1, 2}, {-1, 0})) ==
          "prompt: token -1 is outside the vocabulary; use ids 0 to 4.");
    CHECK(sentence(Tensor::of<std::int32_t>({1, 1, 2}, {0, 5})) ==
          "prompt: token 5 is outside the vocabulary; use ids 0 to 4.");
}

// Head 0 is halved, head 1 is off, head 2 has lost key 2.
TEST_CASE("a map that is made of maps is cut up as shown") {
    const auto backend = makeReferenceBackend(), cpu = makeCpuBackend(1);
    ForwardOptions options;
    options.changes.resize(2);
    options.changes[1].multiplier = Tensor::host({3, 1, 1, 1, 5}, DType::f32);
    const auto factors = options.changes[1].multiplier.values<float>();
    for (std::size_t at = 0; at < factors.size(); ++at)
        factors[at] = at < 5 ? 0.5f : at < 10 || at == 12 ? 0.f : 1.f;
    for (const AttentionKind kind : {AttentionKind::talkingHeads, AttentionKind::differential}) {
        ModelConfig config = smallConfig(kind, 1);
        config.dModel = 12;
        const Weights weights = initialWeights(config, 1);
        const Decoder decoder(config, weights, *backend);
        const auto whole = decoder.forward(ids), cut = decoder.forward(ids, options);
        REQUIRE((whole && cut));
        const Tensor before = whole->layers[1].maps, after = cut->layers[1].maps;
        for (std::int64_t at = 0; at < before.count(); ++at) {
            const auto head = static_cast<std::size_t>(at / 25 % 3), key = std::size_t(at % 5);
            // one product of two floats, rounded once
            CHECK(after.data<float>()[at] == before.data<float>()[at] * factors[head * 5 + key]);
        }
        // what is read is what is shown: y = maps v, 5 terms of size 1
        const LayerTrace& layer = cut->layers[1];
        for (std::int64_t row = 0; row < 2 * 3 * 5; ++row)
            for (std::int64_t x = 0; x < 4; ++x) {
                double sum = 0;
                for (std::int64_t j = 0; j < 5; ++j)
                    sum += double(after.data<float>()[row * 5 + j]) *
                           layer.mixedV.data<float>()[(row / 5 * 5 + j) * 4 + x];
                CHECK(layer.y.data<float>()[row * 4 + x] == doctest::Approx(sum).epsilon(1e-5));
            }
        const auto onCpu = Decoder(config, weights, *cpu).forward(ids, options);
        REQUIRE(onCpu);
        for (std::int64_t i = 0; i < cut->logits.count(); ++i)
            // two layers of float32 sums in another order
            CHECK(onCpu->logits.data<float>()[i] ==
                  doctest::Approx(cut->logits.data<float>()[i]).epsilon(1e-4));

        options.changes[1].renormalise = true;
        const auto refused = decoder.forward(ids, options);
        options.changes[1].renormalise = false;
        REQUIRE_FALSE(refused);
        CHECK(refused.error().what.find("do not sum to 1") != std::string::npos);
    }
}

TEST_CASE("what cannot be done is refused") {
    const auto backend = makeReferenceBackend();
    ModelConfig config = smallConfig(AttentionKind::mha, 1);
    config.layers[1].mask = MaskKind::none;
    const auto cache = KvCache::make(config, *backend);
    REQUIRE_FALSE(cache);
    CHECK(cache.error().kind == Error::Kind::unsupported);

    config.layers[1].score = ScoreKind::hard;
    const Weights weights = initialWeights(config, 1);
    const Decoder decoder(config, weights, *backend);
    const auto trace = decoder.forward(ids);
    REQUIRE(trace);
    const auto loss = decoder.backward(*trace, targetsFor(config), 1, zerosLike(weights, *backend));
    REQUIRE_FALSE(loss);
    CHECK(loss.error().what == "hard scores have no gradient");
}

TEST_CASE("a pass can be cancelled") {
    const auto backend = makeReferenceBackend();
    const ModelConfig config = smallConfig(AttentionKind::mha, 1);
    const Decoder decoder(config, initialWeights(config, 1), *backend);
    ForwardOptions options;
    options.cancelled = [] { return true; };
    const auto trace = decoder.forward(ids, options);
    REQUIRE_FALSE(trace);
    CHECK(trace.error().kind == Error::Kind::interrupted);
}
