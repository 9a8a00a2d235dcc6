#include "core/io/architectures/load_checkpoint.h"
#include "core/io/model_file.h"
#include "core/session/tensor_inspection.h"
#include "tests/support/temporary_folder.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace headloom;
using namespace headloom::testing;

namespace {

using Along = TensorPart::Along;

/// A matrix [4, 6] of 0 .. 23, a block [2, 3, 2] of 0 .. 11 and a vector.
std::shared_ptr<const TensorSource> sample() {
    const auto counting = [](const Shape& shape) {
        const Tensor made = Tensor::host(shape, DType::f32);
        for (std::int64_t i = 0; i < made.count(); ++i)
            made.data<float>()[i] = static_cast<float>(i);
        return made;
    };
    return sourceOfTensors(
        {{"matrix", counting({4, 6})}, {"block", counting({2, 3, 2})}, {"vector", counting({5})}});
}

std::vector<float> numbersOf(const PartElements& part) {
    std::vector<float> numbers(static_cast<std::size_t>(part.elements.count));
    part.elements.read(0, numbers);
    return numbers;
}

Result<PartElements> partNamed(const char* name, const TensorPart& part) {
    const auto source = sample();
    return partOf(*source, *source->find(name), part);
}

}  // namespace

TEST_CASE("a matrix is cut into the rows or columns of its heads") {
    const auto rows = partNamed("matrix", {Along::rows, 2, 1}).value();
    CHECK(rows.rows == 2);
    CHECK(numbersOf(rows) == std::vector<float>{12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23});
    const auto columns = partNamed("matrix", {Along::columns, 3, 2}).value();
    CHECK(columns.columns == 2);
    CHECK(numbersOf(columns) == std::vector<float>{4, 5, 10, 11, 16, 17, 22, 23});
    std::vector<float> some(3);  // from the middle of a row on
    columns.elements.read(1, some);
    CHECK(some == std::vector<float>{5, 10, 11});
}

TEST_CASE("a tensor of more axes is seen a matrix at a time") {
    CHECK(matrixCount({2, 3, 2}) == 2);
    CHECK(matrixCount({4, 6}) == 1);
    CHECK(matrixCount({5}) == 0);
    CHECK(!partNamed("block", {})->isMatrix());
    CHECK(numbersOf(*partNamed("block", {})).size() == 12);
    const auto second = partNamed("block", {Along::leading, 1, 1}).value();
    CHECK(second.rows == 3);
    CHECK(numbersOf(second) == std::vector<float>{6, 7, 8, 9, 10, 11});
}

TEST_CASE("parts that are not there are refused") {
    CHECK(partNamed("matrix", {Along::rows, 3, 0}).error().sentence() ==
          "matrix: 4 rows do not make 3 equal parts; choose a number that divides them.");
    for (const TensorPart& part : {TensorPart{Along::rows, 2, 2}, TensorPart{Along::leading, 1, 1},
                                   TensorPart{Along::columns, 0, 0}})
        CHECK(!partNamed("matrix", part));
    CHECK(!partNamed("vector", {Along::rows, 1, 0}));
    CHECK(!partNamed("block", {Along::rows, 3, 0}));
}

TEST_CASE("an inspection has statistics, and a picture of a matrix") {
    const auto matrix = partNamed("matrix", {}).value();
    const TensorInspection found = inspect(matrix, {}).value();
    CHECK(found.statistics.most == 23);
    CHECK(found.picture.values.shape() == Shape{4, 6});
    CHECK(!inspect(*partNamed("vector", {}), {})->picture.values);
    CHECK(!inspect(matrix, [] { return true; }));
}

TEST_CASE("singular values are offered of finite matrices of bounded size") {
    const auto matrix = partNamed("matrix", {}).value();
    TensorStatistics statistics = inspect(matrix, {})->statistics;
    CHECK(spectrumLimit(matrix, statistics) == SpectrumLimit::none);
    const auto values = spectrumOf(matrix);
    REQUIRE(values.size() == 4);
    // 0 .. 23 in rows of 6 are u 1 + 1 v: rank 2, squares summing to 4324
    CHECK(values[2] < 1e-9);
    CHECK(std::abs(values[0] * values[0] + values[1] * values[1] - 4324) < 1e-8);
    CHECK(spectrumLimit(*partNamed("vector", {}), statistics) == SpectrumLimit::notAMatrix);
    CHECK(spectrumLimit({{513 * 513, {}}, 513, 513}, statistics) == SpectrumLimit::tooLarge);
    CHECK(spectrumLimit({{8193 * 512, {}}, 8193, 512}, statistics) == SpectrumLimit::tooLarge);
    statistics.nans = 1;
    CHECK(spectrumLimit(matrix, statistics) == SpectrumLimit::notFinite);
}

TEST_CASE("a model that runs is known by its configuration before its weights are read") {
    LoadOptions listing;
    listing.weights = false;
    const std::string file = std::string(HEADLOOM_TEST_DATA) + "/architectures/llama.safetensors";
    const auto llama = loadCheckpoint(file, listing).value();
    REQUIRE(llama.config);
    CHECK(llama.config->kvHeads() == loadCheckpoint(file)->model->config.kvHeads());
    CHECK(!llama.model);

    Model own;
    own.config.dModel = 4;
    own.config.nHeads = 2;
    own.config.dVocab = 3;
    own.config.nCtx = 5;
    own.config.layers.resize(1);
    own.weights = initialWeights(own.config, 1);
    const TemporaryFolder folder;
    REQUIRE(saveModel(folder / "own", own));
    const auto listed = loadCheckpoint(folder / "own", listing).value();
    REQUIRE(listed.config);
    CHECK(listed.config->nCtx == 5);
    CHECK(!listed.model);
    // a file that lacks a tensor says so without being asked for its weights
    own.config.dMlp = 8;
    REQUIRE(saveModel(folder / "less", own));
    const auto less = loadCheckpoint(folder / "less", listing).value();
    CHECK(!less.config);
    CHECK(less.report.notRunnable.find("the tensor is missing") != std::string::npos);
}
