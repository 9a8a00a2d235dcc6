#include "core/models/decoder.h"
#include "core/models/map_attention.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace headloom;

namespace {

ModelConfig configOf(AttentionKind kind) {
    ModelConfig config;
    config.dModel = 8;
    config.nHeads = 2;
    config.dVocab = 5;
    config.nCtx = 6;
    LayerConfig layer;
    layer.kind = kind;
    config.layers = {layer, layer};
    return config;
}

const Tensor ids = Tensor::of<std::int32_t>({1, 5}, {0, 3, 1, 4, 2});

ActivationTrace traceOf(const ModelConfig& config, const Weights& weights, Backend& backend) {
    return Decoder(config, weights, backend).forward(ids).value();
}

double rowSum(const Tensor& maps, std::int64_t head, std::int64_t row) {
    const std::int64_t rows = maps.size(4), keys = maps.size(5);
    double sum = 0;
    for (std::int64_t j = 0; j < keys; ++j)
        sum += maps.data<float>()[(head * rows + row) * keys + j];
    return sum;
}

}  // namespace

// The same operations in another order: roundings of logits near 1.
TEST_CASE("talking heads that keep to themselves are MHA") {
    const auto backend = makeReferenceBackend();
    MixingInit plain;
    plain.start = MixingStart::identity;
    const ModelConfig talking = configOf(AttentionKind::talkingHeads),
                      mha = configOf(AttentionKind::mha);
    const ActivationTrace a = traceOf(talking, initialWeights(talking, 3, plain), *backend),
                          b = traceOf(mha, initialWeights(mha, 3), *backend);
    for (std::int64_t i = 0; i < a.logits.count(); ++i)
        CHECK(a.logits.data<float>()[i] ==
              doctest::Approx(b.logits.data<float>()[i]).epsilon(1e-5));
}

TEST_CASE("the maps of talking heads are the mixed weights") {
    const auto backend = makeReferenceBackend();
    const ModelConfig config = configOf(AttentionKind::talkingHeads);
    const Weights weights = initialWeights(config, 3);
    // [source, target]: head 0 takes 2 of head 0 and -1.5 of head 1, head 1 half of each
    weights.find("blocks.0.attn.mix_W").values<float>()[0] = 2;
    weights.find("blocks.0.attn.mix_W").values<float>()[1] = 0.5f;
    weights.find("blocks.0.attn.mix_W").values<float>()[2] = -1.5f;
    weights.find("blocks.0.attn.mix_W").values<float>()[3] = 0.5f;
    const ActivationTrace trace = traceOf(config, weights, *backend);
    const Tensor maps = trace.layers[0].maps;
    CHECK(maps.shape() == Shape{1, 2, 1, 1, 5, 5});
    for (std::int64_t row = 0; row < 5; ++row) {
        CHECK(rowSum(maps, 0, row) == doctest::Approx(0.5));
        CHECK(rowSum(maps, 1, row) == doctest::Approx(1.0));
    }
    CHECK(maps.data<float>()[1] == 0);  // a later token
}

TEST_CASE("the maps of differential attention are the signed difference") {
    const auto backend = makeReferenceBackend();
    const ModelConfig config = configOf(AttentionKind::differential);
    const Weights weights = initialWeights(config, 3);
    // sharp maps, so that the second outweighs the first somewhere
    for (float& value : weights.find("blocks.0.attn.W_Q").values<float>()) value *= 10;
    const ActivationTrace trace = traceOf(config, weights, *backend);
    bool negative = false;
    for (int layer = 0; layer < 2; ++layer) {
        AttentionWeights lambda;
        const std::string prefix = "blocks." + std::to_string(layer) + ".attn.";
        lambda.lambdaQ1 = weights.find(prefix + "lambda_Q1");
        lambda.lambdaK1 = weights.find(prefix + "lambda_K1");
        lambda.lambdaQ2 = weights.find(prefix + "lambda_Q2");
        lambda.lambdaK2 = weights.find(prefix + "lambda_K2");
        lambda.lambdaInit = differentialLambdaInit(layer);
        const double value = differentialLambda(lambda, *backend);
        const Tensor maps = trace.layers[static_cast<std::size_t>(layer)].maps;
        CHECK(maps.shape() == Shape{1, 2, 1, 1, 5, 5});
        for (std::int64_t head = 0; head < 2; ++head)
            for (std::int64_t row = 0; row < 5; ++row)
                CHECK(rowSum(maps, head, row) == doctest::Approx(1 - value).epsilon(1e-5));
        for (const float cell : maps.values<float>()) negative |= cell < 0;
    }
    CHECK(negative);
    CHECK(differentialLambdaInit(0) == doctest::Approx(0.2));
    CHECK(differentialLambdaInit(1) == doctest::Approx(0.8 - 0.6 * std::exp(-0.3)));
}

TEST_CASE("differential attention has as many parameters as MHA, lambda and the norm aside") {
    for (const int heads : {1, 2, 4}) {
        ModelConfig differential = configOf(AttentionKind::differential),
                    mha = configOf(AttentionKind::mha);
        differential.nHeads = mha.nHeads = heads;
        CHECK(initialWeights(differential, 0).parameterCount() ==
              initialWeights(mha, 0).parameterCount() + 2 * 3 * mha.dHead());
    }
}

TEST_CASE("maps that nobody asked for are not kept") {
    const auto backend = makeReferenceBackend();
    for (const AttentionKind kind : {AttentionKind::talkingHeads, AttentionKind::differential}) {
        const ModelConfig config = configOf(kind);
        ForwardOptions options;
        options.captureMaps = options.keepActivations = false;
        const auto trace =
            Decoder(config, initialWeights(config, 3), *backend).forward(ids, options);
        REQUIRE(trace);
        CHECK_FALSE(trace->layers[0].maps);
        CHECK_FALSE(trace->layers[0].pattern);
    }
}
