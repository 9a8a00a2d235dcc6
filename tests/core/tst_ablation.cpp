#include "core/models/ablation.h"
#include "core/models/decoder.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

using namespace headloom;

namespace {

using Kind = ModelPart::Kind;
constexpr int tokens = 5;

ModelConfig configOf(AttentionKind kind, int nPseudo, CollapseKind collapse = CollapseKind::full) {
    ModelConfig config;
    config.dModel = 12;
    config.nHeads = 3;
    config.dMlp = 10;
    config.dVocab = 6;
    config.nCtx = 8;
    LayerConfig layer;
    layer.kind = kind;
    layer.nPseudo = nPseudo;
    layer.collapse = collapse;
    layer.mask = MaskKind::flat;
    layer.positions = PositionKind::virtualToken;
    config.layers = {layer, layer};
    return config;
}

ModelPart part(const std::string& name) {
    const auto made = partFrom(name);
    REQUIRE_MESSAGE(made, name);
    return *made;
}

Cut cut(const std::string& name, Instead instead = Instead::zero) {
    Cut made;
    made.part = part(name);
    made.instead = instead;
    return made;
}

/// A model on a backend, run over one prompt or another.
struct Subject {
    ModelConfig config;
    Weights weights = initialWeights(config, 3);
    std::unique_ptr<Backend> backend = makeReferenceBackend();

    ActivationTrace run(const Ablation& ablation = {}, int shift = 0) const {
        return run(withoutWeights(ablation, weights), ablation, shift);
    }
    ActivationTrace run(const Weights& used, const Ablation& ablation = {}, int shift = 0) const {
        std::vector<std::int32_t> ids;
        for (int n = 0; n < tokens; ++n) ids.push_back((n * n + shift) % config.dVocab);
        ForwardOptions options;
        if (const auto fine = checkAblation(ablation, config, tokens); !fine)
            FAIL(fine.error().sentence());
        if (!ablation.empty()) options.changes = layerChanges(ablation, config, tokens);
        const auto trace = Decoder(config, used, *backend)
                               .forward(Tensor::of<std::int32_t>({1, tokens}, ids), options);
        REQUIRE(trace);
        return *trace;
    }
    /// The weights with one tensor's numbers replaced where `where` says so.
    template <class Where>
    Weights zeroed(const std::string& name, const Where& where) const {
        Weights made = weights.clone();
        const Tensor tensor = made.find(name);
        for (std::int64_t at = 0; at < tensor.count(); ++at)
            if (where(at)) tensor.data<float>()[at] = 0;
        return made;
    }
};

double difference(const Tensor& a, const Tensor& b) {
    REQUIRE(a.count() == b.count());
    double largest = 0;
    for (std::int64_t at = 0; at < a.count(); ++at)
        largest = std::max(largest, std::abs(double(a.data<float>()[at]) - b.data<float>()[at]));
    return largest;
}

// Logits are of size 1 and come out of two layers of float32 sums in another order.
constexpr double rounding = 2e-6;

std::string refusal(const Ablation& ablation, const ModelConfig& config) {
    const auto fine = checkAblation(ablation, config, tokens);
    return fine ? "" : fine.error().sentence();
}

}  // namespace

TEST_CASE("a part is written and read by the same name") {
    for (const char* name :
         {"L1", "L1.attn", "L1.mlp", "L1H3", "L1H3.q0", "L1H3.k1", "L1H3.p0", "L1H3.q0k1",
          "L1H3.q0k1[18,12]", "L1.alphaQ[2,1,0]", "L0.R[0,3]", "L0.logits[1,2]"})
        CHECK(nameOf(part(name)) == name);
    CHECK(part("L0H1[3,2]") == part("L0H1.q0k0[3,2]"));
    for (const char* name : {"", "L", "1", "L1H", "L1.", "L1H3.", "L1H3.q", "L1H3.q0k", "L1H3.x0",
                             "L1H3.q0k1[1]", "L1H3.q0k1[1,2", "L1.alphaQ", "L1.alphaX[0,0,0]",
                             "L-1", "L1 ", "L99999999999", "L1H0.k0[1,2]"})
        CHECK_MESSAGE(!partFrom(name), name);
}

