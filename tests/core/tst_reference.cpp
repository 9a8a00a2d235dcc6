#include "core/backend/backend.h"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

using namespace headloom;

namespace {

// Values worked out by hand are exact but for the last few roundings of float64.
doctest::Approx near(double value) {
    return doctest::Approx(value).epsilon(1e-13).scale(1);
}

std::vector<double> numbers(const Tensor& tensor) {
    return {tensor.data<double>(), tensor.data<double>() + tensor.count()};
}

/// One head, width 1, P pseudo-heads, no mask: queries are 1, keys and values as given [P, Nk].
struct OneQuery {
    OneQuery(std::int64_t nPseudo, std::vector<double> keys, std::vector<double> values)
        : nKeys(static_cast<std::int64_t>(keys.size()) / nPseudo),
          q(Tensor::of<double>({1, 1, nPseudo, 1, 1}, std::vector<double>(nPseudo, 1.0))),
          k(Tensor::of<double>({1, 1, nPseudo, nKeys, 1}, keys)),
          v(Tensor::of<double>({1, 1, nPseudo, nKeys, 1}, values)),
          y(Tensor::host({1, 1, nPseudo, 1, 1}, DType::f64)),
          maps(Tensor::host({1, 1, nPseudo, nPseudo, 1, nKeys}, DType::f64)) {
        params.mask = MaskKind::none;
    }
    void run() { makeReferenceBackend()->attention(params, q, k, v, y, maps); }

    std::int64_t nKeys;
    AttentionParams params;
    Tensor q, k, v, y, maps;
};

}  // namespace

TEST_CASE("softmax shares one distribution over all pseudo-keys") {
    const double ln2 = std::log(2.0);
    OneQuery one(2, {0, ln2, ln2, 0}, {1, 2, 3, 4});  // weights 1 2 | 2 1 out of 6
    one.run();
    const std::vector<double> maps = numbers(one.maps);
    CHECK(maps[0] == near(1.0 / 6));
    CHECK(maps[1] == near(2.0 / 6));
    CHECK(maps[0] + maps[1] == near(0.5));  // mass of tile (0, 0)
    CHECK(one.y.data<double>()[0] == near((1 + 4 + 6 + 4) / 6.0));
}

TEST_CASE("a row with no allowed key gives zeros") {
    OneQuery one(1, {5, 6}, {1, 2});
    one.params.multiplier = Tensor::of<double>({1, 1, 1, 1, 1}, {0});
    one.params.renormalise = true;
    one.run();
    CHECK(numbers(one.y) == std::vector<double>{0});
    CHECK(numbers(one.maps) == std::vector<double>{0, 0});
}

TEST_CASE("hard scores share ties within 1e-9 equally") {
    OneQuery one(1, {3, 3 + 5e-10, 2}, {1, 2, 100});
    one.params.score = ScoreKind::hard;
    one.run();
    CHECK(numbers(one.maps) == std::vector<double>{0.5, 0.5, 0});
    one.k.data<double>()[1] = 3 + 2e-9;
    one.run();
    CHECK(numbers(one.maps) == std::vector<double>{0, 1, 0});
}

TEST_CASE("linear scores are used as they are, masked cells 0") {
    OneQuery one(1, {3, -2, 7}, {1, 10, 100});
    one.params.score = ScoreKind::linear;
    one.params.mask = MaskKind::token;
    one.params.queryStart = 1;
    one.run();
    CHECK(numbers(one.maps) == std::vector<double>{3, -2, 0});
    CHECK(one.y.data<double>()[0] == near(-17));
}

TEST_CASE("a multiplier acts after the softmax unless it renormalises") {
    OneQuery one(1, {0, 0, 0, 0}, {1, 2, 3, 4});
    one.params.multiplier = Tensor::of<double>({1, 1, 1, 1, 4}, {1, 0, 2, 1});
    one.run();
    CHECK(numbers(one.maps) == std::vector<double>{0.25, 0, 0.5, 0.25});
    one.params.renormalise = true;  // the factor 2 is ignored
    one.run();
    CHECK(numbers(one.maps)[1] == 0.0);
    CHECK(numbers(one.maps)[2] == near(1.0 / 3));
}

