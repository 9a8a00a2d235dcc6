#include "core/base/rng.h"
#include "core/models/attention_layer.h"

#include <doctest/doctest.h>

#include <cmath>
#include <memory>
#include <vector>

// When IHA is exactly MHA, and what it can do that MHA cannot: iha.md 3 and 5. With identity mixing
// every pseudo-head is a copy of its head, so the P copies of a key share what the key would get.

using namespace headloom;

namespace {

struct Engine {
    std::unique_ptr<Backend> backend;
    DType type;
    double tolerance;  ///< beside the largest output; some hundred roundings of 1e-16 or 6e-8
};

std::vector<Engine> engines() {
    std::vector<Engine> made;
    made.push_back({makeReferenceBackend(), DType::f64, 1e-13});
    if (auto cpu = makeCpuBackend(2)) made.push_back({std::move(cpu), DType::f32, 1e-5});
    return made;
}

constexpr std::int64_t nTokens = 7, nHeads = 3, dHead = 4, dModel = nHeads * dHead;

Tensor placed(const Tensor& host, const Engine& engine) {
    const Tensor made = engine.backend->allocate(host.shape(), engine.type);
    engine.backend->upload(host.cast(engine.type), made);
    return made;
}

Tensor random(const Shape& shape, std::uint64_t seed) {
    Rng rng(seed);
    const Tensor made = Tensor::host(shape, DType::f64);
    for (double& value : made.values<double>()) value = rng.normal();
    return made;
}

/// alpha[m, h, p] = 1 where m = h.
Tensor identityMixing(std::int64_t nPseudo) {
    const Tensor alpha = Tensor::host({nHeads, nHeads, nPseudo}, DType::f64);
    for (std::int64_t h = 0; h < nHeads; ++h)
        for (std::int64_t p = 0; p < nPseudo; ++p)
            alpha.data<double>()[(h * nHeads + h) * nPseudo + p] = 1;
    return alpha;
}

/// R that reads pseudo-head `selected` of the own head.
Tensor selection(std::int64_t nPseudo, std::int64_t selected, double weight) {
    const Tensor r = Tensor::host({nHeads, nHeads * nPseudo}, DType::f64);
    for (std::int64_t h = 0; h < nHeads; ++h)
        r.data<double>()[h * nHeads * nPseudo + h * nPseudo + selected] = weight;
    return r;
}

std::vector<double> output(const LayerConfig& layer, const AttentionWeights& weights,
                           const Tensor& x, const Engine& engine) {
    AttentionWeights on = weights;
    for (Tensor* tensor : {&on.wQ, &on.wK, &on.wV, &on.alphaQ, &on.alphaK, &on.alphaV, &on.r})
        if (*tensor) *tensor = placed(*tensor, engine);
    const Tensor out =
        runAttentionLayer(layer, 10000.0, on, placed(x, engine), *engine.backend).out;
    const Tensor host = Tensor::host(out.shape(), out.dtype());
    engine.backend->download(out, host);
    const Tensor wide = host.cast(DType::f64);
    return {wide.data<double>(), wide.data<double>() + wide.count()};
}

struct Row {
    MaskKind mask;
    PositionKind positions;
    ScoreKind score = ScoreKind::softmax;
    std::int64_t nPseudo = 3, selected = 0;
    double weight = 1;  ///< of the selection in R
};

/// Largest difference between the outputs of IHA and MHA, beside the largest output of MHA.
double distance(const Row& row, const Engine& engine) {
    // deviation 0.5: scores of about 3, so that no row of the softmax is one-hot
    AttentionWeights weights;
    weights.wQ = random({nHeads, dModel, dHead}, 1);
    weights.wK = random({nHeads, dModel, dHead}, 2);
    weights.wV = random({nHeads, dModel, dHead}, 3);
    for (const Tensor& projection : {weights.wQ, weights.wK})
        for (double& value : projection.values<double>()) value *= 0.5;
    const Tensor x = random({1, nTokens, dModel}, 4);

    LayerConfig layer;
    layer.mask = row.mask;
    layer.positions = row.positions;
    layer.score = row.score;
    const std::vector<double> mha = output(layer, weights, x, engine);

    layer.kind = AttentionKind::iha;
    layer.nPseudo = static_cast<int>(row.nPseudo);
    weights.alphaQ = weights.alphaK = weights.alphaV = identityMixing(row.nPseudo);
    weights.r = selection(row.nPseudo, row.selected, row.weight);
    const std::vector<double> iha = output(layer, weights, x, engine);

    double error = 0, largest = 0;
    for (std::size_t i = 0; i < mha.size(); ++i) {
        error = std::max(error, std::abs(iha[i] - mha[i]));
        largest = std::max(largest, std::abs(mha[i]));
    }
    return error / largest;
}

void expect(const Row& row, bool equal) {
    for (const Engine& engine : engines()) {
        INFO(engine.backend->info().name
             << " " << std::string(nameOf(row.mask)) << " " << std::string(nameOf(row.positions))
             << " " << std::string(nameOf(row.score)) << " P " << row.nPseudo << " selected "
             << row.selected << " weight " << row.weight);
        if (equal)
            CHECK(distance(row, engine) <= engine.tolerance);
        else
            CHECK(distance(row, engine) > 1e-3);  // far beyond rounding in either type
    }
}

const MaskKind masks[] = {MaskKind::flat, MaskKind::token, MaskKind::none};
const PositionKind allPositions[] = {PositionKind::virtualToken, PositionKind::token,
                                     PositionKind::none};
const PositionKind shared[] = {PositionKind::token, PositionKind::none};

}  // namespace