TEST_CASE("a head that is off is a head whose weights are zero") {
    Subject mha{configOf(AttentionKind::mha, 1)};
    Ablation off;
    off.cuts = {cut("L0H1")};
    const int block = 4 * 12;  // W_O [H, d, D]
    const Weights without =
        mha.zeroed("blocks.0.attn.W_O", [&](std::int64_t at) { return at / block == 1; });
    CHECK(difference(mha.run(off).logits, mha.run(without).logits) < rounding);
    CHECK(difference(mha.run(off).logits, mha.run().logits) > 1e-3);

    for (const CollapseKind collapse : {CollapseKind::full, CollapseKind::perHead}) {
        Subject iha{configOf(AttentionKind::iha, 2, collapse)};
        const int columns = collapse == CollapseKind::full ? 6 : 2;
        const Weights noHead = iha.zeroed("blocks.0.attn.R", [&](std::int64_t at) {
            return columns == 2 ? at / 2 == 1 : at % columns / 2 == 1;
        });
        CHECK(difference(iha.run(off).logits, iha.run(noHead).logits) < rounding);

        Ablation pseudo;
        pseudo.cuts = {cut("L0H1.q1")};
        const Weights noPseudo = iha.zeroed("blocks.0.attn.R", [&](std::int64_t at) {
            return columns == 2 ? at == 3 : at % columns == 3;
        });
        CHECK(difference(iha.run(pseudo).logits, iha.run(noPseudo).logits) < rounding);
    }
}

TEST_CASE("a layer, its attention or its MLP adds nothing") {
    Subject subject{configOf(AttentionKind::iha, 2)};
    Ablation ablation;
    ablation.cuts = {cut("L0.attn")};
    const ActivationTrace noAttention = subject.run(ablation);
    CHECK(difference(noAttention.layers[0].residPre, noAttention.layers[0].residMid) == 0);
    ablation.cuts = {cut("L0")};
    const ActivationTrace noLayer = subject.run(ablation);
    CHECK(difference(noLayer.layers[0].residPre, noLayer.layers[1].residPre) == 0);
    ablation.cuts = {cut("L1.mlp")};
    const ActivationTrace noMlp = subject.run(ablation);
    CHECK(difference(noMlp.layers[1].residMid, noMlp.residFinal) == 0);
}

TEST_CASE("a weight that is off is zero") {
    Subject subject{configOf(AttentionKind::iha, 2)};
    Ablation ablation;
    ablation.cuts = {cut("L1.alphaK[2,1,0]"), cut("L0.R[2,3]")};
    Weights edited = subject.weights.clone();
    edited.find("blocks.1.attn.alpha_K").data<float>()[(2 * 3 + 1) * 2] = 0;
    edited.find("blocks.0.attn.R").data<float>()[2 * 6 + 3] = 0;
    CHECK(difference(subject.run(ablation).logits, subject.run(edited).logits) == 0);
}

TEST_CASE("tiles and cells are what the reference does with the same factors") {
    Subject subject{configOf(AttentionKind::iha, 2)};
    for (const bool renormalise : {false, true}) {
        Ablation ablation;
        Cut tile = cut("L0H1.q1k0"), cell = cut("L0H2.q0k1[3,1]");
        tile.renormalise = cell.renormalise = renormalise;
        ablation.cuts = {tile, cell};
        const LayerTrace layer = subject.run(ablation).layers[0];

        AttentionParams params = attentionParams(subject.config.layers[0]);
        params.multiplier = Tensor::host({3, 2, 2, tokens, tokens}, DType::f32);
        params.renormalise = renormalise;
        const auto factors = params.multiplier.values<float>();
        std::fill(factors.begin(), factors.end(), 1.f);
        constexpr int area = tokens * tokens;
        std::fill_n(factors.begin() + (4 + 2) * area, area, 0.f);
        factors[(8 + 1) * area + 3 * tokens + 1] = 0;
        const Tensor y = Tensor::host(layer.y.shape(), DType::f32),
                     maps = Tensor::host(layer.maps.shape(), DType::f32);
        subject.backend->attention(params, layer.mixedQ, layer.mixedK, layer.mixedV, y, maps);
        CHECK(difference(layer.maps, maps) == 0);
        CHECK(difference(layer.y, y) == 0);
    }
}

