#include "core/io/safetensors.h"
#include "core/models/decoder.h"
#include "core/train/filter_trainer.h"
#include "tests/support/capture_binding.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

// The numbers of tests/oracle/filter_losses.py (PyTorch in float64) against the filter layer and
// its trainer, and gradients against finite differences.

using namespace headloom;

namespace {

constexpr const char* goldens[] = {"mha", "iha"};

struct Golden {
    explicit Golden(const std::string& name)
        : file(SafetensorsFile::open(std::string(HEADLOOM_TEST_DATA "/filter/") + name +
                                     ".safetensors")
                   .value()) {
        const auto json = nlohmann::json::parse(file.metadata().at("case"));
        config.kind = json["kind"] == "iha" ? AttentionKind::iha : AttentionKind::mha;
        config.nHeads = json["heads"];
        config.nPseudo = json["pseudo"];
        config.order = json["order"];
        config.nNodes = json["nodes"];
        config.dNode = json["d"];
        const auto train = nlohmann::json::parse(file.metadata().at("settings"));
        settings.steps = train["steps"];
        settings.learningRate = train["learningRate"];
        settings.warmupSteps = train["warmupSteps"];
        settings.finalFraction = train["finalFraction"];
        settings.beta1 = train["beta1"];
        settings.beta2 = train["beta2"];
        settings.epsilon = train["epsilon"];
        settings.clipNorm = train["clipNorm"];
    }
    Tensor tensor(const std::string& name, DType type) const {
        const SafetensorsEntry* entry = file.find(name);
        REQUIRE(entry);
        return file.read(*entry, type).value();
    }
    Weights weights(const std::string& prefix, DType type) const {
        Weights weights;
        for (const WeightSpec& spec : weightSpecs(config)) {
            weights.add(spec.name, tensor(prefix + spec.name, type));
            CHECK(weights.entries().back().second.shape() == spec.shape);
        }
        return weights;
    }
    /// [B, N, c] of the oracle as [N, B, c] of ours.
    static Tensor besides(const Tensor& samples) {
        const auto batch = samples.size(0), nodes = samples.size(1), row = samples.size(2);
        const Tensor made = Tensor::host({nodes, batch, row}, DType::f64);
        for (std::int64_t b = 0; b < batch; ++b)
            for (std::int64_t n = 0; n < nodes; ++n)
                for (std::int64_t c = 0; c < row; ++c)
                    made.data<double>()[(n * batch + b) * row + c] =
                        samples.data<double>()[(b * nodes + n) * row + c];
        return made;
    }
    Tensor x(std::int64_t step) const { return besides(tensor("x", DType::f64).at(step)); }
    /// out[n] = [x[n], x[n-1], ..], cyclic.
    Tensor target(const Tensor& x) const {
        const auto nodes = x.size(0), batch = x.size(1), d = x.size(2);
        const std::int64_t order = config.order;
        const Tensor made = Tensor::host({nodes, batch, order * d}, x.dtype());
        for (std::int64_t n = 0; n < nodes; ++n)
            for (std::int64_t b = 0; b < batch; ++b)
                for (std::int64_t i = 0; i < order; ++i)
                    for (std::int64_t c = 0; c < d; ++c)
                        made.data<double>()[((n * batch + b) * order + i) * d + c] =
                            x.data<double>()[((n - i + nodes) % nodes * batch + b) * d + c];
        return made;
    }

    SafetensorsFile file;
    FilterConfig config;
    TrainSettings settings;
};

double largestDifference(const Tensor& a, const Tensor& b) {
    REQUIRE(a.count() == b.count());
    const Tensor x = a.cast(DType::f64), y = b.cast(DType::f64);
    double largest = 0;
    for (std::int64_t i = 0; i < x.count(); ++i)
        largest = std::max(largest, std::abs(x.data<double>()[i] - y.data<double>()[i]));
    return largest;
}

double dot(const Tensor& a, const Tensor& b) {
    double sum = 0;
    for (std::int64_t i = 0; i < a.count(); ++i) sum += a.data<double>()[i] * b.data<double>()[i];
    return sum;
}

Tensor difference(const Tensor& out, const Tensor& target) {
    const Tensor made = out.copy();
    for (std::int64_t i = 0; i < made.count(); ++i)
        made.data<double>()[i] -= target.data<double>()[i];
    return made;
}

}  // namespace

