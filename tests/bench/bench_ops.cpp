// The cpu backend at the sizes of the PyTorch baseline: whole passes, then single operators.
//
//   bench_ops --benchmark_filter=forward     --benchmark_filter=train/iha-class/1
//
// Names end in the number of threads. The medians of several repetitions are what to compare:
// --benchmark_repetitions=5 --benchmark_report_aggregates_only=true.
#include "core/backend/backend.h"
#include "core/base/rng.h"
#include "core/models/decoder.h"

#include <benchmark/benchmark.h>

#include <memory>
#include <string>
#include <vector>

using namespace headloom;

namespace {

struct Size {
    const char* name;
    int nBatch, nTokens, dModel, nHeads, nPseudo, nLayers, nVocab;  // nPseudo 0: MHA
};

const Size forwardSizes[] = {{"mha-small", 1, 64, 64, 4, 0, 2, 64},
                             {"iha-small", 1, 64, 64, 4, 4, 2, 64},
                             {"mha-class", 1, 128, 128, 8, 0, 2, 64},
                             {"iha-class", 1, 128, 128, 8, 8, 2, 64},
                             {"mha-long", 1, 1024, 512, 8, 0, 4, 512}};
const Size trainSizes[] = {{"mha-small", 32, 64, 64, 4, 0, 2, 64},
                           {"iha-small", 32, 64, 64, 4, 4, 2, 64},
                           {"mha-class", 8, 128, 128, 8, 0, 2, 64},
                           {"iha-class", 8, 128, 128, 8, 8, 2, 64}};

ModelConfig configOf(const Size& size) {
    LayerConfig layer;
    layer.kind = size.nPseudo > 0 ? AttentionKind::iha : AttentionKind::mha;
    layer.nPseudo = size.nPseudo > 0 ? size.nPseudo : 1;
    layer.mask = MaskKind::flat;
    layer.positions = PositionKind::virtualToken;
    ModelConfig config;
    config.dModel = size.dModel;
    config.nHeads = size.nHeads;
    config.dMlp = 4 * size.dModel;
    config.dVocab = size.nVocab;
    config.nCtx = size.nTokens;
    config.norm = NormKind::layer;
    config.headBias = false;
    config.layers.assign(static_cast<std::size_t>(size.nLayers), layer);
    return config;
}

Tensor randomIds(const Size& size) {
    Rng rng(1);
    const Tensor ids = Tensor::host({size.nBatch, size.nTokens}, DType::i32);
    for (std::int32_t& id : ids.values<std::int32_t>())
        id = static_cast<std::int32_t>(rng.below(static_cast<std::uint32_t>(size.nVocab)));
    return ids;
}

void forward(benchmark::State& state, const Size& size, int threads) {
    const auto backend = makeCpuBackend(threads);
    const ModelConfig config = configOf(size);
    const Decoder decoder(config, place(initialWeights(config, 1), *backend), *backend);
    const Tensor ids = randomIds(size);
    ForwardOptions options;
    options.keepActivations = false;
    for (auto _ : state) benchmark::DoNotOptimize(decoder.forward(ids, options)->logits.raw());
}

/// The pass, its gradient and one AdamW update of every parameter.
void train(benchmark::State& state, const Size& size, int threads) {
    const auto backend = makeCpuBackend(threads);
    const ModelConfig config = configOf(size);
    const Weights weights = place(initialWeights(config, 1), *backend);
    const Decoder decoder(config, weights, *backend);
    const Weights gradients = zerosLike(weights, *backend);
    const Weights first = zerosLike(weights, *backend), second = zerosLike(weights, *backend);
    const Tensor ids = randomIds(size);
    const Tensor targets = ids.reshaped({size.nBatch, size.nTokens, 1});
    AdamWParams adamw;
    adamw.weightDecay = 0.01;
    for (auto _ : state) {
        for (const auto& entry : gradients.entries()) backend->zero(entry.second);
        const auto trace = decoder.forward(ids);
        benchmark::DoNotOptimize(
            *decoder.backward(*trace, targets, 1.0 / static_cast<double>(ids.count()), gradients));
        for (std::size_t i = 0; i < weights.entries().size(); ++i)
            backend->adamw(adamw, weights.entries()[i].second, gradients.entries()[i].second,
                           first.entries()[i].second, second.entries()[i].second);
        ++adamw.step;
    }
}

Tensor normal(Backend& backend, const Shape& shape) {
    Rng rng(2);
    const Tensor made = backend.allocate(shape, DType::f32);
    for (float& value : made.values<float>()) value = static_cast<float>(rng.normal());
    return made;
}

/// x [rows, nIn] times [nIn, nOut]; items are multiply-adds.
void linear(benchmark::State& state, std::int64_t rows, std::int64_t nIn, std::int64_t nOut) {
    const auto backend = makeCpuBackend(1);
    const Tensor x = normal(*backend, {rows, nIn}), w = normal(*backend, {nIn, nOut});
    const Tensor out = backend->allocate({rows, nOut}, DType::f32);
    for (auto _ : state) backend->linear(x, w, {}, out);
    state.SetItemsProcessed(state.iterations() * rows * nIn * nOut);
}

void linearBackward(benchmark::State& state, std::int64_t rows, std::int64_t nIn,
                    std::int64_t nOut) {
    const auto backend = makeCpuBackend(1);
    const Tensor x = normal(*backend, {rows, nIn}), w = normal(*backend, {nIn, nOut});
    const Tensor dOut = normal(*backend, {rows, nOut}), dX = normal(*backend, {rows, nIn});
    const Tensor dW = normal(*backend, {nIn, nOut}), dBias = normal(*backend, {nOut});
    for (auto _ : state) backend->linearBackward(x, w, dOut, dX, dW, dBias);
    state.SetItemsProcessed(state.iterations() * rows * nIn * nOut * 2);
}

struct Heads {
    std::unique_ptr<Backend> backend = makeCpuBackend(1);
    Tensor q, k, v, y, maps;
    AttentionParams params;

