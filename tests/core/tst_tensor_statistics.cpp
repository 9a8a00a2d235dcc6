#include "core/analysis/head_circuits.h"
#include "core/analysis/tensor_statistics.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

using namespace headloom;

TEST_CASE("statistics count what is not a number and describe the rest") {
    const float nan = std::numeric_limits<float>::quiet_NaN(),
                inf = std::numeric_limits<float>::infinity();
    const Tensor tensor = Tensor::of<float>({2, 4}, {1, nan, 3, 0, -inf, 2, 4, 2});
    const TensorStatistics found = statisticsOf(elementsOf(tensor), 4).value();
    CHECK(found.count == 8);
    CHECK(found.nans == 1);
    CHECK(found.infinities == 1);
    CHECK(found.zeros == 1);
    CHECK(found.finite() == 6);
    CHECK(found.least == 0);
    CHECK(found.most == 4);
    CHECK(found.mean == 2);
    CHECK(std::abs(found.deviation - std::sqrt(10.0 / 6)) < 1e-12);  // double sums of small numbers
    CHECK(found.histogram.bins == std::vector<std::int64_t>{1, 1, 2, 2});
    CHECK(statisticsOf(elementsOf(tensor), 0)->mean == 2);
    CHECK(statisticsOf(elementsOf(tensor), 0)->histogram.bins.empty());
}

TEST_CASE("statistics of nothing, of one value, and given up") {
    CHECK(statisticsOf(elementsOf(Tensor::of<float>({0}, {})), 4)->count == 0);
    const auto alike = statisticsOf(elementsOf(Tensor::of<float>({3}, {5, 5, 5})), 4).value();
    CHECK(alike.histogram.bins == std::vector<std::int64_t>{3, 0, 0, 0});
    CHECK(alike.deviation == 0);
    CHECK(!statisticsOf(elementsOf(Tensor::of<float>({1}, {1})), 4, [] { return true; }));
}

TEST_CASE("elements beyond one block are seen once") {
    // 0, 1, 2, .. modulo 4: a quarter each
    const std::int64_t count = 4 * 100'000;
    const ElementSource source{count, [](std::int64_t first, std::span<float> out) {
                                   for (float& value : out) value = static_cast<float>(first++ % 4);
                               }};
    const auto found = statisticsOf(source, 4).value();
    for (const std::int64_t bin : found.histogram.bins) CHECK(bin == 100'000);
    CHECK(std::abs(found.mean - 1.5) < 1e-9);
}

TEST_CASE("singular values and the rank that a matrix uses") {
    const auto values = singularValues(Tensor::of<float>({2, 3}, {3, 0, 0, 0, -4, 0}));
    REQUIRE(values.size() == 2);
    CHECK(std::abs(values[0] - 4) < 1e-12);  // exact numbers, double arithmetic
    CHECK(std::abs(values[1] - 3) < 1e-12);
    CHECK(std::abs(effectiveRank({2, 2, 2}) - 3) < 1e-12);
    CHECK(effectiveRank({5, 0}) == 1);
    CHECK(effectiveRank({0, 0}) == 0);
}

TEST_CASE("a head's circuits, with keys and values of its group") {
    ModelConfig config;
    config.dModel = 2;
    config.nHeads = 2;
    config.nKvHeads = 1;
    config.layers.resize(1);
    Weights weights;  // heads of width 1
    weights.add("blocks.0.attn.W_Q", Tensor::of<float>({2, 2, 1}, {1, 2, 3, 4}));
    weights.add("blocks.0.attn.W_K", Tensor::of<float>({1, 2, 1}, {5, 6}));
    weights.add("blocks.0.attn.W_V", Tensor::of<float>({1, 2, 1}, {1, -1}));
    weights.add("blocks.0.attn.W_O", Tensor::of<float>({2, 1, 2}, {1, 0, 2, 3}));
    const auto values = [](const Tensor& tensor) {
        return std::vector<float>(tensor.values<float>().begin(), tensor.values<float>().end());
    };
    const Tensor qk = headCircuit(config, weights, 0, 1, Circuit::qk);
    CHECK(values(qk) == std::vector<float>{15, 18, 20, 24});
    const Tensor ov = headCircuit(config, weights, 0, 1, Circuit::ov);
    CHECK(values(ov) == std::vector<float>{2, 3, -2, -3});
    // heads of width 1: |W_Q| |W_K| = 5 sqrt(61) and |W_V| |W_O| = sqrt(2) sqrt(13), in double
    for (const auto& [circuit, value] :
         {std::pair(Circuit::qk, 5 * std::sqrt(61)), std::pair(Circuit::ov, std::sqrt(26))}) {
        const auto found = circuitSingularValues(config, weights, 0, 1, circuit);
        REQUIRE(found.size() == 1);
        CHECK(std::abs(found[0] - value) < 1e-12);
    }
    weights.replace("blocks.0.attn.W_V", Tensor::of<float>({1, 2, 1}, {1, NAN}));
    CHECK(circuitSingularValues(config, weights, 0, 1, Circuit::ov).empty());
    config.layers[0].kind = AttentionKind::differential;
    CHECK(!headCircuit(config, weights, 0, 1, Circuit::qk));
    CHECK(circuitSingularValues(config, weights, 0, 1, Circuit::qk).empty());
}

TEST_CASE("singular values of a circuit are those of its product") {
    ModelConfig config;
    config.nHeads = 1;
    config.layers.resize(1);
    // wider than the model and narrower: [D, d] with d = 4 and d = 2
    for (const std::int64_t d : {4, 2}) {
        config.dModel = 3;
        Weights weights;
        for (const char* name : {"W_Q", "W_K"}) {
            const Tensor made = Tensor::host({1, 3, d}, DType::f32);
            for (std::int64_t i = 0; i < made.count(); ++i)
                made.data<float>()[i] = static_cast<float>((i * i + name[2]) % 7) - 3;
            weights.add(std::string("blocks.0.attn.") + name, made);
        }
        const auto want = singularValues(headCircuit(config, weights, 0, 0, Circuit::qk));
        const auto found = circuitSingularValues(config, weights, 0, 0, Circuit::qk);
        REQUIRE(found.size() == static_cast<std::size_t>(std::min<std::int64_t>(d, 3)));
        // small whole numbers: their products are exact, the decompositions are doubles
        for (std::size_t i = 0; i < found.size(); ++i) CHECK(std::abs(found[i] - want[i]) < 1e-9);
    }
}

TEST_CASE("pooling keeps the largest magnitudes") {
    const Tensor small = pooled(Tensor::of<float>({2, 3}, {1, -5, 2, 3, 4, -1}), 2);
    REQUIRE(small.shape() == Shape{1, 2});
    CHECK(small.data<float>()[0] == -5);
    CHECK(small.data<float>()[1] == 2);
}
