#include "core/session/chain_run.h"
#include "core/session/mha_difference.h"
#include "core/session/mixing_edits.h"
#include "core/session/row_of_run.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace headloom;

namespace {

/// MHA below two IHA layers, with an MLP: an edit of the last leaves two layers as they are.
std::shared_ptr<const Model> threeLayers(MaskKind mask = MaskKind::flat,
                                         PositionKind positions = PositionKind::virtualToken,
                                         ScoreKind score = ScoreKind::softmax) {
    auto model = std::make_shared<Model>();
    ModelConfig& config = model->config;
    config.dModel = 8;
    config.nHeads = 2;
    config.dMlp = 5;
    config.dVocab = 6;
    config.nCtx = 16;
    LayerConfig iha{AttentionKind::iha, 3, mask, positions};
    iha.score = score;
    config.layers = {{AttentionKind::mha, 1, MaskKind::token, PositionKind::token}, iha, iha};
    model->vocabulary = Vocabulary({"a", "b", "c", "d", "e", "."}, 5);
    model->weights = initialWeights(config, 3);
    return model;
}

ChainRequest requestFor(std::shared_ptr<const Model> model) {
    ChainRequest request;
    request.model = std::move(model);
    request.prompt = {0, 3, 1, 4, 2, 2, 0};
    request.activations = false;
    request.keepResiduals = true;
    return request;
}

std::shared_ptr<const ChainRun> run(const ChainRequest& request) {
    const auto backend = makeCpuBackend(1);
    auto made = runChain(request, *backend);
    REQUIRE(made);
    return std::make_shared<const ChainRun>(std::move(*made));
}

bool equal(const Tensor& a, const Tensor& b) {
    return a.shape() == b.shape() && std::equal(a.raw(), a.raw() + a.bytes(), b.raw());
}

std::shared_ptr<const Model> edited(const std::shared_ptr<const Model>& model, int layer) {
    const MixingWeight weight{layer, MixingTensor::alphaV, {1, 0, 2}};
    return changedModel(model, withWeight(*model, {}, weight, 3.0F).value());
}

constexpr MixingPreset trained{MixingPreset::Kind::trained, 0},
    identity{MixingPreset::Kind::identity, 0};

std::shared_ptr<const Model> withIdentity(const std::shared_ptr<const Model>& model) {
    return changedModel(model, withMixing(*model, {}, {}, trained, identity, 1).value());
}

MhaDifference differenceOf(const std::shared_ptr<const Model>& model) {
    const auto backend = makeCpuBackend(1);
    return differenceToMha(*run(requestFor(model)), 1 << 20, *backend).value();
}

}  // namespace

TEST_CASE("an edited run is bit by bit a fresh run of the edited model") {
    const auto model = threeLayers();
    for (const bool effective : {false, true})
        for (const int layer : {1, 2}) {
            ChainRequest request = requestFor(model);
            request.effectiveMaps = effective;
            const auto before = run(request);
            request.model = edited(model, layer);
            const auto fresh = run(request);
            request.editOf = before;
            const auto after = run(request);
            INFO("layer " << layer << ", effective " << effective);
            CHECK(equal(after->trace.logits, fresh->trace.logits));
            CHECK_FALSE(equal(after->trace.logits, before->trace.logits));
            REQUIRE(after->trace.layers.size() == 3);
            REQUIRE(after->residuals.size() == 3);
            for (std::size_t i = 0; i < 3; ++i) {
                CHECK(equal(after->trace.layers[i].maps, fresh->trace.layers[i].maps));
                CHECK(equal(after->residuals[i], fresh->residuals[i]));
                const bool below = static_cast<int>(i) < layer;
                CHECK((after->trace.layers[i].maps.raw() == before->trace.layers[i].maps.raw()) ==
                      below);
            }
            CHECK(after->effective.size() == fresh->effective.size());
            for (std::size_t i = 0; i < after->effective.size(); ++i)
                CHECK(equal(after->effective[i], fresh->effective[i]));
        }
}

TEST_CASE("an edit of nothing is the run itself") {
    const ChainRequest first = requestFor(threeLayers());
    ChainRequest again = first;
    again.editOf = run(first);
    CHECK(run(again)->trace.logits.raw() == again.editOf->trace.logits.raw());
    again.effectiveMaps = true;  // which the run does not have
    CHECK(run(again)->effective.size() == 3);
}

TEST_CASE("what is off in both runs is not run again, and an edit above it is right") {
    ChainRequest request = requestFor(threeLayers());
    request.ablation.cuts = {{ModelPart::ofHead(0, 1), Instead::zero, false, -1}};
    const auto before = run(request);
    ChainRequest again = request;
    again.editOf = before;
    CHECK(run(again)->trace.logits.raw() == before->trace.logits.raw());

    request.model = edited(request.model, 2);
    const auto fresh = run(request);
    request.editOf = before;
    const auto after = run(request);
    CHECK(after->trace.layers[1].maps.raw() == before->trace.layers[1].maps.raw());
    CHECK(equal(after->trace.logits, fresh->trace.logits));
    request.ablation.cuts.clear();  // switched on again: nothing above it is known
    CHECK_FALSE(equal(run(request)->trace.logits, fresh->trace.logits));
}