// Outputs and gradients here are below 10 and sums of a few hundred float64 products: 1e-12 is a
// thousand roundings, and no formula that differs gets so near.
TEST_CASE("output and gradients agree with PyTorch in double") {
    const auto backend = makeReferenceBackend();
    for (const char* name : goldens) {
        CAPTURE(name);
        const Golden golden(name);
        const FilterModel model(golden.config, golden.weights("w.", DType::f64), *backend);
        const Tensor x = golden.x(0), target = golden.target(x);
        const AttentionLayerResult trace = model.forward(x);
        CHECK(largestDifference(trace.out, Golden::besides(golden.tensor("out", DType::f64))) <
              1e-12);
        const Tensor residual = difference(trace.out, target);
        const double size = dot(target, target);
        CHECK(std::abs(dot(residual, residual) / size -
                       golden.tensor("losses", DType::f64).data<double>()[0]) < 1e-12);
        for (double& value : residual.values<double>()) value *= 2 / size;
        const Weights gradients = zerosLike(model.weights(), *backend);
        model.backward(x, trace, residual, gradients);
        for (const auto& [parameter, gradient] : gradients.entries()) {
            CAPTURE_BINDING(parameter);
            CHECK(largestDifference(gradient, golden.tensor("g." + parameter, DType::f64)) < 1e-12);
        }
    }
}

// Central differences in float64 with step 1e-5 have a truncation error near 1e-10 and a rounding
// error near 1e-11 of a loss near 1.
TEST_CASE("every gradient agrees with finite differences") {
    const auto backend = makeReferenceBackend();
    for (const char* name : goldens) {
        CAPTURE(name);
        const Golden golden(name);
        const Weights weights = golden.weights("w.", DType::f64);
        const FilterModel model(golden.config, weights, *backend);
        const Tensor x = golden.x(1), target = golden.target(x);
        const double size = dot(target, target);
        const auto loss = [&] {
            const Tensor residual = difference(model.forward(x).out, target);
            return dot(residual, residual) / size;
        };
        const AttentionLayerResult trace = model.forward(x);
        const Tensor dOut = difference(trace.out, target);
        for (double& value : dOut.values<double>()) value *= 2 / size;
        const Weights gradients = zerosLike(weights, *backend);
        model.backward(x, trace, dOut, gradients);
        for (std::size_t i = 0; i < weights.entries().size(); ++i) {
            const auto& [parameter, tensor] = weights.entries()[i];
            for (std::int64_t at = 0; at < tensor.count(); ++at) {
                double& value = tensor.data<double>()[at];
                const double kept = value, step = 1e-5;
                value = kept + step;
                const double above = loss();
                value = kept - step;
                const double below = loss();
                value = kept;
                CAPTURE_BINDING(parameter);
                CAPTURE(at);
                const double numeric = (above - below) / (2 * step);
                CHECK(std::abs(numeric - gradients.entries()[i].second.data<double>()[at]) < 1e-7);
            }
        }
    }
}

// Ours is float32: a loss near 1 rounds to 1e-7, and ten updates of Adam, whose size does not
// depend on the gradient's, carry it to some 1e-6.
TEST_CASE("ten training losses agree with PyTorch") {
    for (const char* device : {"reference", "cpu"})
        for (const char* name : goldens) {
            CAPTURE(device);
            CAPTURE(name);
            const Golden golden(name);
            const auto backend = makeBackend(device, 1).value();
            FilterTrainer trainer(golden.config, golden.settings, golden.weights("w.", DType::f32),
                                  *backend);
            const Tensor losses = golden.tensor("losses", DType::f64);
            for (std::int64_t step = 0; step < 10; ++step) {
                CAPTURE(step);
                const Tensor x = golden.x(step), target = golden.target(x);
                const Tensor x32 = x.cast(DType::f32), target32 = target.cast(DType::f32);
                const SquaredError before = trainer.measure(x32, target32);
                const auto report = trainer.step(x32, target32);
                REQUIRE(report);
                CHECK(report->loss == before.error / before.size);
                CHECK(std::abs(report->loss - losses.data<double>()[step]) < 1e-5);
            }
            // the weights have moved by up to 0.06; wrong betas alone would show as 1e-3
            const Weights end = golden.weights("end.", DType::f32);
            for (const auto& [parameter, tensor] : trainer.model().weights().entries()) {
                CAPTURE_BINDING(parameter);
                CHECK(largestDifference(tensor, end.find(parameter)) < 2e-5);
            }
        }
}

