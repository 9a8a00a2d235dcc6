#include "core/session/mixing_edits.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace headloom;

namespace {

std::shared_ptr<const Model> modelOf(std::vector<LayerConfig> layers) {
    auto model = std::make_shared<Model>();
    model->name = "small";
    model->config.dModel = 8;
    model->config.nHeads = 2;
    model->config.dVocab = 6;
    model->config.nCtx = 12;
    model->config.layers = std::move(layers);
    model->weights = initialWeights(model->config, 3);
    return model;
}

LayerConfig interleaved(CollapseKind collapse = CollapseKind::full,
                        ScoreKind score = ScoreKind::softmax) {
    LayerConfig layer{AttentionKind::iha, 3, MaskKind::flat, PositionKind::none};
    layer.collapse = collapse;
    layer.score = score;
    return layer;
}

std::string refusal(const char* text, const Model& model) {
    const auto made = mixingAssignmentFrom(text, model);
    return made ? std::string() : made.error().sentence();
}

std::vector<float> numbers(const Tensor& tensor) {
    return {tensor.values<float>().begin(), tensor.values<float>().end()};
}

constexpr MixingPreset trained{MixingPreset::Kind::trained, 0},
    identity{MixingPreset::Kind::identity, 0}, uniform{MixingPreset::Kind::uniform, 0};

}  // namespace

TEST_CASE("a weight is named as its tensor has it, and the name is read back") {
    const auto model = modelOf({interleaved(), interleaved(CollapseKind::perHead)});
    const auto read = mixingAssignmentFrom("L1.alphaK[1,0,2]=-0.25", *model);
    REQUIRE(read);
    CHECK(read->weight == MixingWeight{1, MixingTensor::alphaK, {1, 0, 2}});
    CHECK(read->value == -0.25F);
    CHECK(textOf(read->weight, *model) == "L1.alphaK[1,0,2]");
    CHECK(offsetOf(read->weight, *model) == (1 * 2 + 0) * 3 + 2);
    CHECK(mixingWeightFrom("R[1,5]", *model) == MixingWeight{0, MixingTensor::collapse, {1, 5}});
    const auto lone = modelOf({interleaved()});
    CHECK(textOf(mixingWeightFrom("L0.R[1,5]", *lone).value(), *lone) == "R[1,5]");
}

TEST_CASE("what cannot be set is said in a sentence") {
    const auto model = modelOf({interleaved(), {}});
    CHECK(refusal("alphaQ=1", *model) ==
          "alphaQ: is not the name of a weight; write it as in alphaQ[2,1,0] or L0.R[1,3].");
    CHECK(refusal("alphaQ[0,0,0]", *model) ==
          "alphaQ[0,0,0]: has no value; write for example alphaQ[2,1,0]=0.8.");
    CHECK(refusal("beta[0,0,0]=1", *model) ==
          "beta: no mixing matrix is called that; use alphaQ, alphaK, alphaV or R (logits or "
          "weights of "
          "talking heads).");
    CHECK(refusal("alphaQ[0,2,0]=1", *model) == "alphaQ: there is no target head 2; use 0 to 1.");
    CHECK(refusal("R[0,6]=1", *model) == "R: there is no column 6; use 0 to 5.");
    CHECK(refusal("R[0,1,2]=1", *model) ==
          "R[0,1,2]: R has 2 indices, not 3; its shape is [2, 6].");
    CHECK(refusal("R[0,x]=1", *model) ==
          "R[0,x]: its indices are not whole numbers between commas; write it as in "
          "alphaQ[2,1,0] or L0.R[1,3].");
    CHECK(refusal("L7.R[0,0]=1", *model) == "layer: there is no layer 7; use 0 to 1.");
    CHECK(refusal("L1.R[0,0]=1", *model) ==
          "R: layer 1 (MHA) has none; choose a model that mixes heads, such as an IHA.");
    CHECK(refusal("logits[0,0]=1", *model) ==
          "logits: layer 0 (IHA) has none; it has alphaQ, alphaK, alphaV, R.");
    CHECK(refusal("R[0,0]=nan", *model) ==
          "R[0,0]=nan: \"nan\" is not a finite number; write for example alphaQ[2,1,0]=0.8.");
    for (const char* text : {"", "[", "]", "=", "L.R[0,0]=1", "Lx.R[0,0]=1", "R[]=1",
                             "R[0,0]=", "R[0,0]=1x", "R[0,99999999999]=1", "R[0,-1]=1"})
        CHECK_FALSE(refusal(text, *model).empty());
    CHECK_FALSE(mixingPresetFrom("random:x"));
    CHECK_FALSE(mixingPresetFrom("identity:1"));
    CHECK(mixingPresetFrom("random:7") == MixingPreset{MixingPreset::Kind::random, 7});
    CHECK(textOf(*mixingPresetFrom("random:7")) == "random:7");
}

