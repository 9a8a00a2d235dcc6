#include "core/analysis/cost.h"
#include "core/models/weights.h"
#include "core/theory/cost.h"
#include "core/theory/cost_formula.h"
#include "core/theory/paper_results.h"

#include <doctest/doctest.h>

using namespace headloom;

namespace {

CostSizes small() {
    CostSizes sizes;
    sizes.nTokens = 9;
    sizes.nHeads = 4;
    sizes.nKvHeads = 2;
    sizes.nPseudo = 3;
    sizes.dHead = 2;
    sizes.nLayers = 5;
    sizes.window = 3;
    sizes.nWindowed = 2;
    sizes.bytesPerNumber = 4;  // as Headloom's own cache has them
    sizes.pairs = PairCount::causal;
    return sizes;
}

LayerConfig layerOf(AttentionKind kind, const CostSizes& sizes, bool windowed) {
    LayerConfig layer;
    layer.kind = kind;
    layer.mask = MaskKind::flat;
    layer.collapse = sizes.collapse;
    if (kind == AttentionKind::iha) layer.nPseudo = static_cast<int>(sizes.nPseudo);
    if (windowed) layer.window = static_cast<int>(sizes.window);
    return layer;
}

/// The model that an arm is about, without a MLP.
ModelConfig modelOf(const CostSizes& sizes, const std::string& arm) {
    ModelConfig config;
    config.dModel = static_cast<int>(sizes.dModel());
    config.nHeads = static_cast<int>(sizes.nHeads);
    if (arm == "gqa") config.nKvHeads = static_cast<int>(sizes.nKvHeads);
    config.dVocab = 6;
    config.nCtx = static_cast<int>(sizes.nTokens);
    for (int i = 0; i < sizes.nLayers; ++i) {
        const bool global = (i + 1) % (sizes.nWindowed + 1) == 0;
        const bool plain = arm == "mha" || arm == "gqa" || (arm == "iha-scheduled" && global);
        config.layers.push_back(layerOf(plain ? AttentionKind::mha : AttentionKind::iha, sizes,
                                        !plain && arm != "iha"));
    }
    return config;
}

/// Numbers in the attention tensors of a model that is really built.
std::int64_t counted(const ModelConfig& config, bool mixingOnly) {
    std::int64_t sum = 0;
    const Weights weights = initialWeights(config, 1);
    for (const auto& [name, tensor] : weights.entries()) {
        const bool mixing = name.find(".alpha_") != name.npos || name.ends_with(".R");
        if (name.find(".attn.") != name.npos && (mixing || !mixingOnly)) sum += tensor.count();
    }
    return sum;
}

std::string sentenceOf(const CostSizes& sizes) {
    const auto arms = costArms(sizes);
    return arms ? "" : arms.error().sentence();
}

std::int64_t valueOf(const CostArm& arm, CostQuantity quantity) {
    return arm.at(quantity).value;
}

}  // namespace

TEST_CASE("a formula in names, in numbers, and worked out") {
    CostFormula formula;
    CHECK(formula.names() == "0");
    CHECK(formula.value() == 0);
    formula.add(4, {{"L", 3}, {"D", 5, 2}}).add(-1, {{"W", 4}, {"(W - 1)", 3}}, 2);
    CHECK(formula.names() == "4 L D^2 - W (W - 1)/2");
    CHECK(formula.numbers() == "4 x 3 x 5^2 - 4 x 3/2");
    CHECK(formula.value() == 300 - 6);
    CHECK(!CostFormula().add(1, {{"N", std::int64_t{1} << 32, 2}}).value());
    const std::int64_t half = std::int64_t{1} << 62;
    CHECK(!CostFormula().add(1, {{"N", half}}).add(1, {{"N", half}}).value());
}