    explicit Heads(const Size& size) {
        const std::int64_t nPseudo = std::max(size.nPseudo, 1);
        const Shape shape{size.nBatch, size.nHeads, nPseudo, size.nTokens,
                          size.dModel / size.nHeads};
        q = normal(*backend, shape);
        k = normal(*backend, shape);
        v = normal(*backend, shape);
        y = normal(*backend, shape);
        maps = backend->allocate(
            {size.nBatch, size.nHeads, nPseudo, nPseudo, size.nTokens, size.nTokens}, DType::f32);
        backend->zero(maps);  // touches the pages
    }
};

void attention(benchmark::State& state, const Size& size, bool capture) {
    const Heads heads(size);
    for (auto _ : state)
        heads.backend->attention(heads.params, heads.q, heads.k, heads.v, heads.y,
                                 capture ? heads.maps : Tensor());
    state.SetItemsProcessed(state.iterations() * heads.maps.count() / 2);
}

void attentionBackward(benchmark::State& state, const Size& size) {
    const Heads heads(size);
    Backend& backend = *heads.backend;
    backend.attention(heads.params, heads.q, heads.k, heads.v, heads.y, heads.maps);
    const Tensor dY = normal(backend, heads.q.shape()), dQ = normal(backend, heads.q.shape());
    const Tensor dK = normal(backend, heads.q.shape()), dV = normal(backend, heads.q.shape());
    for (auto _ : state)
        backend.attentionBackward(heads.params, heads.q, heads.k, heads.v, heads.maps, dY, dQ, dK,
                                  dV);
    state.SetItemsProcessed(state.iterations() * heads.maps.count() / 2);
}

void mixing(benchmark::State& state, const Size& size, bool backward) {
    const auto backend = makeCpuBackend(1);
    const std::int64_t d = size.dModel / size.nHeads;
    const Tensor x = normal(*backend, {size.nBatch, size.nHeads, size.nTokens, d});
    const Tensor alpha = normal(*backend, {size.nHeads, size.nHeads, size.nPseudo});
    const Tensor out = normal(*backend, {size.nBatch, size.nHeads, size.nPseudo, size.nTokens, d});
    const Tensor dX = x.copy(), dAlpha = alpha.copy();
    for (auto _ : state)
        if (backward)
            backend->mixHeadsBackward(x, alpha, out, dX, dAlpha);
        else
            backend->mixHeads(x, alpha, out);
    state.SetItemsProcessed(state.iterations() * out.count() * size.nHeads * (backward ? 2 : 1));
}

void elementwise(benchmark::State& state, void (*run)(Backend&, const Tensor&, const Tensor&)) {
    const auto backend = makeCpuBackend(1);
    const Tensor x = normal(*backend, {2048, 256}), out = normal(*backend, {2048, 256});
    for (auto _ : state) run(*backend, x, out);
    state.SetItemsProcessed(state.iterations() * x.count());
}

void listWholePasses() {
    for (const int threads : {1, 2}) {
        for (const Size& size : forwardSizes)
            benchmark::RegisterBenchmark(
                (std::string("forward/") + size.name + "/" + std::to_string(threads)).c_str(),
                [&size, threads](benchmark::State& state) { forward(state, size, threads); })
                ->Unit(benchmark::kMillisecond)
                ->UseRealTime();
        for (const Size& size : trainSizes)
            benchmark::RegisterBenchmark(
                (std::string("train/") + size.name + "/" + std::to_string(threads)).c_str(),
                [&size, threads](benchmark::State& state) { train(state, size, threads); })
                ->Unit(benchmark::kMillisecond)
                ->UseRealTime();
    }
}

void listOperators() {
    const auto list = [](std::string name, auto body) {
        benchmark::RegisterBenchmark(("op/" + name).c_str(), body)->Unit(benchmark::kMicrosecond);
    };
    struct Layer {
        std::int64_t rows, nIn, nOut;
    };
    for (const Layer at : {Layer{2048, 64, 256}, Layer{2048, 256, 64}, Layer{1024, 128, 512},
                           Layer{1024, 512, 2048}, Layer{1, 128, 512}}) {
        const std::string sizes =
            std::to_string(at.rows) + "x" + std::to_string(at.nIn) + "x" + std::to_string(at.nOut);
        list("linear/" + sizes,
             [at](benchmark::State& state) { linear(state, at.rows, at.nIn, at.nOut); });
        list("linearBackward/" + sizes,
             [at](benchmark::State& state) { linearBackward(state, at.rows, at.nIn, at.nOut); });
    }
    for (const Size& size : trainSizes) {
        list(std::string("attention/") + size.name,
             [&size](benchmark::State& state) { attention(state, size, true); });
        list(std::string("attentionNoMaps/") + size.name,
             [&size](benchmark::State& state) { attention(state, size, false); });
        list(std::string("attentionBackward/") + size.name,
             [&size](benchmark::State& state) { attentionBackward(state, size); });
        if (size.nPseudo == 0) continue;
        list(std::string("mixHeads/") + size.name,
             [&size](benchmark::State& state) { mixing(state, size, false); });
        list(std::string("mixHeadsBackward/") + size.name,
             [&size](benchmark::State& state) { mixing(state, size, true); });
    }
    list("gelu", [](benchmark::State& state) {
        elementwise(state, [](Backend& b, const Tensor& x, const Tensor& out) {
            b.activate(Activation::gelu, x, out);
        });
    });
    list("geluBackward", [](benchmark::State& state) {
        elementwise(state, [](Backend& b, const Tensor& x, const Tensor& out) {
            b.activateBackward(Activation::gelu, x, x, out);
        });
    });
    list("add", [](benchmark::State& state) {
        elementwise(state, [](Backend& b, const Tensor& x, const Tensor& out) { b.add(x, out); });
    });
}

}  // namespace

int main(int argc, char** argv) {
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
    listWholePasses();
    listOperators();
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