TEST_CASE("rotation turns by the virtual position and back") {
    // P = 2, one token at start 3: positions 6 and 7; d = 2 has frequency 1 only
    const Tensor x = Tensor::of<double>({1, 1, 2, 1, 2}, {1, 0, 1, 0});
    RotaryParams params;
    params.start = 3;
    const auto backend = makeReferenceBackend();
    backend->rotate(params, x);
    CHECK(numbers(x)[0] == near(std::cos(6.0)));
    CHECK(numbers(x)[3] == near(std::sin(7.0)));
    params.inverse = true;
    backend->rotate(params, x);
    CHECK(numbers(x)[0] == near(1));
    CHECK(numbers(x)[3] == near(0));
    params = {PositionKind::token, 10000.0, 2.0, 3, false};
    backend->rotate(params, x);
    CHECK(numbers(x)[2] == near(std::cos(6.0)));  // both copies at 2 * 3
}

TEST_CASE("LayerNorm and RMSNorm") {
    const Tensor x = Tensor::of<double>({1, 2}, {1, 3}), weight = Tensor::of<double>({2}, {2, 1});
    const Tensor bias = Tensor::of<double>({2}, {0, 10});
    const Tensor out = Tensor::host({1, 2}, DType::f64), saved = Tensor::host({1, 2}, DType::f64);
    const auto backend = makeReferenceBackend();
    backend->norm(NormKind::layer, 3.0, x, weight, bias, out, saved);  // deviation sqrt(1 + 3)
    CHECK(numbers(out) == std::vector<double>{-1, 10.5});
    CHECK(numbers(saved) == std::vector<double>{2, 0.5});
    backend->norm(NormKind::rms, 4.0, x, weight, {}, out, saved);  // mean square 5, root 3
    CHECK(numbers(out)[0] == near(2.0 / 3));
    CHECK(numbers(out)[1] == near(1));
    CHECK(numbers(saved)[0] == 0.0);
}

TEST_CASE("cross entropy skips negative targets") {
    const Tensor logits = Tensor::of<double>({2, 2}, {0, std::log(3.0), 5, 6});
    const Tensor targets = Tensor::of<std::int32_t>({2}, {1, -1});
    const Tensor gradient = Tensor::of<double>({2, 2}, {9, 9, 9, 9});
    CHECK(makeReferenceBackend()->crossEntropy(logits, targets, 2, gradient) ==
          near(2 * std::log(4.0 / 3)));
    CHECK(numbers(gradient)[0] == near(0.5));
    CHECK(numbers(gradient)[1] == near(-0.5));
    CHECK(numbers(gradient)[2] == 0.0);
    CHECK(numbers(gradient)[3] == 0.0);
}

// The first step of Adam moves by the learning rate whatever the gradient's size: m / (1 - beta1)
// is g and v / (1 - beta2) is g^2. The decay comes before it.
TEST_CASE("adamw decays, then takes a step of the learning rate") {
    const Tensor weight = Tensor::of<double>({2}, {1, 1}),
                 gradient = Tensor::of<double>({2}, {8, -.5});
    const Tensor m = Tensor::host({2}, DType::f64), v = Tensor::host({2}, DType::f64);
    AdamWParams params;
    params.learningRate = 0.1;
    params.weightDecay = 0.5;
    params.epsilon = 0;
    params.gradientScale = 0.25;
    makeReferenceBackend()->adamw(params, weight, gradient, m, v);
    CHECK(numbers(weight)[0] == near(0.95 - 0.1));
    CHECK(numbers(weight)[1] == near(0.95 + 0.1));
    CHECK(numbers(m)[0] == near(0.1 * 2));
    CHECK(numbers(v)[0] == near(0.001 * 4));
}

TEST_CASE("heads in order share a group of keys") {
    // H = 4, G = 2: heads 0 and 1 read group 0, heads 2 and 3 group 1
    const Tensor q = Tensor::of<double>({1, 4, 1, 1, 1}, {1, 1, 1, 1});
    const Tensor k = Tensor::of<double>({1, 2, 1, 1, 1}, {0, 0});
    const Tensor v = Tensor::of<double>({1, 2, 1, 1, 1}, {5, 7});
    const Tensor y = Tensor::host({1, 4, 1, 1, 1}, DType::f64);
    makeReferenceBackend()->attention({}, q, k, v, y, {});
    CHECK(numbers(y) == std::vector<double>{5, 5, 7, 7});
}

TEST_CASE("keys beyond the ones in use are not read") {
    OneQuery one(1, {0, 0, 1e300}, {2, 4, 1e300});
    one.params.keyCount = 2;
    one.maps = Tensor::host({1, 1, 1, 1, 1, 2}, DType::f64);
    one.run();
    CHECK(one.y.data<double>()[0] == near(3));
}

TEST_CASE("append writes rows where they belong and nothing else") {
    const Tensor rows = Tensor::of<double>({1, 2, 1, 1, 1}, {5, 6});
    const Tensor cache = Tensor::of<double>({1, 2, 1, 3, 1}, {0, 1, 2, 3, 4, 7});
    makeReferenceBackend()->append(rows, 1, cache);
    CHECK(numbers(cache) == std::vector<double>{0, 5, 2, 3, 6, 7});
}