TEST_CASE("parameters are the tensors of models that are really built") {
    for (const CollapseKind collapse : {CollapseKind::full, CollapseKind::perHead}) {
        CostSizes sizes = small();
        sizes.collapse = collapse;
        const std::vector<CostArm> arms = costArms(sizes).value();
        for (const CostArm& arm : arms) {
            CAPTURE(arm.name);
            const ModelConfig model = modelOf(sizes, arm.name);
            CHECK(valueOf(arm, CostQuantity::parameters) == counted(model, false));
            CHECK(valueOf(arm, CostQuantity::mixingParameters) == counted(model, true));
        }
    }
}

// core/analysis counts pairs token by token, and the cache as Headloom keeps it: of pseudo-heads.
TEST_CASE("entries and FLOPs under a causal mask are those that Headloom counts") {
    for (const std::int64_t window : {1, 3, 9, 50}) {
        CostSizes sizes = small();
        sizes.window = window;
        const std::vector<CostArm> arms = costArms(sizes).value();
        for (const CostArm& arm : arms) {
            CAPTURE(arm.name);
            CAPTURE(window);
            const ModelConfig model = modelOf(sizes, arm.name);
            const Cost cost = costOf(model, sizes.nTokens);
            CHECK(valueOf(arm, CostQuantity::scoreEntries) == cost.scoreEntries);
            const std::int64_t head = 2 * sizes.nTokens * sizes.dModel() * model.nClasses();
            CHECK(valueOf(arm, CostQuantity::flops) == cost.flops - head);
            if (window >= sizes.nTokens)
                CHECK(valueOf(arm, CostQuantity::pseudoCacheBytes) == cost.cacheBytes);
        }
    }
}

// iha.md 2: W = N/(2 P^2) makes a windowed layer cost H N^2 d/2, and five layers 3/5 of MHA's.
TEST_CASE("the paper's schedule costs three fifths of global MHA, in the paper's count") {
    CostSizes sizes;
    sizes.nPseudo = 4;  // W = 32
    const auto arms = costArms(sizes).value();
    CHECK(sizes.tokensInWindow() == 32);
    const auto entries = [&](std::size_t arm) {
        return valueOf(arms[arm], CostQuantity::scoreEntries);
    };
    CHECK(entries(0) == std::int64_t{10} * 8 * 1024 * 1024);
    CHECK(entries(2) == 16 * entries(0));
    CHECK(2 * entries(3) == entries(0));
    CHECK(5 * entries(4) == 3 * entries(0));
    CHECK(arms[4].plainLayers == 2);
    // With a causal mask on both, MHA has half the pairs and the window nearly all of its own.
    sizes.pairs = PairCount::causal;
    const auto causal = costArms(sizes).value();
    const double ratio = static_cast<double>(valueOf(causal[3], CostQuantity::scoreEntries)) /
                         static_cast<double>(valueOf(causal[0], CostQuantity::scoreEntries));
    // (P^2 (N (W-1) - W (W-1)/2) + N P (P+1)/2) / (N (N+1)/2) = 508 x 1024.../524800 by hand
    CHECK(ratio == doctest::Approx((16.0 * (1024 * 31 - 496) + 10240) / 524800));
}

TEST_CASE("formulas carry the names and the numbers") {
    const auto arms = costArms(small()).value();
    const auto at = [&](std::size_t arm, CostQuantity quantity) { return arms[arm].at(quantity); };
    CHECK(at(0, CostQuantity::parameters).formula == "4 L D^2");
    CHECK(at(0, CostQuantity::parameters).numbers == "4 x 5 x 8^2");
    CHECK(at(0, CostQuantity::mixingParameters).formula == "0");
    CHECK(at(1, CostQuantity::parameters).formula == "2 L D (D + G d)");
    CHECK(at(4, CostQuantity::parameters).formula == "4 L D^2 + 4 Li H^2 P");
    CHECK(at(4, CostQuantity::parameters).numbers == "4 x 5 x 8^2 + 4 x 4 x 4^2 x 3");
    CHECK(at(4, CostQuantity::scoreEntries).formula == "Lg H E + Li H Ei");
    CHECK(at(2, CostQuantity::flops).formula == "8 L N D^2 + 4 L H d Ei + 8 L H^2 P N d");
    CHECK(at(3, CostQuantity::cacheBytes).formula == "2 L W H d b");
    CHECK(at(3, CostQuantity::pseudoCacheBytes).numbers == "2 x 5 x 3 x 3 x 4 x 2 x 4");
    CHECK(arms[4].pairs[1].name == "Ei");
    CHECK(arms[4].pairs[1].figure.formula == "P^2 N (W - 1) - P^2 W (W - 1)/2 + N P (P + 1)/2");
}