TEST_CASE("without order inside a token any selected pseudo-head is MHA") {
    for (const MaskKind mask : {MaskKind::token, MaskKind::none})
        for (const PositionKind positions : shared)
            for (const ScoreKind score : {ScoreKind::softmax, ScoreKind::hard})
                for (std::int64_t selected = 0; selected < 3; ++selected)
                    expect({mask, positions, score, 3, selected}, true);
}

TEST_CASE("under the flat mask only the last pseudo-head is MHA") {
    for (const PositionKind positions : shared) {
        expect({MaskKind::flat, positions, ScoreKind::softmax, 3, 2}, true);
        expect({MaskKind::flat, positions, ScoreKind::softmax, 3, 0}, false);
        expect({MaskKind::flat, positions, ScoreKind::softmax, 3, 1}, false);
    }
}

// The own token is seen fewer times, but a sole maximum takes everything however many copies of it
// are seen.
TEST_CASE("hard scores without ties are MHA under the flat mask too") {
    for (const PositionKind positions : shared)
        for (std::int64_t selected = 0; selected < 3; ++selected)
            expect({MaskKind::flat, positions, ScoreKind::hard, 3, selected}, true);
}

TEST_CASE("virtual positions are never MHA") {
    for (const MaskKind mask : masks)
        for (const ScoreKind score : {ScoreKind::softmax, ScoreKind::hard})
            for (std::int64_t selected = 0; selected < 3; ++selected)
                expect({mask, PositionKind::virtualToken, score, 3, selected}, false);
}

TEST_CASE("one pseudo-head with identity mixing is always MHA") {
    for (const MaskKind mask : masks)
        for (const PositionKind positions : allPositions)
            for (const ScoreKind score : {ScoreKind::softmax, ScoreKind::linear, ScoreKind::hard})
                expect({mask, positions, score, 1, 0}, true);
}

TEST_CASE("linear scores add up, so R selects with weight 1/P") {
    for (const MaskKind mask : {MaskKind::token, MaskKind::none})
        for (const PositionKind positions : shared)
            for (std::int64_t selected = 0; selected < 3; ++selected) {
                expect({mask, positions, ScoreKind::linear, 3, selected, 1.0 / 3}, true);
                expect({mask, positions, ScoreKind::linear, 3, selected, 1.0}, false);
            }
    for (const PositionKind positions : shared) {
        expect({MaskKind::flat, positions, ScoreKind::linear, 3, 2, 1.0 / 3}, true);
        expect({MaskKind::flat, positions, ScoreKind::linear, 3, 0, 1.0 / 3}, false);
    }
}

namespace {

/// One head of width 1 on three equal tokens (query, key, value), P = 2, alphaQ = alphaK = (1, -1),
/// R reads p = 0.
double witness(double query, double key, double value, double secondAlphaV, const Engine& engine) {
    AttentionWeights weights;
    weights.wQ = Tensor::of<double>({1, 3, 1}, {1, 0, 0});
    weights.wK = Tensor::of<double>({1, 3, 1}, {0, 1, 0});
    weights.wV = Tensor::of<double>({1, 3, 1}, {0, 0, 1});
    weights.alphaQ = weights.alphaK = Tensor::of<double>({1, 1, 2}, {1, -1});
    weights.alphaV = Tensor::of<double>({1, 1, 2}, {1, secondAlphaV});
    weights.r = Tensor::of<double>({1, 2}, {1, 0});
    LayerConfig layer;
    layer.kind = AttentionKind::iha;
    layer.nPseudo = 2;
    layer.mask = MaskKind::none;
    const Tensor x =
        Tensor::of<double>({1, 3, 3}, {query, key, value, query, key, value, query, key, value});
    return output(layer, weights, x, engine)[0];
}

}  // namespace

TEST_CASE("opposite signs make v tanh(s), which MHA cannot") {
    for (const Engine& engine : engines())
        for (const double s : {-2.0, -0.5, 0.25, 1.5}) {
            const double got = witness(2 * s, 0.5, 3, -1, engine);
            CHECK(std::abs(got - 3 * std::tanh(s)) <= 3 * engine.tolerance);
        }
}

// The paper's appendix prints alphaV = (1, 1): all values are then equal and the weights sum to 1.
TEST_CASE("the printed sign stays linear in the token") {
    for (const Engine& engine : engines())
        for (const double s : {-2.0, -0.5, 0.25, 1.5})
            CHECK(std::abs(witness(2 * s, 0.5, 3, 1, engine) - 3) <= 3 * engine.tolerance);
}