TEST_CASE("a weight that is set changes one tensor, and back at its value none") {
    const auto model = modelOf({interleaved()});
    const MixingWeight weight{0, MixingTensor::alphaQ, {1, 0, 2}};
    const float before = weightOf(*model, {}, weight);
    const auto set = withWeight(*model, {}, weight, before + 1);
    REQUIRE(set);
    CHECK(set->weights.size() == 1);
    CHECK(weightOf(*model, *set, weight) == before + 1);
    CHECK(weightOf(*model, {}, weight) == before);  // the model itself is as it was

    const auto edited = changedModel(model, *set);
    for (const auto& [name, tensor] : edited->weights.entries())
        CHECK((tensor.raw() == model->weights.find(name).raw()) ==
              (name != "blocks.0.attn.alpha_Q"));
    CHECK(firstLayerThatDiffers(*model, *edited) == 0);
    CHECK(withWeight(*model, *set, weight, before)->empty());
    CHECK(changedModel(model, {}) == model);
}

TEST_CASE("the presets are what they say") {
    const auto model = modelOf({interleaved()});
    const auto of = [&](MixingTensor matrix, const MixingPreset& preset) {
        return numbers(presetTensor(*model, 0, matrix, preset));
    };
    // [source, target, pseudo]
    CHECK(of(MixingTensor::alphaV, identity) ==
          std::vector<float>{1, 1, 1, 0, 0, 0, 0, 0, 0, 1, 1, 1});
    // the last pseudo-head of the own head
    CHECK(of(MixingTensor::collapse, identity) ==
          std::vector<float>{0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1});
    CHECK(of(MixingTensor::alphaQ, uniform) == std::vector<float>(12, 0.5F));
    CHECK(of(MixingTensor::collapse, uniform) == std::vector<float>(12, 1.0F / 6));
    const MixingPreset seven{MixingPreset::Kind::random, 7}, eight{MixingPreset::Kind::random, 8};
    CHECK(of(MixingTensor::alphaQ, seven) == of(MixingTensor::alphaQ, seven));
    CHECK(of(MixingTensor::alphaQ, seven) != of(MixingTensor::alphaQ, eight));
    CHECK(of(MixingTensor::alphaQ, seven) != of(MixingTensor::alphaK, seven));

    const auto own = modelOf({interleaved(CollapseKind::perHead)});
    CHECK(numbers(presetTensor(*own, 0, MixingTensor::collapse, identity)) ==
          std::vector<float>{0, 0, 1, 0, 0, 1});
    // linear scores add up the three copies of a key
    const auto linear = modelOf({interleaved(CollapseKind::perHead, ScoreKind::linear)});
    CHECK(numbers(presetTensor(*linear, 0, MixingTensor::collapse, identity))[2] == 1.0F / 3);
    const auto talking = modelOf({{AttentionKind::talkingHeads}});
    CHECK(numbers(presetTensor(*talking, 0, MixingTensor::logits, identity)) ==
          std::vector<float>{1, 0, 0, 1});
}

TEST_CASE("the slider between two presets is each of them at its ends") {
    const auto model = modelOf({interleaved(), interleaved()});
    const auto at = [&](double t, MixingScope scope = {}) {
        return withMixing(*model, {}, scope, trained, identity, t).value();
    };
    CHECK(at(0).empty());
    CHECK(at(1).weights.size() == 8);  // four matrices of two layers
    CHECK(numbers(at(1).weights.at("blocks.1.attn.R")) ==
          numbers(presetTensor(*model, 1, MixingTensor::collapse, identity)));
    const MixingWeight weight{0, MixingTensor::alphaQ, {0, 0, 0}};
    const float own = weightOf(*model, {}, weight);
    CHECK(weightOf(*model, at(0.25), weight) == doctest::Approx(0.75 * own + 0.25));

    const auto one = at(1, {1, MixingTensor::alphaK});
    REQUIRE(one.weights.size() == 1);
    CHECK(one.weights.begin()->first == "blocks.1.attn.alpha_K");
    CHECK(firstLayerThatDiffers(*model, *changedModel(model, one)) == 1);
    CHECK(withTrainedMixing(*model, at(1), {1, std::nullopt}).weights.size() == 4);
    CHECK_FALSE(withMixing(*model, {}, {}, trained, identity, 1.5));
    CHECK_FALSE(withMixing(*model, {}, {5, std::nullopt}, trained, identity, 1));
    CHECK(withMixing(*modelOf({{}}), {}, {}, trained, identity, 1).error().sentence() ==
          "small: no layer has a mixing matrix; choose a model that mixes heads, such as an IHA.");
}
