#include "core/models/config.h"

#include <doctest/doctest.h>

#include <functional>

using namespace headloom;

namespace {

ModelConfig fine() {
    ModelConfig config;
    config.dModel = 32;
    config.nHeads = 2;
    config.dVocab = 6;
    config.nCtx = 20;
    LayerConfig layer;
    layer.kind = AttentionKind::iha;
    layer.nPseudo = 2;
    layer.positions = PositionKind::virtualToken;
    config.layers = {layer};
    return config;
}

std::string sentenceAfter(const std::function<void(ModelConfig&)>& change) {
    ModelConfig config = fine();
    change(config);
    const auto result = validate(config);
    return result ? "" : result.error().sentence();
}

}  // namespace

TEST_CASE("impossible configurations say what is wrong and what to do") {
    CHECK(validate(fine()));
    CHECK(sentenceAfter([](ModelConfig& c) { c.nHeads = 3; }) ==
          "heads H: H = 3 does not divide D = 32; choose H so that every head has the same whole "
          "width D/H.");
    CHECK(sentenceAfter([](ModelConfig& c) { c.dModel = 30, c.nHeads = 2; }) ==
          "layer 0: rotary positions need an even head width, but d = 15; change the width, the "
          "number of heads, or use positions none.");
    CHECK(sentenceAfter([](ModelConfig& c) { c.layers[0].nPseudo = 0; }) ==
          "layer 0: P = 0 pseudo-heads; P must lie in 1..1024.");
    CHECK(sentenceAfter([](ModelConfig& c) { c.layers[0].window = -1; }) ==
          "layer 0: window of -1 tokens; a window has at least 1 token; leave it out for none.");
    CHECK(sentenceAfter([](ModelConfig& c) { c.layers[0].kind = AttentionKind::mha; }) ==
          "layer 0: MHA has no pseudo-heads, but P = 2; set P = 1 or choose IHA.");
    CHECK(
        sentenceAfter([](ModelConfig& c) { c.nKvHeads = 1; }) ==
        "layer 0: IHA mixes all heads, so keys and values cannot be grouped; use as many key/value "
        "heads as heads.");
    CHECK(sentenceAfter([](ModelConfig& c) { c.nKvHeads = 3, c.layers[0] = {}; }) ==
          "key/value heads: 3 does not divide H = 2; choose a divisor of H.");
    CHECK(sentenceAfter([](ModelConfig& c) { c.layers[0].kind = AttentionKind::ihaLite; }) ==
          "layer 0: IHA-lite has no pseudo-heads, but P = 2; set P = 1 or choose IHA.");
    const auto differential = [](ModelConfig& c) {
        c.layers[0].kind = AttentionKind::differential;
        c.layers[0].nPseudo = 1;
    };
    CHECK(sentenceAfter([&](ModelConfig& c) { differential(c), c.nKvHeads = 1; }) ==
          "layer 0: differential attention is built without grouped keys and values; use as many "
          "key/value heads as heads.");
    CHECK(sentenceAfter([&](ModelConfig& c) { differential(c), c.dModel = 30; }) ==
          "layer 0: differential attention halves every head, but d = 15; change the width or the "
          "number of heads so that d is even.");
    CHECK(sentenceAfter([&](ModelConfig& c) { differential(c), c.dModel = 12; }) ==
          "layer 0: rotary positions need an even half-head width, but d = 3; change the width, "
          "the number of heads, or use positions none.");
    CHECK(sentenceAfter([](ModelConfig& c) { c.layers.clear(); }) ==
          "layers: 0 is out of range; use 1..1024.");
    CHECK(sentenceAfter([](ModelConfig& c) { c.rotaryWidth = 18; }) ==
          "layer 0: 18 of 16 components of a head rotate; use an even number, at most the head's "
          "width.");
    CHECK(sentenceAfter([](ModelConfig& c) { c.rotaryWidth = 4, c.ropeDivisors = {1}; }) ==
          "layer 0: 1 rotary divisors for 2 pairs; give one a pair, or none.");
    CHECK(sentenceAfter([](ModelConfig& c) { c.rotaryWidth = 2, c.ropeDivisors = {0}; }) ==
          "layer 0: a rotary divisor of 0; use numbers above 0, at most 1e9.");
    CHECK(sentenceAfter([](ModelConfig& c) { c.layers[0].scoreScale = -1; }) ==
          "layer 0: score scale -1; use a factor above 0, at most 1000000, or 0 for 1/sqrt(d).");
    CHECK(sentenceAfter([](ModelConfig& c) { c.dVocabOut = 7; }) ==
          "answers: 7 is out of range; use 0..6.");
    CHECK(sentenceAfter([](ModelConfig& c) { c.tiedHead = true, c.dVocabOut = 5; }) ==
          "answers: a head tied to the embedding answers with any token; allow all tokens, or use "
          "a head of its own.");
    CHECK(sentenceAfter([](ModelConfig& c) { c.tiedHead = true, c.nSlots = 2; }) ==
          "output slots: a head tied to the embedding makes 1 prediction a token, not 2; use 1 "
          "slot, or a head of its own.");
    CHECK(sentenceAfter([](ModelConfig& c) { c.dModel = 30, c.headWidth = 16; }) == "");
    CHECK(sentenceAfter([](ModelConfig& c) { c.dVocab = 0; }) ==
          "vocabulary: 0 is out of range; use 1..16777216.");
}

