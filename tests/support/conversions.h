#pragma once

#include "core/base/rng.h"
#include "core/io/architectures/load_checkpoint.h"
#include "core/models/decoder.h"
#include "tests/support/model_writers.h"

#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

// A model written in one form after the other, and its logits compared.

namespace headloom::testing {

/// Every position's logits, in plain loops: equal weights give equal bits.
inline std::vector<float> logitsOf(const Model& model, const std::vector<std::int32_t>& ids) {
    const auto backend = makeBackend("reference", 1).value();
    ForwardOptions options;
    options.captureMaps = options.keepActivations = false;
    const auto trace =
        Decoder(model.config, model.weights, *backend)
            .forward(Tensor::of<std::int32_t>({1, static_cast<std::int64_t>(ids.size())}, ids),
                     options);
    REQUIRE(trace);
    return {trace->logits.values<float>().begin(), trace->logits.values<float>().end()};
}

/// The root mean square of the differences as a share of that of the logits: 0 for equal ones, and
/// for others that have nothing to do with them 1 or more.
inline double difference(const std::vector<float>& a, const std::vector<float>& b) {
    REQUIRE(a.size() == b.size());
    double differences = 0, squares = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        differences += (double{a[i]} - b[i]) * (double{a[i]} - b[i]);
        squares += double{a[i]} * a[i];
    }
    return std::sqrt(differences / squares);
}

inline Model modelOf(const Result<LoadedCheckpoint>& loaded) {
    REQUIRE(loaded);
    INFO(loaded->report.text());
    REQUIRE(loaded->model);
    CHECK(loaded->report.missing.empty());
    CHECK(loaded->report.count(TensorUse::unexpected) == 0);
    for (const DimensionCheck& check : loaded->report.dimensions) {
        CAPTURE(check.name);
        CHECK_FALSE(check.differs());
    }
    return *loaded->model;
}

inline Tensor transposed(const Tensor& matrix) {
    const std::int64_t rows = matrix.size(0), columns = matrix.size(1);
    Tensor made = Tensor::host({columns, rows}, DType::f32);
    for (std::int64_t row = 0; row < rows; ++row)
        for (std::int64_t column = 0; column < columns; ++column)
            made.data<float>()[column * rows + row] = matrix.data<float>()[row * columns + column];
    return made;
}

using Rename = std::function<std::string(const std::string&)>;
inline NamedTensors renamed(const NamedTensors& tensors, const Rename& rename) {
    NamedTensors made;
    for (const auto& [name, tensor] : tensors) made.emplace_back(rename(name), tensor);
    return made;
}
inline Rename prefixed(const std::string& prefix) {
    return [prefix](const std::string& name) { return prefix + name; };
}

/// Normal numbers; gains around 1.
inline Tensor drawn(Rng& rng, const Shape& shape, double deviation, double mean = 0) {
    Tensor made = Tensor::host(shape, DType::f32);
    for (float& value : made.values<float>())
        value = static_cast<float>(mean + deviation * rng.normal());
    return made;
}

}  // namespace headloom::testing
