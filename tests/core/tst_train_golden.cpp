#include "core/io/safetensors.h"
#include "core/models/decoder.h"
#include "core/train/trainer.h"
#include "tests/support/capture_binding.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <string>
#include <vector>

// Against PyTorch 1.13 in float64: the files of tests/oracle/train_losses.py.

using namespace headloom;

namespace {

const char* const goldens[] = {"mha", "mha_mlp",  "iha",     "iha_mlp",
                               "gqa", "iha_lite", "talking", "differential"};

struct Golden {
    explicit Golden(const std::string& name)
        : file(SafetensorsFile::open(std::string(HEADLOOM_TEST_DATA "/train/") + name +
                                     ".safetensors")
                   .value()),
          config(configFromJson(file.metadata().at("config")).value()) {
        const auto json = nlohmann::json::parse(file.metadata().at("settings"));
        settings.steps = json["steps"];
        settings.batch = json["batch"];
        settings.learningRate = json["learningRate"];
        settings.warmupSteps = json["warmupSteps"];
        settings.finalFraction = json["finalFraction"];
        settings.beta1 = json["beta1"];
        settings.beta2 = json["beta2"];
        settings.epsilon = json["epsilon"];
        settings.weightDecay = json["weightDecay"];
        settings.clipNorm = json["clipNorm"];
    }
    Tensor tensor(const std::string& name, DType type) const {
        const SafetensorsEntry* entry = file.find(name);
        REQUIRE(entry);
        return file.read(*entry, type).value();
    }
    Weights weights(const std::string& prefix, DType type) const {
        Weights weights;
        for (const WeightSpec& spec : weightSpecs(config))
            weights.add(spec.name, tensor(prefix + spec.name, type));
        return weights;
    }
    Batch batch(std::int64_t step) const {
        return {tensor("ids", DType::f32).cast(DType::i32).at(step),
                tensor("targets", DType::f32).cast(DType::i32).at(step)};
    }

    SafetensorsFile file;
    ModelConfig config;
    TrainSettings settings;
};

/// The golden batches one after another, whole or in shards.
class GoldenSource : public BatchSource {
  public:
    explicit GoldenSource(const Golden& golden) {
        for (std::int64_t step = 0; step < golden.settings.steps; ++step)
            batches_.push_back(golden.batch(step));
    }
    Batch batch(std::uint64_t first, std::int64_t count) const override {
        const auto size = static_cast<std::uint64_t>(batches_.front().ids.size(0));
        const Batch& whole = batches_[first / size];
        const auto begin = static_cast<std::int64_t>(first % size);
        return {whole.ids.slice(begin, count), whole.targets.slice(begin, count)};
    }

  private:
    std::vector<Batch> batches_;
};

double largestDifference(const Tensor& a, const Tensor& b) {
    REQUIRE(a.shape() == b.shape());
    const Tensor x = a.cast(DType::f64), y = b.cast(DType::f64);
    double largest = 0;
    for (std::int64_t i = 0; i < x.count(); ++i)
        largest = std::max(largest, std::abs(x.data<double>()[i] - y.data<double>()[i]));
    return largest;
}

}  // namespace

// Gradients here are below 1 and sums of at most a few thousand float64 products: 1e-12 is a
// thousand roundings, and no formula that differs gets so near.
TEST_CASE("gradients of every parameter agree with PyTorch in double") {
    const auto backend = makeReferenceBackend();
    for (const char* name : goldens) {
        CAPTURE(name);
        const Golden golden(name);
        const Weights weights = golden.weights("w.", DType::f64);
        const Decoder decoder(golden.config, weights, *backend);
        const Batch batch = golden.batch(0);
        const Weights gradients = zerosLike(weights, *backend);
        const auto trace = decoder.forward(batch.ids);
        REQUIRE(trace);
        const auto loss = decoder.backward(*trace, batch.targets,
                                           1.0 / static_cast<double>(batch.counted()), gradients);
        REQUIRE(loss);
        CHECK(std::abs(*loss - golden.tensor("losses", DType::f64).data<double>()[0]) < 1e-12);
        for (const auto& [parameter, gradient] : gradients.entries()) {
            CAPTURE_BINDING(parameter);
            CHECK(largestDifference(gradient, golden.tensor("g." + parameter, DType::f64)) < 1e-12);
        }
    }
}

// Ours is float32. A loss near 2 has a rounding of 1e-7; ten steps of Adam, whose updates are of
// the size of the rate whatever the gradient, carry it to some 1e-6 (seen: 2e-6).
TEST_CASE("ten training losses agree with PyTorch") {
    for (const char* backend : {"reference", "cpu"})
        for (const int threads : {1, 2})
            for (const char* name : goldens) {
                CAPTURE(backend);
                CAPTURE(threads);
                CAPTURE(name);
                const Golden golden(name);
                const GoldenSource source(golden);
                TrainState start;
                start.weights = golden.weights("w.", DType::f32);
                const auto trainer =
                    Trainer::make(golden.config, golden.settings, start, source, backend, threads);
                REQUIRE(trainer);
                const Tensor losses = golden.tensor("losses", DType::f64);
                for (std::int64_t step = 0; step < 10; ++step) {
                    const auto report = (*trainer)->step();
                    REQUIRE(report);
                    CAPTURE(step);
                    CHECK(std::abs(report->loss - losses.data<double>()[step]) < 1e-5);
                }
                // the weights have moved by up to 0.06; a wrong decay alone would show as 1e-4
                const Weights end = golden.weights("end.", DType::f32), now = (*trainer)->weights();
                for (const auto& [parameter, tensor] : now.entries()) {
                    CAPTURE_BINDING(parameter);
                    CHECK(largestDifference(tensor, end.find(parameter)) < 2e-5);
                }
            }
}
