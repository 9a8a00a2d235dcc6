#include "core/io/architectures/weight_checks.h"
#include "core/io/safetensors.h"
#include "core/session/doctor.h"
#include "core/session/open_model.h"
#include "tests/support/checkpoints.h"

#include <doctest/doctest.h>

#include <limits>

using namespace headloom;
using namespace headloom::testing;

namespace {

std::string data(const std::string& name) {
    return std::string(HEADLOOM_TEST_DATA) + "/architectures/" + name + ".safetensors";
}

Model modelOf(const std::string& name) {
    return *openModel(data(name)).value().model;
}

/// A GPT-2 of the size of a small one's head, initialised as its authors do: N(0, 0.02).
Model untrained() {
    Model model;
    model.config.dModel = 64;
    model.config.nHeads = 4;
    model.config.dVocab = 50;
    model.config.nCtx = 32;
    model.config.norm = NormKind::layer;
    model.config.layers = {LayerConfig{}, LayerConfig{}};
    model.weights = initialWeights(model.config, 1);
    for (const auto& [name, tensor] : model.weights.entries())
        if (tensor.shape().rank() > 1)
            for (float& value : tensor.values<float>()) value *= 0.3f;  // 1/sqrt(3 * 64) * 0.3
    return model;
}

}  // namespace

TEST_CASE("numbers that no training gives are named with their tensor and head") {
    Model model = modelOf("llama");
    CHECK(checkNumbers(model.weights).empty());
    const float nan = std::numeric_limits<float>::quiet_NaN();
    model.weights.find("blocks.1.attn.W_Q").at(2).data<float>()[3] = nan;
    model.weights.find("blocks.0.ln1.w").data<float>()[0] = std::numeric_limits<float>::infinity();
    for (float& value : model.weights.find("blocks.0.mlp.W_in").values<float>()) value = 0;
    for (float& value : model.weights.find("blocks.0.mlp.W_out").values<float>()) value = 1e-38f;
    model.weights.find("embed.W_E").data<float>()[5] = 3e8f;
    std::string all;
    for (const std::string& sentence : checkNumbers(model.weights)) all += sentence + "\n";
    CHECK(all ==
          "embed.W_E has numbers up to 3e+08: larger than trained ones are\n"
          "1 of 8 numbers of blocks.0.ln1.w are not finite\n"
          "blocks.0.mlp.W_in is all zero\n"
          "blocks.0.mlp.W_out has no number above 1e-38: bytes may have been read in the "
          "wrong order\n"
          "1 of 128 numbers of blocks.1.attn.W_Q are not finite (head 2)\n");
}

TEST_CASE("attention that looks everywhere alike is pointed out") {
    const auto backend = makeBackend("cpu", 1).value();
    for (const char* name : {"llama", "qwen3", "lens", "nanogpt", "iha-e"}) {
        const double distance = *distanceFromUniform(modelOf(name), *backend);
        CHECK(attentionHint(distance).empty());
    }
    Model broken = modelOf("llama");
    broken.weights.find("blocks.0.attn.W_Q").data<float>()[3] =
        std::numeric_limits<float>::quiet_NaN();
    CHECK(attentionHint(*distanceFromUniform(broken, *backend)).find("not finite") !=
          std::string::npos);
    const double distance = *distanceFromUniform(untrained(), *backend);
    CHECK(attentionHint(distance).starts_with("every head looks at all tokens nearly alike"));
    if (const auto file = fixture("llama2c/stories260K.bin"))
        CHECK(*distanceFromUniform(*openModel(file->string())->model, *backend) > 0.3);
}

TEST_CASE("the doctor stops when it is told to") {
    const auto backend = makeBackend("cpu", 1).value();
    Model model = modelOf("llama");
    int asked = 0;
    const auto atTheSecond = [&asked] { return ++asked == 2; };
    const auto distance = distanceFromUniform(model, *backend, atTheSecond);
    REQUIRE(!distance);
    CHECK(distance.error().kind == Error::Kind::interrupted);
    CHECK(asked == 2);
    for (const char* name : {"embed.W_E", "blocks.0.mlp.W_in"})
        for (float& value : model.weights.find(name).values<float>()) value = 0;
    asked = 0;
    CHECK(checkNumbers(model.weights, atTheSecond) ==
          std::vector<std::string>{"embed.W_E is all zero"});
}

TEST_CASE("logits of another program are compared position by position") {
    const auto backend = makeBackend("cpu", 1).value();
    const auto golden =
        openTensorSource(std::string(HEADLOOM_TEST_DATA) + "/architectures/golden.safetensors")
            .value();
    const Tensor ids = golden->read(*golden->find("gpt2.ids"), DType::f32).value(),
                 logits = golden->read(*golden->find("gpt2.logits"), DType::f32).value();
    const TemporaryFolder folder;
    const auto parity = [&](const NamedTensors& tensors, const std::vector<int>& given = {}) {
        return compareLogits(modelOf("gpt2"), folder.write("r", safetensorsOf(tensors)), given,
                             *backend);
    };
    const auto same = parity({{"ids", ids}, {"logits", logits}});
    REQUIRE(same);
    CHECK(same->positions == 9);
    CHECK(same->firstDifferent == -1);
    CHECK(same->firstOtherToken == -1);
    CHECK(same->maxDifference < 2e-5);
    CHECK(same->sentence().ends_with(", within 0.001 of it"));
    logits.at(4).data<float>()[0] += 0.02f;
    logits.at(6).data<float>()[1] = 12;
    const auto other = parity({{"ids", ids}, {"logits", logits}});
    CHECK(other->firstDifferent == 4);
    CHECK(other->firstOtherToken == 6);
    CHECK(other->maxDifference > 5);
    CHECK(parity({{"logits", logits}}).error().what == "does not say which tokens were read");
    CHECK(parity({{"logits", logits}}, {3, 1, 7, 12, 0, 5, 5, 9, 2})->firstDifferent == 4);
    CHECK(parity({{"logits", logits}}, {1, 2}).error().remedy ==
          "save the logits of all positions, [N, V]");
    CHECK(parity({{"a", ids}, {"b", logits}}).error().what == "has no tensor \"logits\"");
}