TEST_CASE("embed adds the position of the token") {
    const Tensor ids = Tensor::of<std::int32_t>({1, 2}, {1, 0});
    const Tensor table = Tensor::of<double>({2, 1}, {10, 20});
    const Tensor positions = Tensor::of<double>({3, 1}, {1, 2, 3});
    const Tensor out = Tensor::host({1, 2, 1}, DType::f64);
    makeReferenceBackend()->embed(ids, table, positions, 1, out);
    CHECK(numbers(out) == std::vector<double>{22, 13});
}

TEST_CASE("embed sums the tokens of a position, and all of them learn") {
    const auto backend = makeReferenceBackend();
    const Tensor ids = Tensor::of<std::int32_t>({1, 2, 3}, {1, 0, -1, 0, -1, 0});
    const Tensor table = Tensor::of<double>({2, 1}, {10, 200});
    const Tensor out = Tensor::host({1, 2, 1}, DType::f64);
    backend->embed(ids, table, {}, 0, out);
    CHECK(numbers(out) == std::vector<double>{210, 20});
    const Tensor dTable = Tensor::host({2, 1}, DType::f64);
    backend->embedBackward(ids, Tensor::of<double>({1, 2, 1}, {1, 5}), dTable, {});
    CHECK(numbers(dTable) == std::vector<double>{1 + 2 * 5, 1});
}

TEST_CASE("maps are scaled along the axes that a multiplier has") {
    const auto backend = makeReferenceBackend();
    const Tensor maps = Tensor::of<double>({1, 2, 1, 2}, {1, 2, 3, 4});
    backend->scaleMaps(Tensor::of<double>({2, 1, 1, 1, 1}, {1, 10}), maps);
    CHECK(numbers(maps) == std::vector<double>{1, 2, 30, 40});
    backend->scaleMaps(Tensor::of<double>({1, 1, 1, 1, 2}, {0, 2}), maps);
    CHECK(numbers(maps) == std::vector<double>{0, 4, 0, 80});
}

TEST_CASE("mixing and collapse read their indices as [source, target, pseudo] and [h, hP + p]") {
    // two heads, two pseudo-heads, one token of width 1
    const auto backend = makeReferenceBackend();
    const Tensor x = Tensor::of<double>({1, 2, 1, 1}, {1, 100});
    const Tensor alpha = Tensor::of<double>({2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
    const Tensor mixed = Tensor::host({1, 2, 2, 1, 1}, DType::f64);
    backend->mixHeads(x, alpha, mixed);
    CHECK(numbers(mixed) == std::vector<double>{501, 602, 703, 804});

    const Tensor r = Tensor::of<double>({2, 4}, {1, 0, 0, 2, 0, 3, 0, 0});
    const Tensor z = Tensor::host({1, 1, 2, 1}, DType::f64);
    backend->collapse(mixed, r, z);
    CHECK(numbers(z) == std::vector<double>{501 + 2 * 804, 3 * 602});
    backend->collapse(mixed, Tensor::of<double>({2, 2}, {1, 10, 0, 1}), z);
    CHECK(numbers(z) == std::vector<double>{501 + 6020, 804});
}

TEST_CASE("without mixing the effective maps are the maps on the diagonal") {
    const Tensor maps = Tensor::of<double>({1, 2, 1, 1, 1, 2}, {1, 2, 3, 4});
    const Tensor out = Tensor::host({1, 2, 2, 1, 2}, DType::f64);
    makeReferenceBackend()->effectiveMaps(maps, {}, {}, out);
    CHECK(numbers(out) == std::vector<double>{1, 2, 0, 0, 0, 0, 3, 4});
}

// With the same gradient twice, the corrected moments are g and g^2 at both steps; epsilon is added
// to the root |g|, not under it.
TEST_CASE("adamw corrects its moments by the step and adds epsilon after the root") {
    const Tensor weight = Tensor::of<double>({1}, {5}), gradient = Tensor::of<double>({1}, {3});
    const Tensor m = Tensor::host({1}, DType::f64), v = Tensor::host({1}, DType::f64);
    AdamWParams params;
    params.learningRate = 1;
    params.epsilon = 1;
    for (params.step = 1; params.step <= 2; ++params.step)
        makeReferenceBackend()->adamw(params, weight, gradient, m, v);
    CHECK(numbers(weight)[0] == near(5 - 2 * 3.0 / (3 + 1)));
}