TEST_CASE("a window by the paper's rule has at least a token") {
    CostSizes sizes = small();
    sizes.window = 0;
    CHECK(sizes.tokensInWindow() == 1);  // 9 / 18
    sizes.nTokens = 36;
    CHECK(sizes.tokensInWindow() == 2);
}

TEST_CASE("the paper's model has no P until it is chosen") {
    CostSizes sizes = costPresetFrom("paper-2.4b").value().sizes;
    CHECK(sentenceOf(sizes).starts_with("pseudo-heads P: how many there are is not known: the "));
    sizes.nPseudo = 20;
    const auto arms = costArms(sizes).value();
    CHECK(valueOf(arms[0], CostQuantity::parameters) == std::int64_t{26} * 4 * 2560 * 2560);
    CHECK(arms[4].plainLayers == 5);
    CHECK(costPresetFrom("paper").error().sentence() ==
          "preset: \"paper\" is not known; use paper-2.4b.");
}

TEST_CASE("sizes that cannot be had are one sentence") {
    const auto refused = [](std::int64_t CostSizes::*size, std::int64_t value) {
        CostSizes sizes;
        sizes.*size = value;
        return sentenceOf(sizes);
    };
    CHECK(refused(&CostSizes::nTokens, 0) == "tokens N: 0 cannot be had; use 1 to 16777216.");
    CHECK(refused(&CostSizes::nHeads, 4097).starts_with("heads H: 4097 cannot be had; use 1 to "));
    CHECK(refused(&CostSizes::nPseudo, -1).starts_with("pseudo-heads P: -1 "));
    CHECK(refused(&CostSizes::dHead, INT64_MAX).starts_with("head width d: 9223372036854775807 "));
    CHECK(refused(&CostSizes::nLayers, 1025).starts_with("layers L: 1025 "));
    CHECK(refused(&CostSizes::window, -2).starts_with("window W: -2 "));
    CHECK(refused(&CostSizes::nWindowed, -1).starts_with("windowed layers before a global one: "));
    CHECK(refused(&CostSizes::bytesPerNumber, 9).starts_with("bytes a number: 9 "));
    CHECK(refused(&CostSizes::nKvHeads, 9) == "key/value heads G: 9 cannot be had; use 1 to 8.");
    CHECK(refused(&CostSizes::nKvHeads, 3).starts_with("key/value heads G: 3 does not divide "));
    CostSizes most;
    most.nTokens = CostSizes::mostTokens;
    most.nPseudo = CostSizes::mostPseudo;
    // pairs of a head: 2^20 x 2^48 are 2^68
    CHECK(sentenceOf(most) ==
          "pairs of IHA: 1024^2 x 16777216^2 is more than is counted here, 2^63 - 1; use fewer "
          "tokens, heads, pseudo-heads or layers.");
}

TEST_CASE("the paper's tables are whole") {
    for (const PaperTable& table : paperTables()) {
        CAPTURE(table.name);
        CHECK(!table.source.empty());
        CHECK(table.caveats.size() >= 2);
        CHECK(table.nProblems.size() == table.columns.size());
        for (const auto& row : table.rows) CHECK(row.values.size() == table.columns.size());
    }
    CHECK(paperTables()[0].rows[0].values[3] == 18.4);
    CHECK(standardError(50, 100) == doctest::Approx(5));  // sqrt(.25/100) of 100 %
    CHECK(standardError(50, 0) == 0);
}
