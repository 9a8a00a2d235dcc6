#include "core/io/safetensors.h"
#include "core/models/attention_layer.h"

#include <doctest/doctest.h>

#include <cmath>
#include <memory>

// The goldens come from a float64 program in another language that shares no code with this one:
// see tests/data/golden/README.md.

using namespace headloom;

namespace {

struct Engine {
    std::unique_ptr<Backend> backend;
    DType type;
    /// Bound on the largest error beside the largest entry: some fifty roundings, of 6e-8 in
    /// float32. float64 has more room (of 1e-16 they make 5e-15) because cos, sin and exp differ
    /// between C libraries in their last bits.
    double tolerance;
};

std::vector<Engine> engines() {
    std::vector<Engine> made;
    made.push_back({makeReferenceBackend(), DType::f64, 1e-12});
    made.push_back({makeReferenceBackend(), DType::f32, 3e-6});
    if (auto cpu = makeCpuBackend(2)) made.push_back({std::move(cpu), DType::f32, 3e-6});
    return made;
}

const char* const files[] = {
    "n1_d8_h2_p3.safetensors",   // one token
    "n4_d2_h1_p1.safetensors",   // one head, one pseudo-head
    "n5_d8_h2_p1.safetensors",   // P = 1
    "n4_d8_h2_p4.safetensors",   // P > H
    "n6_d6_h1_p2.safetensors",   // one head
    "n5_d12_h3_p2.safetensors",  // P < H
    "n3_d24_h4_p3.safetensors", "n7_d16_h2_p2.safetensors",
};

/// A file of tests/data/golden.
class GoldenFile {
  public:
    explicit GoldenFile(const std::string& name)
        : file_(
              SafetensorsFile::open(std::string(HEADLOOM_TEST_DATA) + "/golden/" + name).value()) {}
    Tensor operator[](const std::string& name) const {
        const SafetensorsEntry* entry = file_.find(name);
        REQUIRE_MESSAGE(entry != nullptr, name);
        return file_.read(*entry, DType::f64).value();
    }

  private:
    SafetensorsFile file_;
};

Tensor placed(const Tensor& host, const Shape& shape, const Engine& engine) {
    const Tensor made = engine.backend->allocate(shape, engine.type);
    engine.backend->upload(host.cast(engine.type).reshaped(shape), made);
    return made;
}
Tensor placed(const Tensor& host, const Engine& engine) {
    return placed(host, host.shape(), engine);
}

void compare(const Tensor& tested, const Tensor& golden, const Engine& engine) {
    REQUIRE(tested.count() == golden.count());
    const Tensor host = Tensor::host(tested.shape(), tested.dtype());
    engine.backend->download(tested, host);
    const Tensor got = host.cast(DType::f64);
    double error = 0, largest = 0;
    for (std::int64_t i = 0; i < golden.count(); ++i) {
        const double difference = std::abs(got.data<double>()[i] - golden.data<double>()[i]);
        error = std::isnan(difference) ? INFINITY : std::fmax(error, difference);
        largest = std::fmax(largest, std::abs(golden.data<double>()[i]));
    }
    CHECK(error <= engine.tolerance * largest);
}

/// [H, N*P, N*P] over virtual tokens as tiles [H, P, P, N, N].
Tensor tilesOf(const Tensor& interleaved, std::int64_t nPseudo) {
    const std::int64_t nHeads = interleaved.size(0), nTokens = interleaved.size(1) / nPseudo;
    const Tensor tiles = Tensor::host({nHeads, nPseudo, nPseudo, nTokens, nTokens}, DType::f64);
    const double* from = interleaved.data<double>();
    double* to = tiles.data<double>();
    const std::int64_t length = nTokens * nPseudo;
    for (std::int64_t h = 0; h < nHeads; ++h)
        for (std::int64_t p = 0; p < nPseudo; ++p)
            for (std::int64_t r = 0; r < nPseudo; ++r)
                for (std::int64_t i = 0; i < nTokens; ++i)
                    for (std::int64_t j = 0; j < nTokens; ++j)
                        *to++ = from[(h * length + i * nPseudo + p) * length + j * nPseudo + r];
    return tiles;
}

/// The layer of one file on one engine.
struct Bench {
    Bench(const std::string& name, const Engine& on) : golden(name), engine(on) {
        const Tensor in = golden["x"], wo = golden["wo"];
        const std::int64_t dModel = in.size(1), nHeads = golden["wq"].size(0);
        x = placed(in, {1, in.size(0), dModel}, engine);
        weights.wQ = placed(golden["wq"], engine);
        weights.wK = placed(golden["wk"], engine);
        weights.wV = placed(golden["wv"], engine);
        weights.wO = placed(wo, {nHeads, dModel / nHeads, dModel}, engine);
        weights.alphaQ = placed(golden["alpha_q"], engine);
        weights.alphaK = placed(golden["alpha_k"], engine);
        weights.alphaV = placed(golden["alpha_v"], engine);
        weights.r = placed(golden["collapse"], engine);
        layer.kind = AttentionKind::iha;
        layer.nPseudo = static_cast<int>(weights.alphaQ.size(2));
        layer.mask = MaskKind::flat;
        layer.positions = PositionKind::virtualToken;
    }

