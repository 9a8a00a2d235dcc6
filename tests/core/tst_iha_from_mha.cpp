#include "core/models/decoder.h"
#include "core/session/iha_from_mha.h"
#include "core/session/open_model.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

using namespace headloom;

namespace {

Model modelOf(const std::string& name) {
    return *openModel(std::string(HEADLOOM_TEST_DATA) + "/architectures/" + name + ".safetensors")
                .value()
                .model;
}

Tensor logitsOf(const Model& model, Backend& backend) {
    std::vector<std::int32_t> ids;
    for (int i = 0; i < std::min(12, model.config.nCtx); ++i) ids.push_back((i * 7) % 11);
    const Decoder decoder(model.config, place(model.weights, backend), backend);
    ForwardOptions options;
    options.captureMaps = false;
    options.keepActivations = false;
    const auto count = static_cast<std::int64_t>(ids.size());
    return onHost(decoder.forward(Tensor::of<std::int32_t>({1, count}, ids), options)->logits,
                  backend);
}

/// Largest difference of the logits beside the largest logit.
double distance(const Model& a, const Model& b) {
    const auto backend = makeBackend("cpu", 1).value();
    const Tensor left = logitsOf(a, *backend), right = logitsOf(b, *backend);
    REQUIRE(left.shape() == right.shape());
    double difference = 0, largest = 0;
    for (std::int64_t i = 0; i < left.count(); ++i) {
        difference =
            std::max<double>(difference, std::abs(left.data<float>()[i] - right.data<float>()[i]));
        largest = std::max<double>(largest, std::abs(left.data<float>()[i]));
    }
    return difference / largest;
}

// some hundred roundings of 6e-8: the softmax adds P times as many terms
constexpr double rounding = 1e-5;

std::string refusal(const Model& model, int nPseudo) {
    const auto made = ihaFromMha(model, nPseudo);
    return made ? std::string() : made.error().sentence();
}

}  // namespace

TEST_CASE("an IHA made from ordinary heads gives the same logits") {
    // learned positions, rotary ones with grouped keys, a window, norms and biases of q and k
    for (const char* name : {"gpt2", "llama", "mistral", "qwen2", "qwen3", "lens", "nanogpt"})
        for (const int nPseudo : {1, 2, 3}) {
            const Model mha = modelOf(name);
            const auto iha = ihaFromMha(mha, nPseudo);
            INFO(std::string(name) << ", P = " << nPseudo);
            REQUIRE(iha);
            CHECK(checkWeights((*iha)->config, (*iha)->weights));
            CHECK(distance(mha, **iha) <= rounding);
        }
}

TEST_CASE("every weight of the mixing it got can be edited") {
    const Model mha = modelOf("llama");
    const auto iha = ihaFromMha(mha, 2).value();
    for (const char* name : {"alpha_Q", "alpha_K", "alpha_V", "R"}) {
        Model edited = *iha;
        edited.weights = iha->weights.clone();
        const Tensor mixing = edited.weights.find(std::string("blocks.0.attn.") + name);
        mixing.data<float>()[1] += 1.0F;
        INFO(std::string(name));
        CHECK(distance(mha, edited) > 1e-3);  // far beyond rounding
    }
}

TEST_CASE("linear and hard scores keep their logits too") {
    for (const ScoreKind score : {ScoreKind::linear, ScoreKind::hard}) {
        Model mha;
        mha.config.dModel = 8;
        mha.config.nHeads = 2;
        mha.config.dVocab = 11;
        mha.config.nCtx = 12;
        LayerConfig layer;
        layer.score = score;
        // of an ordinary head other names for token and token
        layer.mask = MaskKind::flat;
        layer.positions = PositionKind::virtualToken;
        mha.config.layers = {layer, layer};
        mha.weights = initialWeights(mha.config, 3);
        CHECK(distance(mha, **ihaFromMha(mha, 2)) <= rounding);
    }
}

TEST_CASE("what is not shared are the mixing and grouped keys and values") {
    const Model mha = modelOf("llama");
    const auto iha = ihaFromMha(mha, 2).value();
    CHECK(iha->weights.find("embed.W_E").raw() == mha.weights.find("embed.W_E").raw());
    CHECK(iha->weights.find("blocks.0.attn.W_Q").raw() ==
          mha.weights.find("blocks.0.attn.W_Q").raw());
    CHECK(iha->config.kvHeads() == mha.config.nHeads);
    CHECK(iha->name == "llama as IHA, P = 2");
}

TEST_CASE("models that have no ordinary heads, and other P, are refused with a sentence") {
    const Model mha = modelOf("llama");
    CHECK(refusal(**ihaFromMha(mha, 2), 2) ==
          "llama as IHA, P = 2: is already IHA (layer 0); edit its mixing as it is.");
    CHECK(refusal(modelOf("iha-e"), 2) ==
          "iha-e: layer 0 is IHA-lite, which is not made of ordinary heads; choose an MHA or GQA "
          "model.");
    CHECK(refusal(mha, 0) == "layer 0: P = 0 pseudo-heads; P must lie in 1..1024.");
    CHECK(refusal(mha, 1025) == "layer 0: P = 1025 pseudo-heads; P must lie in 1..1024.");
    Model filter = mha;
    filter.filter = FilterConfig{};
    CHECK(refusal(filter, 2) ==
          "llama: is a graph filter, which has no decoder; open a model that reads tokens.");
}
