#pragma once

#include "tests/support/conversions.h"

// Checkpoints and logits that other people's programs made (tests/oracle/architectures.py).

namespace headloom::testing {

inline const std::filesystem::path goldenFolder =
    std::filesystem::path(HEADLOOM_TEST_DATA) / "architectures";

inline std::vector<float> numbers(const std::string& name) {
    for (const char* file :
         {"golden.safetensors", "iha-layouts.golden.safetensors", "nanochat.golden.safetensors"}) {
        const auto golden = openTensorSource(goldenFolder / file).value();
        const TensorEntry* entry = golden->find(name);
        if (!entry) continue;
        const Tensor tensor = golden->read(*entry, DType::f32).value();
        return {tensor.values<float>().begin(), tensor.values<float>().end()};
    }
    throw std::runtime_error("no golden " + name);
}

inline Tensor ids(const std::string& name) {
    std::vector<std::int32_t> all;
    for (const float id : numbers(name + ".ids")) all.push_back(static_cast<std::int32_t>(id));
    return Tensor::of<std::int32_t>({1, static_cast<std::int64_t>(all.size())}, all);
}

inline Result<LoadedCheckpoint> load(const std::string& name, const Settings& settings = {}) {
    LoadOptions options;
    options.settings = settings;
    return loadCheckpoint(goldenFolder / (name + ".safetensors"), options);
}

/// The largest difference from the golden logits, over the outputs that those have.
inline double difference(const std::string& name, const Model& model,
                         const char* engine = "reference") {
    const auto backend = makeBackend(engine, 1).value();
    const auto trace = Decoder(model.config, model.weights, *backend).forward(ids(name));
    REQUIRE(trace);
    const std::vector<float> want = numbers(name + ".logits");
    const std::int64_t rows = trace->ids.size(1);
    const std::int64_t outputs = static_cast<std::int64_t>(want.size()) / rows;
    double largest = 0;
    for (std::int64_t row = 0; row < rows; ++row)
        for (std::int64_t id = 0; id < outputs; ++id)
            largest = std::max(
                largest, std::abs(double{want[static_cast<std::size_t>(row * outputs + id)]} -
                                  trace->logits.data<float>()[row * model.config.nClasses() + id]));
    return largest;
}

/// The tensors of a golden checkpoint, to be changed.
inline NamedTensors tensorsOf(const std::string& name) {
    const auto source = openTensorSource(goldenFolder / (name + ".safetensors")).value();
    NamedTensors tensors;
    for (const TensorEntry& entry : source->entries())
        tensors.emplace_back(entry.name, source->read(entry, DType::f32).value());
    return tensors;
}

// Logits of up to 10, sums of at most 32 terms over two layers in float32: a few units of 1e-6. A
// wrong term is off by 0.01 or more.
constexpr double goldenTolerance = 2e-5;

}  // namespace headloom::testing