TEST_CASE("a pseudo-head that is off as key is seen by nobody") {
    Subject subject{configOf(AttentionKind::iha, 2)};
    Ablation ablation;
    ablation.cuts = {cut("L0H1.k1")};
    const Tensor maps = subject.run(ablation).layers[0].maps;
    for (int p = 0; p < 2; ++p)
        for (int i = 0; i < tokens; ++i) {
            double seen = 0;
            for (int j = 0; j < tokens; ++j) {
                const int row = ((4 + p * 2) * tokens + i) * tokens + j;
                seen += maps.data<float>()[row];
                CHECK(maps.data<float>()[row + tokens * tokens] == 0);
            }
            CHECK(seen == doctest::Approx(1).epsilon(1e-6));  // five float32 weights
        }
}

TEST_CASE("self only leaves a token its own") {
    Subject mha{configOf(AttentionKind::mha, 1)};
    Ablation ablation;
    ablation.cuts = {cut("L0H2", Instead::self)};
    const Tensor maps = mha.run(ablation).layers[0].maps;
    for (int i = 0; i < tokens; ++i)
        for (int j = 0; j < tokens; ++j)
            CHECK(maps.data<float>()[(2 * tokens + i) * tokens + j] == (i == j ? 1.f : 0.f));

    for (const AttentionKind kind : {AttentionKind::talkingHeads, AttentionKind::differential}) {
        Subject subject{configOf(kind, 1)};
        const Tensor before = subject.run().layers[0].maps,
                     after = subject.run(ablation).layers[0].maps;
        for (int at = 0; at < tokens * tokens; ++at) {
            const int cell = 2 * tokens * tokens + at;
            const bool own = at / tokens == at % tokens;
            CHECK(after.data<float>()[cell] == (own ? before.data<float>()[cell] : 0.f));
        }
    }
}

TEST_CASE("a mean stands at every position") {
    for (const AttentionKind kind :
         {AttentionKind::iha, AttentionKind::mha, AttentionKind::talkingHeads}) {
        Subject subject{configOf(kind, kind == AttentionKind::iha ? 2 : 1)};
        const int pseudo = subject.config.layers[0].nPseudo;
        Ablation ablation;
        ablation.cuts = {cut("L0H1", Instead::mean)};
        const ActivationTrace plain = subject.run(), changed = subject.run(ablation);
        const float* before = plain.layers[0].y.data<float>() + pseudo * tokens * 4;
        const float* after = changed.layers[0].y.data<float>() + pseudo * tokens * 4;
        for (int c = 0; c < 4; ++c) {
            double mean = 0;
            for (int n = 0; n < tokens; ++n) mean += before[n * 4 + c] / double(tokens);
            for (int n = 0; n < tokens; ++n)
                CHECK(after[n * 4 + c] == doctest::Approx(mean).epsilon(1e-4));  // sums near 0
        }
        Ablation mlp;
        mlp.cuts = {cut("L1.mlp", Instead::mean)};
        const ActivationTrace flat = subject.run(mlp);
        for (int n = 1; n < tokens; ++n)
            for (int c = 0; c < 12; ++c) {
                const auto added = [&](int row) {
                    const int at = row * 12 + c;
                    return double(flat.residFinal.data<float>()[at]) -
                           flat.layers[1].residMid.data<float>()[at];
                };
                CHECK(added(n) == doctest::Approx(added(0)).epsilon(1e-4));
            }
    }
}

TEST_CASE("patching a prompt with itself changes nothing") {
    for (const AttentionKind kind : attentionKinds()) {
        Subject subject{configOf(kind, kind == AttentionKind::iha ? 2 : 1)};
        const bool pseudo = kind == AttentionKind::iha;
        for (const char* name : {"L0", "L0.attn", "L1.mlp", "L0H1", "L1H2.q0", "L0H1.k0", "L1H0.p0",
                                 "L0H2.q0k0", "L0H1.q0k0[4,2]", "L1H1.q1k1"}) {
            const ModelPart chosen = part(name);
            if (!checkPart(chosen, subject.config, tokens)) continue;
            const bool asKey = chosen.kind == Kind::pseudoKey || chosen.kind == Kind::pseudo;
            if (asKey &&
                (kind == AttentionKind::talkingHeads || kind == AttentionKind::differential))
                continue;
            CAPTURE(name);
            CAPTURE(pseudo);
            Ablation ablation;
            ablation.cuts = {cut(name, Instead::other)};
            ablation.donor = std::make_shared<const ActivationTrace>(subject.run());
            CHECK(difference(subject.run(ablation).logits, subject.run().logits) < rounding);
            // and with another prompt it does
            ablation.donor = std::make_shared<const ActivationTrace>(subject.run(Ablation{}, 1));
            CHECK(difference(subject.run(ablation).logits, subject.run().logits) > 1e-5);
        }
    }
}

