#include "core/analysis/score_split.h"
#include "core/io/safetensors.h"
#include "core/models/decoder.h"
#include "tests/support/capture_binding.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace headloom;

namespace {

/// Configuration and weights of one layer whose input is the residual stream as it is: of a file of
/// tests/data/golden, with the mixing that its kind has.
struct Layer {
    ModelConfig config;
    Weights weights;
    Tensor x;  ///< [1, N, D], float64
};

Tensor read(const std::string& path, const std::string& name) {
    const auto file = SafetensorsFile::open(std::string(HEADLOOM_TEST_DATA) + path).value();
    return file.read(*file.find(name), DType::f64).value();
}

Layer goldenLayer(const std::string& name, PositionKind positions) {
    const std::string path = "/golden/" + name + ".safetensors";
    const auto tensor = [&](const char* which) { return read(path, which); };
    Layer layer;
    const Tensor x = tensor("x"), alpha = tensor("alpha_q");
    layer.x = x.reshaped({1, x.size(0), x.size(1)});
    layer.config.dModel = static_cast<int>(x.size(1));
    layer.config.nHeads = static_cast<int>(alpha.size(0));
    layer.config.blockNorms = false;
    LayerConfig attention;
    attention.kind = AttentionKind::iha;
    attention.nPseudo = static_cast<int>(alpha.size(2));
    attention.mask = MaskKind::flat;
    attention.positions = positions;
    layer.config.layers = {attention};
    for (const auto& [ours, theirs] :
         {std::pair("W_Q", "wq"), {"W_K", "wk"}, {"alpha_Q", "alpha_q"}, {"alpha_K", "alpha_k"}})
        layer.weights.add(std::string("blocks.0.attn.") + ours, tensor(theirs));
    return layer;
}

std::vector<int> allRows(const Tensor& x) {
    std::vector<int> rows;
    for (int i = 0; i < x.size(1); ++i) rows.push_back(i);
    return rows;
}

double sumOf(const std::vector<double>& terms) {
    double sum = 0;
    for (const double term : terms) sum += term;
    return sum;
}
double magnitudeOf(const std::vector<double>& terms) {
    double sum = 0;
    for (const double term : terms) sum += std::abs(term);
    return sum;
}

/// A layer of any kind with random weights, and a residual stream to feed it.
struct Random {
    ModelConfig config;
    Weights weights;
    Tensor x;
    Tensor mixedQ, mixedK;  ///< what the reference makes of it, float64

    explicit Random(const std::function<void(ModelConfig&)>& change) {
        config.dModel = 16;
        config.nHeads = 4;
        config.dVocab = 7;
        config.nCtx = 9;
        config.norm = NormKind::layer;
        config.layers = {LayerConfig{}};
        config.layers[0].positions = PositionKind::virtualToken;
        change(config);
        REQUIRE(validate(config));
        const Weights narrow = initialWeights(config, 5);
        for (const auto& [name, tensor] : narrow.entries())
            weights.add(name, tensor.cast(DType::f64));
        const auto backend = makeReferenceBackend();
        const auto trace = Decoder(config, weights, *backend)
                               .forward(Tensor::of<std::int32_t>({1, 6}, {3, 1, 0, 6, 2, 5}))
                               .value();
        x = trace.layers[0].residPre;
        mixedQ = trace.layers[0].mixedQ;
        mixedK = trace.layers[0].mixedK;
    }

    /// The score as the pass itself works it out.
    double score(const ScoreCell& cell) const {
        const std::int64_t d = mixedQ.size(4), pseudos = mixedQ.size(2), rows = mixedQ.size(3),
                           group = cell.head * mixedK.size(1) / mixedQ.size(1);
        const double* q =
            mixedQ.data<double>() + ((cell.head * pseudos + cell.p) * rows + cell.query) * d;
        const double* k =
            mixedK.data<double>() + ((group * pseudos + cell.r) * rows + cell.key) * d;
        double sum = 0;
        for (std::int64_t c = 0; c < d; ++c) sum += q[c] * k[c];
        return sum / std::sqrt(static_cast<double>(d));
    }
};

/// What is worked out of all tiles at once against their scores one by one.
void checkTiles(const LayerScores& scores, const std::vector<CrossHead>& tiles,
                const std::vector<int>& rows) {
    const int pseudos = scores.layer().nPseudo, each = pseudos * pseudos;
    for (int tile = 0; tile < static_cast<int>(tiles.size()); ++tile) {
        CrossHead sum;
        for (const int row : rows) {
            const CrossHead part = scores.crossHead(
                {tile / each, tile / pseudos % pseudos, tile % pseudos, row, 0}, rows);
            sum.cross += part.cross;
            sum.all += part.all;
        }
        const CrossHead& found = tiles[static_cast<std::size_t>(tile)];
        // sums of doubles in another order
        CHECK(found.cross == doctest::Approx(sum.cross).epsilon(1e-12));
        CHECK(found.all == doctest::Approx(sum.all).epsilon(1e-12));
    }
}

}  // namespace

