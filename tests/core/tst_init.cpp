#include "core/models/decoder.h"
#include "core/models/weights.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <vector>

using namespace headloom;

namespace {

ModelConfig smallConfig(AttentionKind kind = AttentionKind::iha, int nPseudo = 2) {
    ModelConfig config;
    config.dModel = 8;
    config.nHeads = 2;
    config.dVocab = 5;
    config.nCtx = 6;
    LayerConfig layer;
    layer.kind = kind;
    layer.nPseudo = nPseudo;
    layer.mask = MaskKind::flat;
    config.layers = {layer};
    return config;
}

std::vector<float> started(MixingStart start, const char* name, CollapseKind collapse = {}) {
    ModelConfig config = smallConfig();
    config.layers[0].collapse = collapse;
    MixingInit mixing;
    mixing.start = start;
    const Tensor tensor = initialWeights(config, 9, mixing).find(std::string("blocks.0.") + name);
    return {tensor.values<float>().begin(), tensor.values<float>().end()};
}

using Floats = std::vector<float>;

}  // namespace

TEST_CASE("every way to start says where R and alpha are") {
    const Floats identity = {1, 1, 0, 0, 0, 0, 1, 1};  // [source, target, P]
    CHECK(started(MixingStart::identity, "attn.alpha_K") == identity);
    CHECK(started(MixingStart::identity, "attn.R") == Floats{0.5, 0.5, 0, 0, 0, 0, 0.5, 0.5});
    CHECK(started(MixingStart::mean, "attn.R") == Floats{0.5, 0.5, 0, 0, 0, 0, 0.5, 0.5});
    CHECK(started(MixingStart::selectFirst, "attn.R") == Floats{1, 0, 0, 0, 0, 0, 1, 0});
    CHECK(started(MixingStart::selectLast, "attn.R") == Floats{0, 1, 0, 0, 0, 0, 0, 1});
    CHECK(started(MixingStart::selectLast, "attn.R", CollapseKind::perHead) == Floats{0, 1, 0, 1});
    CHECK(started(MixingStart::mean, "attn.alpha_Q") != identity);
    // alpha's noise is that of its stream, whatever R does
    CHECK(started(MixingStart::selectFirst, "attn.alpha_Q") ==
          started(MixingStart::identityNoise, "attn.alpha_Q"));
}

// The numbers that Headloom 0.1 drew: recipes of that time must go on giving their models. The
// generator works in integers and double, and the result is rounded to float once.
TEST_CASE("identity with noise is bit for bit what it was") {
    const Weights weights = initialWeights(smallConfig(), 9);
    const auto sum = [&](const char* name) {
        std::uint32_t all = 0;
        for (const float value : weights.find(name).values<float>()) {
            std::uint32_t bits;
            std::memcpy(&bits, &value, sizeof bits);
            all = all * 31 + bits;
        }
        return all;
    };
    CHECK(sum("blocks.0.attn.alpha_Q") == 3908862934u);
    CHECK(sum("blocks.0.attn.R") == 1655671984u);
}

// iha.md 3: flat mask, no rotary positions, R selecting the last pseudo-head. The sums run over
// P times as many terms in another order: some roundings of logits near 1.
TEST_CASE("selecting the last pseudo-head without noise is MHA under the flat mask") {
    const auto backend = makeReferenceBackend();
    const Tensor ids = Tensor::of<std::int32_t>({1, 6}, {0, 3, 1, 4, 2, 2});
    const auto logits = [&](const ModelConfig& config, MixingStart start) {
        MixingInit mixing;
        mixing.start = start;
        mixing.alphaNoise = 0;
        const Decoder decoder(config, initialWeights(config, 4, mixing), *backend);
        const auto trace = decoder.forward(ids);
        REQUIRE(trace);
        return trace->logits;
    };
    const auto difference = [](const Tensor& a, const Tensor& b) {
        float largest = 0;
        for (std::int64_t i = 0; i < a.count(); ++i)
            largest = std::max(largest, std::abs(a.data<float>()[i] - b.data<float>()[i]));
        return largest;
    };
    const Tensor mha = logits(smallConfig(AttentionKind::mha, 1), MixingStart::identity);
    const ModelConfig iha = smallConfig(AttentionKind::iha, 3);
    CHECK(difference(mha, logits(iha, MixingStart::selectLast)) < 1e-5f);
    CHECK(difference(mha, logits(iha, MixingStart::selectFirst)) > 1e-3f);
}

TEST_CASE("names of the ways to start") {
    for (const std::string& name : mixingStartNames())
        CHECK(nameOf(mixingStartFrom(name).value()) == name);
    CHECK(mixingStartFrom("zero").error().sentence() ==
          "initialisation: \"zero\" is not a way to start the mixing; use one of: identity, "
          "identity+noise, mean, select-first, select-last.");
}