TEST_CASE("a whole layer of another prompt is that prompt's from there on") {
    Subject subject{configOf(AttentionKind::iha, 2)};
    Ablation ablation;
    ablation.cuts = {cut("L0", Instead::other), cut("L1", Instead::other)};
    const ActivationTrace other = subject.run(Ablation{}, 1), own = subject.run();
    ablation.donor = std::make_shared<const ActivationTrace>(other);
    const ActivationTrace patched = subject.run(ablation);
    // only the embedding is still its own
    const Tensor expected = other.residFinal.copy();
    for (std::int64_t at = 0; at < expected.count(); ++at)
        expected.data<float>()[at] +=
            own.layers[0].residPre.data<float>()[at] - other.layers[0].residPre.data<float>()[at];
    CHECK(difference(patched.residFinal, expected) < rounding);
}

TEST_CASE("cuts before and after the softmax go together") {
    Subject subject{configOf(AttentionKind::iha, 2)};
    Cut hidden = cut("L0H0.q1k0");
    hidden.renormalise = true;
    Ablation both, first, second;
    both.cuts = {hidden, cut("L0H2.q0")};
    first.cuts = {hidden};
    second.cuts = {cut("L0H2.q0")};
    const LayerTrace layer = subject.run(both).layers[0];
    const LayerTrace a = subject.run(first).layers[0], b = subject.run(second).layers[0];
    const auto head = [](const Tensor& tensor, int h) { return tensor.at(0).at(h); };
    CHECK(difference(head(layer.y, 0), head(a.y, 0)) == 0);
    CHECK(difference(head(layer.maps, 2), head(b.maps, 2)) == 0);
    CHECK(difference(head(layer.y, 2), head(b.y, 2)) < rounding);
}

TEST_CASE("at one token only") {
    Subject subject{configOf(AttentionKind::mha, 1)};
    Ablation ablation;
    ablation.cuts = {cut("L1H0")};
    ablation.cuts.front().row = 3;
    const ActivationTrace plain = subject.run(), changed = subject.run(ablation);
    for (int row = 0; row < tokens; ++row)
        CHECK((difference(plain.logits.at(0).slice(row, 1), changed.logits.at(0).slice(row, 1)) >
               1e-5) == (row == 3));
}

TEST_CASE("what a cut leaves as it was is taken from a pass without it") {
    ModelConfig grouped = configOf(AttentionKind::mha, 1);
    grouped.dModel = 16;
    grouped.nHeads = 4;
    grouped.nKvHeads = 2;
    for (const ModelConfig& config :
         {configOf(AttentionKind::iha, 2), grouped, configOf(AttentionKind::talkingHeads, 1)}) {
        const Subject subject{config};
        const ActivationTrace whole = subject.run();
        constexpr std::int64_t first = 2;
        for (const int layer : {0, 1}) {
            ForwardOptions options;
            options.captureMaps = false;
            options.firstLayer = layer;
            options.input = whole.layers[std::size_t(layer)].residPre;
            options.firstRow = first;
            const Decoder decoder(config, subject.weights, *subject.backend);
            const auto seen = decoder.forward(whole.ids, options).value();
            const int last = config.nHeads - 1;
            for (const ModelPart& off :
                 {ModelPart::ofHead(layer, 0), ModelPart::ofHead(layer, last),
                  ModelPart::ofTile(layer, last, 0, 0)}) {
                CAPTURE(nameOf(off));
                Ablation ablation;
                ablation.cuts.push_back({off, Instead::zero, false, -1});
                options.changes = layerChanges(ablation, config, tokens);
                options.unchanged = &seen.layers[std::size_t(layer)];
                const Tensor some = decoder.forward(whole.ids, options).value().logits;
                const Tensor all = subject.run(ablation).logits;
                REQUIRE(some.size(1) == tokens - first);
                CHECK(difference(some, rowsFrom(all, first)) < rounding);
                CHECK(difference(some, rowsFrom(whole.logits, first)) > 1e-4);
            }
        }
    }
}