TEST_CASE("the terms of every score are those of an independent program") {
    const std::pair<const char*, PositionKind> kinds[] = {{"virtual", PositionKind::virtualToken},
                                                          {"token", PositionKind::token},
                                                          {"none", PositionKind::none}};
    for (const std::string name : {"n5_d12_h3_p2", "n4_d8_h2_p4"})
        for (const auto& [kind, positions] : kinds) {
            CAPTURE(name);
            CAPTURE_BINDING(kind);
            const Layer layer = goldenLayer(name, positions);
            const std::string file = "/analysis/splits.safetensors", stem = name + "." + kind;
            const Tensor terms = read(file, stem + ".terms"), scores = read(file, stem + ".scores");
            const Tensor plain = read(file, name + ".none.terms");
            const auto made =
                LayerScores::of(layer.config, layer.weights, 0, layer.x, allRows(layer.x));
            REQUIRE(made);
            const int heads = layer.config.nHeads, pseudos = layer.config.layers[0].nPseudo,
                      rows = static_cast<int>(layer.x.size(1));
            std::int64_t cell = 0;
            double worst = 0;
            for (int h = 0; h < heads; ++h)
                for (int p = 0; p < pseudos; ++p)
                    for (int r = 0; r < pseudos; ++r)
                        for (int i = 0; i < rows; ++i)
                            for (int j = 0; j < rows; ++j, ++cell) {
                                const auto split = made->split({h, p, r, i, j});
                                REQUIRE(split);
                                REQUIRE(split->terms.size() == std::size_t(heads * heads));
                                const auto off = [&](double a, double b) {
                                    worst = std::fmax(worst, std::isnan(a) ? 1 : std::abs(a - b));
                                };
                                for (int t = 0; t < heads * heads; ++t) {
                                    const std::int64_t at = cell * heads * heads + t;
                                    off(split->terms[std::size_t(t)], terms.data<double>()[at]);
                                    off(split->plain[std::size_t(t)], plain.data<double>()[at]);
                                }
                                off(split->score, scores.data<double>()[cell]);
                                off(sumOf(split->terms), split->score);
                                CHECK(split->seen == (j * pseudos + r <= i * pseudos + p));
                            }
            // terms of up to 3 or so, sums of at most a dozen products: a few units of 1e-16 each;
            // cos and sin differ between C libraries in their last bits
            CHECK(worst < 1e-13);
        }
}

TEST_CASE("the terms sum to the score of every kind of layer") {
    const std::pair<const char*, std::function<void(ModelConfig&)>> kinds[] = {
        {"MHA", [](ModelConfig&) {}},
        {"GQA", [](ModelConfig& c) { c.nKvHeads = 2; }},
        {"biases", [](ModelConfig& c) { c.qBias = c.kBias = true; }},
        {"norms of q and k", [](ModelConfig& c) { c.qkNorm = true; }},
        {"half of a head rotates", [](ModelConfig& c) { c.rotaryWidth = 2; }},
        {"IHA",
         [](ModelConfig& c) {
             c.layers[0] = {AttentionKind::iha, 3};
             c.qkNorm = true;
         }},
        {"IHA, positions x2",
         [](ModelConfig& c) {
             c.layers[0] = {AttentionKind::iha, 2};
             c.layers[0].positions = PositionKind::virtualToken;
             c.layers[0].positionFactor = 2;
         }},
        {"IHA, norms of q and k after rotation",
         [](ModelConfig& c) {
             c.layers[0] = {AttentionKind::iha, 3};
             c.layers[0].positions = PositionKind::virtualToken;
             c.qkNorm = c.qkNormLast = true;
         }},
        {"GQA, norms of q and k after rotation",
         [](ModelConfig& c) {
             c.nKvHeads = 2;
             c.qkNorm = c.qkNormLast = true;
         }},
        {"IHA-lite", [](ModelConfig& c) { c.layers[0].kind = AttentionKind::ihaLite; }}};
    for (const auto& [name, change] : kinds) {
        CAPTURE_BINDING(name);
        const Random layer(change);
        const auto made = LayerScores::of(layer.config, layer.weights, 0, layer.x, {5, 2});
        REQUIRE(made);
        const int last = layer.config.layers[0].nPseudo - 1;
        for (int head = 0; head < layer.config.nHeads; ++head) {  // a group has several
            const ScoreCell cell{head, last, 0, 5, 2};
            const auto split = made->split(cell);
            REQUIRE(split);
            // the reference multiplies mixed vectors, the split sums products: roundings of 1e-16
            const double tolerance = 1e-13 * magnitudeOf(split->terms);
            CHECK(std::abs(sumOf(split->terms) - layer.score(cell)) <= tolerance);
            CHECK(std::abs(split->score - layer.score(cell)) <= tolerance);
            CrossHead share;
            share.add(*split);
            CHECK(share.share() >= 0);
            CHECK(share.share() <= 1);
            if (!split->mixesHeads) CHECK(share.share() == 0);
            CHECK((split->terms.size() > 1) == split->mixesHeads);
        }
    }
}