// out = sum over g, m of M[g, m] X W_V[m] W_O[g]: the effective maps hold all that attention does.
TEST_CASE("effective maps give the output, and maps are those of a forward pass") {
    const auto backend = makeReferenceBackend();
    for (const char* name : goldens) {
        CAPTURE(name);
        const Golden golden(name);
        const FilterConfig& config = golden.config;
        const Weights weights = golden.weights("w.", DType::f64);
        const FilterModel model(config, weights, *backend);
        const Tensor x = golden.x(0);
        const AttentionLayerResult trace = model.forward(x);
        CHECK(largestDifference(model.maps(), trace.maps) == 0);
        const Tensor effective = model.effectiveMaps();
        const std::int64_t heads = config.nHeads, nodes = config.nNodes, d = config.dNode,
                           value = config.dValue(), width = config.width(), batch = x.size(1);
        CHECK(effective.shape() == Shape{heads, heads, nodes, nodes});
        const double *wV = weights.find("attn.W_V").data<double>(),
                     *wO = weights.find("attn.W_O").data<double>();
        const Tensor out = Tensor::host(trace.out.shape(), DType::f64);
        for (std::int64_t g = 0; g < heads; ++g)
            for (std::int64_t m = 0; m < heads; ++m)
                for (std::int64_t n = 0; n < nodes; ++n)
                    for (std::int64_t j = 0; j < nodes; ++j)
                        for (std::int64_t b = 0; b < batch; ++b)
                            for (std::int64_t c = 0; c < d; ++c)
                                for (std::int64_t e = 0; e < value; ++e)
                                    for (std::int64_t o = 0; o < width; ++o)
                                        out.data<double>()[(n * batch + b) * width + o] +=
                                            effective.data<double>()[((g * heads + m) * nodes + n) *
                                                                         nodes +
                                                                     j] *
                                            x.data<double>()[(j * batch + b) * d + c] *
                                            wV[(m * d + c) * value + e] *
                                            wO[(g * value + e) * width + o];
        CHECK(largestDifference(out, trace.out) < 1e-12);  // of values below 10
    }
}

TEST_CASE("parameters, start and impossible sizes") {
    FilterConfig config;
    CHECK(initialWeights(config, 1, {}).parameterCount() == 336);  // tasks' table
    config.kind = AttentionKind::iha;
    config.nPseudo = 2;
    const Weights weights = initialWeights(config, 1, {MixingStart::identity});
    CHECK(weights.parameterCount() == 368);
    CHECK(weights.find("attn.R").values<float>()[1] == 0.5f);       // the mean of its own
    CHECK(weights.find("attn.alpha_Q").values<float>()[0] == 1.f);  // m = h
    CHECK(weights.find("attn.alpha_Q").values<float>()[2] == 0.f);
    double squares = 0;
    for (const float value : weights.find("attn.W_Q").values<float>()) squares += value * value;
    // 128 values of variance 1/8: the sum is 16 +- 2
    CHECK(squares == doctest::Approx(16).epsilon(0.4));
    CHECK(config.summary() == "IHA, 2 heads x 2 pseudo-heads");

    const auto said = [](auto change) {
        FilterConfig changed;
        change(changed);
        const auto fine = validate(changed);
        return fine ? "" : fine.error().sentence();
    };
    CHECK(said([](FilterConfig&) {}) == "");
    CHECK(said([](FilterConfig& c) { c.nHeads = 3; }) ==
          "heads H: 3 heads do not divide the 8 outputs of a node (k = 4 times d = 2); choose H so "
          "that k * d is a multiple of it.");
    CHECK(said([](FilterConfig& c) { c.nPseudo = 2; }) ==
          "pseudo-heads P: MHA has no 2 pseudo-heads; use IHA, or 1 pseudo-head.");
    CHECK(said([](FilterConfig& c) { c.kind = AttentionKind::differential; }) ==
          "filter: is not trained with differential; use mha or iha.");
    CHECK(said([](FilterConfig& c) { c.nNodes = 1; }) == "nodes N: 1 cannot be had; use 2 to 64.");
    CHECK(said([](FilterConfig& c) { c.order = 0; }) ==
          "filter order k: 0 cannot be had; use 1 to 32.");
}

TEST_CASE("a training that diverges stops with a sentence") {
    const auto backend = makeReferenceBackend();
    FilterConfig config;
    TrainSettings settings;
    settings.learningRate = 1;
    const Weights start = initialWeights(config, 1, {});
    start.find("attn.W_V").values<float>()[0] = INFINITY;
    FilterTrainer trainer(config, settings, start, *backend);
    const Tensor x = Tensor::of<float>({8, 1, 2}, std::vector<float>(16, 1.f));
    const auto report = trainer.step(x, Tensor::of<float>({8, 1, 8}, std::vector<float>(64, 1.f)));
    REQUIRE_FALSE(report);
    CHECK(report.error().sentence() ==
          "training step 1: the loss is not finite; the first bad tensor is attn.W_V; use a "
          "learning rate below 1.");
}