TEST_CASE("a configuration survives JSON") {
    ModelConfig config = fine();
    config.dMlp = 64;
    config.norm = NormKind::layer;
    config.learnedPositions = true;
    config.headBias = false;
    config.nSlots = 4;
    config.layers.push_back({AttentionKind::mha, 1, MaskKind::token, PositionKind::token, 2.0,
                             CollapseKind::perHead, ScoreKind::linear, 5});
    const auto again = configFromJson(toJson(config));
    REQUIRE(again);
    CHECK(toJson(*again) == toJson(config));
    CHECK(again->layers[1].positionFactor == 2.0);
    config.dVocabOut = 3;
    config.headWidth = 10;
    config.activation = Activation::silu;
    config.gatedMlp = config.qBias = config.kBias = config.vBias = config.oBias = true;
    config.mlpBias = config.normBias = config.blockNorms = config.finalNorm = false;
    config.qkNorm = true;
    config.rotaryWidth = 4;
    config.ropeDivisors = {1, 2.5};
    config.layers[0].scoreScale = 0.5;
    const auto unusual = configFromJson(toJson(config));
    REQUIRE(unusual);
    CHECK(toJson(*unusual) == toJson(config));
    CHECK(unusual->ropeDivisors[1] == 2.5);
    CHECK(unusual->nClasses() == 3);
    CHECK(again->nClasses() == again->dVocab);
    CHECK(unusual->activation == Activation::silu);
    for (const AttentionKind kind : attentionKinds()) {
        ModelConfig each = fine();
        each.layers[0].kind = kind;
        each.layers[0].nPseudo = 1;
        CHECK(configFromJson(toJson(each))->layers[0].kind == kind);
    }
}

// Files written before the switches existed must stay byte for byte what they are.
TEST_CASE("our own models' text has no field that it had not") {
    ModelConfig config = fine();
    CHECK(toJson(config) ==
          R"({"dMlp":0,"dModel":32,"dVocab":6,"headBias":true,"layers":[{"collapse":"full",)"
          R"("kind":"iha","mask":"token","nPseudo":2,"positionFactor":1.0,"positions":"virtual",)"
          R"("score":"softmax","window":0}],"learnedPositions":false,"nCtx":20,"nHeads":2,)"
          R"("nKvHeads":2,"nSlots":1,"norm":"rms","normEpsilon":1e-05,"ropeTheta":10000.0})");
}

TEST_CASE("bad JSON is refused with a sentence") {
    CHECK(configFromJson("not json").error().what == "is not a JSON object");
    CHECK(configFromJson(R"({"dModel": "x"})").error().where == "configuration, dModel");
    CHECK(configFromJson(R"({"dModel": 32})").error().what == "there is no list of layers");
    CHECK(configFromJson(R"({"layers": [{"mask": "diagonal"}]})").error().sentence() ==
          "configuration, mask: \"diagonal\" is not a mask; use flat, token or none.");
    CHECK(
        configFromJson(R"({"layers": [{"kind": "mla"}]})").error().sentence() ==
        "configuration, kind: \"mla\" is not a kind of attention; use one of: mha, iha, iha-lite, "
        "talking-heads, differential.");
    CHECK_FALSE(configFromJson(R"({"dModel": 1e300, "layers": []})"));
}

TEST_CASE("the summary names what the column shows") {
    CHECK(fine().summary() == "IHA, 1 layer, 2 heads x 2 pseudo-heads of 16");
    ModelConfig plain = fine();
    plain.layers = {LayerConfig{}, LayerConfig{}};
    CHECK(plain.summary() == "MHA, 2 layers, 2 heads of 16");
    plain.nKvHeads = 1;
    CHECK(plain.summary() == "MQA, 2 layers, 2 query heads on 1 key/value head of 16");
    plain.nHeads = 4;
    plain.nKvHeads = 2;
    CHECK(plain.summary() == "GQA, 2 layers, 4 query heads on 2 key/value heads of 8");
    plain.layers[0].kind = AttentionKind::talkingHeads;
    CHECK(plain.summary() ==
          "GQA and talking heads, 2 layers, 4 query heads on 2 key/value heads of 8");
    plain.nKvHeads = 0;
    plain.layers[1].kind = AttentionKind::differential;
    CHECK(plain.summary() == "talking heads and differential attention, 2 layers, 4 heads of 8");
}