TEST_CASE("the fast kernels cut as the reference does") {
    Subject subject{configOf(AttentionKind::iha, 2)};
    Ablation ablation;
    ablation.cuts = {cut("L0H1.k1"), cut("L0H0.q0k1", Instead::mean), cut("L1H2", Instead::self)};
    const ActivationTrace reference = subject.run(ablation);
    subject.backend = makeCpuBackend(2);
    CHECK(difference(subject.run(ablation).logits, reference.logits) < 1e-5);  // other sums
}

TEST_CASE("what a model does not have cannot be switched off") {
    const ModelConfig iha = configOf(AttentionKind::iha, 2);
    const auto one = [](const std::string& name, Instead instead = Instead::zero) {
        Ablation made;
        made.cuts = {cut(name, instead)};
        return made;
    };
    CHECK(refusal(one("L2"), iha) == "L2: there is no layer 2; use 0 to 1.");
    CHECK(refusal(one("L0H3"), iha) == "L0H3: there is no head 3; use 0 to 2.");
    CHECK(refusal(one("L0H0.q2k0"), iha) == "L0H0.q2k0: there is no pseudo-head 2; use 0 to 1.");
    CHECK(refusal(one("L0H0.q0k0[5,0]"), iha) ==
          "L0H0.q0k0[5,0]: there is no token 5; use 0 to 4.");
    CHECK(refusal(one("L0.logits[0,0]"), iha) ==
          "L0.logits[0,0]: a layer of IHA has no matrix logits; choose a part that the layer has.");
    CHECK(refusal(one("L0.alphaQ[0,0]"), iha) ==
          "L0.alphaQ[0,0]: 2 numbers do not name a weight of it; alphaQ takes 3.");
    CHECK(refusal(one("L0.R[0,6]"), iha) == "L0.R[0,6]: there is no index 6; use 0 to 5.");
    CHECK(refusal(one("L0.R[0,1]", Instead::mean), iha) ==
          "L0.R[0,1]: a weight is the same at every position and in every prompt; set it to zero.");
    CHECK(refusal(one("L0.mlp", Instead::self), iha) ==
          "L0.mlp: it does not choose between tokens; set it to zero or to its mean.");
    CHECK(refusal(one("L0H0", Instead::other), iha) ==
          "L0H0: there is no other prompt to take it from; give one.");
    ModelConfig bare = iha;
    bare.dMlp = 0;
    CHECK(refusal(one("L0.mlp"), bare) ==
          "L0.mlp: this model has no MLP; choose a part that it has.");
    Ablation lone = one("L0H0");
    lone.cuts.front().renormalise = true;
    CHECK(refusal(lone, iha) ==
          "L0H0: only a tile or a cell can be left out before the softmax; "
          "switch it off without renormalising.");
    lone.cuts.front().renormalise = false;
    lone.cuts.front().row = 5;
    CHECK(refusal(lone, iha) == "L0H0: there is no token 5; the prompt has tokens 0 to 4.");
    CHECK(refusal(one("L0H0.k0"), configOf(AttentionKind::differential, 1)).find("signed") !=
          std::string::npos);
    Subject subject{iha};
    Ablation shorter = one("L0H0", Instead::other);
    shorter.donor = std::make_shared<const ActivationTrace>(subject.run());
    const auto fine = checkAblation(shorter, iha, 4);
    REQUIRE_FALSE(fine);
    CHECK(fine.error().sentence() ==
          "L0H0: the other prompt has 5 tokens and this one 4, so they do not lie on one another; "
          "give a prompt of the same length.");
}

TEST_CASE("the parts of a layer are counted") {
    const ModelConfig config = configOf(AttentionKind::iha, 2);
    CHECK(partsOf(Kind::head, config, 1).size() == 3);
    CHECK(partsOf(Kind::pseudoQuery, config, 1).size() == 6);
    CHECK(partsOf(Kind::tile, config, 1).size() == 12);
    CHECK(nameOf(partsOf(Kind::pseudoKey, config, 1)[3]) == "L1H1.k1");
    CHECK(nameOf(partsOf(Kind::tile, config, 1)[6]) == "L1H1.q1k0");
    CHECK(partsOf(Kind::mlp, config, 0).size() == 1);
    const auto weights = partsOf(Kind::weight, config, 1);
    CHECK(weights.size() == 3 * 18 + 18);  // three alphas [3, 3, 2] and R [3, 6]
    CHECK(nameOf(weights[7]) == "L1.alphaQ[1,0,1]");
    CHECK(nameOf(weights.back()) == "L1.R[2,5]");
}