TEST_CASE("what went into a layer is that of the run, with what is off in it") {
    ChainRequest request = requestFor(threeLayers());
    request.ablation.cuts = {{ModelPart::ofHead(0, 1), Instead::zero, false, -1}};
    const auto kept = run(request);
    request.keepResiduals = false;
    const auto bare = run(request);
    const auto backend = makeCpuBackend(1);
    const auto found = residualOfRun(*bare, 1, *backend);
    REQUIRE(found);
    CHECK(equal(*found, kept->residuals[1]));
    const auto row = rowOfRun(*bare, 3, *backend);
    REQUIRE_FALSE(row);
    CHECK(row.error().sentence().find("does not add up") != std::string::npos);
    CHECK(row.error().sentence().find("switch everything on again") != std::string::npos);
}

TEST_CASE("an edit keeps the tokens that were fed, and a new run decodes anew") {
    ChainRequest request = requestFor(threeLayers());
    request.mode = ChainMode::onItsOwn;
    request.prompt = {0, 3};
    request.maxSteps = 8;
    const auto before = run(request);
    request.model = changedModel(
        request.model,
        withMixing(*request.model, {}, {}, {MixingPreset::Kind::random, 5}, identity, 0).value());
    const auto anew = run(request);
    request.editOf = before;
    const auto kept = run(request);
    REQUIRE(anew->tokens != before->tokens);  // else this shows nothing
    CHECK(kept->tokens == before->tokens);
    CHECK_FALSE(equal(kept->trace.logits, before->trace.logits));
}

TEST_CASE("a run with too many maps is edited as well") {
    ChainRequest request = requestFor(threeLayers());
    request.mostMapBytes = 2 * 9 * 7 * 7 * 4;  // those of one layer
    request.layer = 1;
    const auto before = run(request);
    REQUIRE(before->mapLayer == 1);
    request.model = edited(request.model, 2);
    request.layer = 2;
    const auto fresh = run(request);
    request.editOf = before;
    const auto after = run(request);
    CHECK(after->mapLayer == 2);
    CHECK(equal(after->trace.logits, fresh->trace.logits));
    CHECK(equal(after->trace.layers[2].maps, fresh->trace.layers[2].maps));
}

// Some hundred roundings of 6e-8 beside logits of about 1.
constexpr double rounding = 1e-5;

TEST_CASE("identity mixing is MHA where mask and positions let it be") {
    const MhaDifference same =
        differenceOf(withIdentity(threeLayers(MaskKind::token, PositionKind::token)));
    CHECK(same.exact);
    CHECK(same.maps.value() < rounding);
    CHECK(same.logits.value() < rounding);
    const MhaDifference flat =
        differenceOf(withIdentity(threeLayers(MaskKind::flat, PositionKind::none)));
    CHECK(flat.exact);
    CHECK(flat.logits.value() < rounding);
    const MhaDifference linear = differenceOf(
        withIdentity(threeLayers(MaskKind::flat, PositionKind::none, ScoreKind::linear)));
    CHECK(linear.exact);
    CHECK(linear.maps.value() < rounding);
    CHECK(linear.logits.value() < rounding);
}

TEST_CASE("where it is not MHA the reason is said") {
    const MhaDifference turned = differenceOf(withIdentity(threeLayers()));
    CHECK_FALSE(turned.exact);
    CHECK(turned.maps.value() > 1e-3);  // far beyond rounding
    CHECK(turned.reason.find("positions of their own") != std::string::npos);

    const auto flat = threeLayers(MaskKind::flat, PositionKind::none);
    auto first = withMixing(*flat, {}, {}, trained, identity, 1).value();
    for (int layer = 1; layer < 3; ++layer)
        for (int head = 0; head < 2; ++head)
            for (int p = 0; p < 3; ++p)
                first =
                    withWeight(*flat, first, {layer, MixingTensor::collapse, {head, head * 3 + p}},
                               p == 0 ? 1.0F : 0.0F)
                        .value();
    const MhaDifference early = differenceOf(changedModel(flat, first));
    CHECK_FALSE(early.exact);
    CHECK(early.maps.value() > 1e-3);
    CHECK(early.reason.find("flat mask") != std::string::npos);

    const MhaDifference own = differenceOf(threeLayers());
    CHECK(own.reason == "alphaQ of layer 1 is not the identity");
    CHECK(own.logits.value() > 1e-3);
}
