#include "core/analysis/head_circuits.h"
#include "core/analysis/pooled_matrix.h"
#include "core/analysis/tensor_statistics.h"
#include "tests/support/capture_binding.h"

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

TEST_CASE("singular values of matrices of every form, and they can be given up") {
    // U diag(s) V^T with reflections for U and V: the singular values are known
    for (const auto& [rows, columns] :
         {std::pair(5, 5), {1, 7}, {7, 1}, {40, 3}, {4, 9}, {5000, 3}}) {
        CAPTURE_BINDING(rows);
        CAPTURE_BINDING(columns);
        const int count = std::min(rows, columns);
        const auto reflection = [](int size, int i, int j) {  // I - 2 w w^T, w all alike
            return (i == j ? 1.0 : 0.0) - 2.0 / size;
        };
        const Tensor matrix = Tensor::host({rows, columns}, DType::f32);
        for (int i = 0; i < rows; ++i)
            for (int j = 0; j < columns; ++j) {
                double sum = 0;
                for (int k = 0; k < count; ++k)
                    sum += reflection(rows, i, k) * (count - k) * reflection(columns, j, k);
                matrix.data<float>()[i * columns + j] = static_cast<float>(sum);
            }
        const auto values = singularValues(matrix);
        REQUIRE(values.size() == static_cast<std::size_t>(count));
        // float32 matrices, up to 5 in size
        for (int k = 0; k < count; ++k)
            CHECK(std::abs(values[static_cast<std::size_t>(k)] - (count - k)) < 1e-5);
        for (const int after : {0, 1}) {
            int asked = 0;
            const auto stopped = singularValues(matrix, [&] { return asked++ == after; });
            CHECK(stopped.size() == (asked > after ? 0 : values.size()));
        }
    }
    CHECK(singularValues(Tensor::of<float>({2, 2}, {0, 0, 0, 0})) == std::vector<double>{0, 0});
}

TEST_CASE("pooling keeps the largest magnitudes") {
    const Tensor small = pooled(Tensor::of<float>({2, 3}, {1, -5, 2, 3, 4, -1}), 2);
    REQUIRE(small.shape() == Shape{1, 2});
    CHECK(small.data<float>()[0] == -5);
    CHECK(small.data<float>()[1] == 2);
}

TEST_CASE("pooling a stream gives what pooling the tensor gives, and can be given up") {
    const Tensor matrix = Tensor::of<float>({2, 3}, {1, -5, 2, 3, 4, -1});
    const PooledMatrix small = pooled(elementsOf(matrix), 2, 3, 2).value();
    CHECK(small.block == 2);
    REQUIRE(small.values.shape() == Shape{1, 2});
    CHECK(small.values.data<float>()[0] == -5);
    CHECK(small.values.data<float>()[1] == 2);
    const PooledMatrix same = pooled(elementsOf(matrix), 2, 3, 3).value();
    CHECK(same.block == 1);
    CHECK(same.values.data<float>()[5] == -1);
    CHECK(!pooled(elementsOf(matrix), 0, 3, 2)->values);
    CHECK(!pooled(elementsOf(matrix), 2, 3, 2, [] { return true; }));
}

TEST_CASE("a tall matrix has the singular values of its transpose") {
    Tensor tall = Tensor::host({9, 2}, DType::f32), wide = Tensor::host({2, 9}, DType::f32);
    double squares = 0;
    for (int row = 0; row < 9; ++row)
        for (int column = 0; column < 2; ++column) {
            const float value = static_cast<float>((row * 5 + column * 3) % 7 - 3);
            tall.data<float>()[row * 2 + column] = wide.data<float>()[column * 9 + row] = value;
            squares += static_cast<double>(value) * value;
        }
    const auto a = singularValues(tall), b = singularValues(wide);
    REQUIRE(a.size() == 2);
    REQUIRE(b.size() == 2);
    // double arithmetic on numbers of at most 3
    for (std::size_t i = 0; i < 2; ++i) CHECK(std::abs(a[i] - b[i]) < 1e-12);
    CHECK(std::abs(a[0] * a[0] + a[1] * a[1] - squares) < 1e-10);
}

TEST_CASE("a tile's circuits have mixing and collapse multiplied out") {
    ModelConfig config;
    config.dModel = 2;
    config.nHeads = 2;
    config.layers.resize(1);
    config.layers[0].kind = AttentionKind::iha;
    config.layers[0].nPseudo = 2;
    Weights weights;  // heads of width 1
    weights.add("blocks.0.attn.W_Q", Tensor::of<float>({2, 2, 1}, {1, 2, 3, 4}));
    weights.add("blocks.0.attn.W_K", Tensor::of<float>({2, 2, 1}, {5, 6, 7, 8}));
    weights.add("blocks.0.attn.W_V", Tensor::of<float>({2, 2, 1}, {1, -1, 0, 2}));
    weights.add("blocks.0.attn.W_O", Tensor::of<float>({2, 1, 2}, {1, 0, 2, 3}));
    // [source, target, pseudo]: only target head 1 is looked at
    weights.add("blocks.0.attn.alpha_Q", Tensor::of<float>({2, 2, 2}, {9, 9, 1, 9, 9, 9, 2, 9}));
    weights.add("blocks.0.attn.alpha_K", Tensor::of<float>({2, 2, 2}, {9, 9, 9, 0, 9, 9, 9, -1}));
    weights.add("blocks.0.attn.alpha_V", Tensor::of<float>({2, 2, 2}, {9, 9, 9, 3, 9, 9, 9, 1}));
    weights.add("blocks.0.attn.R", Tensor::of<float>({2, 4}, {9, 9, 1, 9, 9, 9, -1, 9}));
    const auto values = [](const Tensor& tensor) {
        return std::vector<float>(tensor.values<float>().begin(), tensor.values<float>().end());
    };
    // q = (1, 2) + 2 (3, 4) = (7, 10); k = -(7, 8); v = 3 (1, -1) + (0, 2) = (3, -1);
    // o = (1, 0) - (2, 3) = (-1, -3)
    const PseudoPair tile{0, 1};
    CHECK(values(headCircuit(config, weights, 0, 1, Circuit::qk, tile)) ==
          std::vector<float>{-49, -56, -70, -80});
    CHECK(values(headCircuit(config, weights, 0, 1, Circuit::ov, tile)) ==
          std::vector<float>{-3, -9, 1, 3});
    const auto rank1 = circuitSingularValues(config, weights, 0, 1, Circuit::ov, tile);
    REQUIRE(rank1.size() == 1);
    CHECK(std::abs(rank1[0] - 10) < 1e-12);  // |v| |o| = sqrt(10) sqrt(10)
    // a head of its own without a tile
    CHECK(values(headCircuit(config, weights, 0, 1, Circuit::ov)) ==
          std::vector<float>{0, 0, 4, 6});
    config.layers[0].collapse = CollapseKind::perHead;
    weights.replace("blocks.0.attn.R", Tensor::of<float>({2, 2}, {9, 9, 2, 9}));
    CHECK(values(headCircuit(config, weights, 0, 1, Circuit::ov, tile)) ==
          std::vector<float>{12, 18, -4, -6});
}