    AttentionLayerResult run() const {
        return runAttentionLayer(layer, 10000.0, weights, x, *engine.backend);
    }
    /// Against the tensors `key`.y and `key`.maps.
    void check(const std::string& key) const {
        INFO(key);
        const AttentionLayerResult result = run();
        compare(result.out, golden[key + ".y"], engine);
        compare(result.maps, tilesOf(golden[key + ".maps"], layer.nPseudo), engine);
    }

    GoldenFile golden;
    const Engine& engine;
    LayerConfig layer;
    AttentionWeights weights;
    Tensor x;
};

template <class Work>
void onEveryEngine(const Work& work) {
    for (const Engine& engine : engines())
        for (const char* file : files) {
            INFO(engine.backend->info().name << " " << std::string(nameOf(engine.type)) << " "
                                             << std::string(file));
            Bench bench(file, engine);
            work(bench);
        }
}

}  // namespace

TEST_CASE("every mask with every kind of positions") {
    onEveryEngine([](Bench& bench) {
        for (const MaskKind mask : {MaskKind::flat, MaskKind::token, MaskKind::none})
            for (const PositionKind positions :
                 {PositionKind::virtualToken, PositionKind::token, PositionKind::none}) {
                bench.layer.mask = mask;
                bench.layer.positions = positions;
                bench.check("iha." + std::string(nameOf(mask)) + "." +
                            std::string(nameOf(positions)));
            }
    });
}

TEST_CASE("a sliding window of three tokens") {
    onEveryEngine([](Bench& bench) {
        bench.layer.window = 3;
        bench.check("iha.window3");
    });
}

TEST_CASE("linear and hard scores") {
    onEveryEngine([](Bench& bench) {
        bench.layer.mask = MaskKind::token;
        bench.layer.positions = PositionKind::token;
        for (const ScoreKind score : {ScoreKind::linear, ScoreKind::hard}) {
            bench.layer.score = score;
            bench.check("iha." + std::string(nameOf(score)));
        }
    });
}

TEST_CASE("collapse per head") {
    onEveryEngine([](Bench& bench) {
        bench.weights.r = placed(bench.golden["collapse_per_head"], bench.engine);
        bench.layer.collapse = CollapseKind::perHead;
        compare(bench.run().out, bench.golden["iha.per_head.y"], bench.engine);
    });
}

TEST_CASE("effective maps") {
    onEveryEngine([](Bench& bench) {
        const Tensor maps = bench.run().maps;
        const std::int64_t nHeads = maps.size(1), nTokens = maps.size(4);
        Backend& backend = *bench.engine.backend;
        const Tensor out =
            backend.allocate({1, nHeads, nHeads, nTokens, nTokens}, bench.engine.type);
        backend.effectiveMaps(maps, bench.weights.alphaV, bench.weights.r, out);
        compare(out, bench.golden["effective_maps"], bench.engine);
    });
}

TEST_CASE("plain MHA") {
    onEveryEngine([](Bench& bench) {
        AttentionWeights& weights = bench.weights;
        weights.alphaQ = weights.alphaK = weights.alphaV = weights.r = Tensor();
        bench.layer = LayerConfig();
        bench.layer.positions = PositionKind::token;
        bench.check("mha");
    });
}