TEST_CASE("talking heads mix the logits of heads, each with itself") {
    const Random layer([](ModelConfig& c) { c.layers[0].kind = AttentionKind::talkingHeads; });
    const auto made = LayerScores::of(layer.config, layer.weights, 0, layer.x, {4, 1});
    REQUIRE(made);
    const auto split = made->split({2, 0, 0, 4, 1});
    REQUIRE(split);
    const Tensor mix = layer.weights.find("blocks.0.attn.mix_L");
    double expected = 0;
    for (int f = 0; f < 4; ++f)
        expected += mix.data<double>()[f * 4 + 2] * layer.score({f, 0, 0, 4, 1});
    CHECK(split->score == doctest::Approx(expected).epsilon(1e-12));
    CrossHead share;
    share.add(*split);
    CHECK(share.share() == 0);
}

TEST_CASE("the cross-head share counts signs away, over a cell and over the evidence") {
    ScoreSplit split;
    split.mixesHeads = true;
    split.querySources = split.keySources = {0, 1};
    split.terms = {1, -2, 0.5, 1.5};  // cross: 2.5 of 5
    CrossHead share;
    share.add(split);
    CHECK(share.share() == 0.5);
    split.terms = {5, 0, 0, 0};
    share.add(split);
    CHECK(share.share() == 0.25);
    CHECK(CrossHead().share() == 0);

    const Random layer([](ModelConfig& c) { c.layers[0] = {AttentionKind::iha, 2}; });
    const auto made = LayerScores::of(layer.config, layer.weights, 0, layer.x, {3, 0, 1, 5});
    CrossHead summed;
    for (const int key : {0, 1}) summed.add(*made->split({1, 0, 1, 3, key}));
    // token 5 lies in the future, which the mask hides
    CHECK(made->crossHead({1, 0, 1, 3, 0}, {0, 1, 5}).share() == summed.share());
}

TEST_CASE("the cross-head share of a tile is that of all its scores") {
    for (const MaskKind mask : {MaskKind::flat, MaskKind::token, MaskKind::none})
        for (const PositionKind positions :
             {PositionKind::virtualToken, PositionKind::token, PositionKind::none}) {
            CAPTURE(static_cast<int>(mask));
            CAPTURE(static_cast<int>(positions));
            Layer layer = goldenLayer("n5_d12_h3_p2", positions);
            layer.config.layers[0].mask = mask;
            const std::vector<int> rows = allRows(layer.x);
            const auto made = LayerScores::of(layer.config, layer.weights, 0, layer.x, rows);
            const std::vector<CrossHead> tiles = made->crossHeads().value();
            REQUIRE(tiles.size() == 3 * 2 * 2);
            checkTiles(*made, tiles, rows);
        }
}

// the lengths of pseudo-queries and pseudo-keys weigh their pairs, each tile's its own
TEST_CASE("so it is where pseudo-heads are normed once rotated") {
    const Random layer([](ModelConfig& c) {
        c.layers[0] = {AttentionKind::iha, 2};
        c.qkNorm = c.qkNormLast = true;
    });
    const std::vector<int> rows = allRows(layer.x);
    const auto made = LayerScores::of(layer.config, layer.weights, 0, layer.x, rows);
    checkTiles(*made, made->crossHeads().value(), rows);
}

TEST_CASE("what cannot be split is said") {
    const Random layer([](ModelConfig& c) { c.layers[0].kind = AttentionKind::differential; });
    const auto none = LayerScores::of(layer.config, layer.weights, 0, layer.x, {0});
    REQUIRE_FALSE(none);
    CHECK(none.error().sentence() ==
          "layer 0: a cell of differential attention is the difference of two softmaxes, each with "
          "a score of its own, so there is no one score to split; choose a layer of another kind.");
    const Random iha([](ModelConfig& c) { c.layers[0] = {AttentionKind::iha, 2}; });
    const auto made = LayerScores::of(iha.config, iha.weights, 0, iha.x, {0});
    CHECK(made->split({0, 2, 0, 0, 0}).error().sentence() ==
          "query pseudo-head: there is no query pseudo-head 2; use 0 to 1.");
    CHECK(made->split({4, 0, 0, 0, 0}).error().sentence() ==
          "head: there is no head 4; use 0 to 3.");
    CHECK(LayerScores::of(iha.config, iha.weights, 0, iha.x, {6}).error().sentence() ==
          "token: there is no token 6; use 0 to 5.");
}
