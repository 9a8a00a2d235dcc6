#include "core/theory/cost.h"

#include "core/theory/cost_formula.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace headloom {

namespace {

/// How many layers of each kind an arm has, and how far its interleaved ones see.
struct Layout {
    std::int64_t plain = 0, interleaved = 0;
    std::int64_t kvHeads = 0;  ///< of the plain layers
    bool windowed = false;     ///< the interleaved ones
};

using Factors = std::vector<CostFactor>;

/// The formulas of an arm. Layers are called L where all are of one kind.
class ArmFormulas {
  public:
    ArmFormulas(const CostSizes& sizes, const Layout& layout) : sizes_(sizes), layout_(layout) {
        const bool mixed = layout.plain > 0 && layout.interleaved > 0;
        plain_ = {mixed ? "Lg" : "L", layout.plain};
        interleaved_ = {mixed ? "Li" : "L", layout.interleaved};
    }

    /// Pairs of a head of a plain layer, which always sees all tokens.
    CostFormula plainPairs() const {
        if (sizes_.pairs == PairCount::all) return CostFormula().add(1, {squared(n_)});
        return CostFormula().add(1, {n_, {"(N + 1)", n_.value + 1}}, 2);
    }

    CostFormula interleavedPairs() const {
        const std::int64_t p = p_.value;
        if (sizes_.pairs == PairCount::all)
            return layout_.windowed ? CostFormula().add(1, {squared(p_), n_, w_})
                                    : CostFormula().add(1, {squared(p_), squared(n_)});
        if (!layout_.windowed)
            return CostFormula().add(1, {n_, p_, {"(N P + 1)", n_.value * p + 1}}, 2);
        // whole blocks of the W - 1 tokens before, of which the first tokens have fewer, and the
        // own block up to the own pseudo-token
        const CostFactor before{"(W - 1)", w_.value - 1};
        CostFormula formula;
        formula.add(1, {squared(p_), n_, before});
        formula.add(-1, {squared(p_), w_, before}, 2);
        return formula.add(1, {n_, p_, {"(P + 1)", p + 1}}, 2);
    }

    CostFormula parameters() const {
        CostFormula formula;
        if (isGrouped())
            formula.add(2, {plain_, width_, {"(D + G d)", width_.value + kvWidth()}});
        else
            formula.add(4, {{"L", layout_.plain + layout_.interleaved}, squared(width_)});
        return addMixing(formula, {});
    }

    CostFormula mixingParameters() const { return addMixing(CostFormula(), {}); }

    CostFormula scoreEntries(std::int64_t plainPairs, std::int64_t interleavedPairs) const {
        CostFormula formula;
        if (plain_.value > 0) formula.add(1, {plain_, h_, {"E", plainPairs}});
        if (interleaved_.value > 0) formula.add(1, {interleaved_, h_, {"Ei", interleavedPairs}});
        return formula;
    }

    CostFormula flops(std::int64_t plainPairs, std::int64_t interleavedPairs) const {
        CostFormula formula;
        if (isGrouped())
            formula.add(4, {plain_, n_, width_, {"(D + G d)", width_.value + kvWidth()}});
        else
            formula.add(8, {{"L", layout_.plain + layout_.interleaved}, n_, squared(width_)});
        if (plain_.value > 0) formula.add(4, {plain_, h_, d_, {"E", plainPairs}});
        if (interleaved_.value > 0)
            formula.add(4, {interleaved_, h_, d_, {"Ei", interleavedPairs}});
        // a weight of alpha or R meets d numbers of every token, at 2 a multiply-add
        return addMixing(formula, {n_, d_}, 2);
    }

    CostFormula cache(bool ofPseudoHeads) const {
        const CostFactor bytes{"b", sizes_.bytesPerNumber};
        CostFormula formula;
        if (plain_.value > 0)
            formula.add(
                2, {plain_, n_, isGrouped() ? CostFactor{"G", layout_.kvHeads} : h_, d_, bytes});
        if (interleaved_.value == 0) return formula;
        Factors kept{interleaved_, layout_.windowed ? w_ : n_, h_, d_, bytes};
        if (ofPseudoHeads) kept.insert(kept.begin() + 1, p_);
        return formula.add(2, std::move(kept));
    }

  private:
    static CostFactor squared(CostFactor factor) {
        factor.power = 2;
        return factor;
    }
    bool isGrouped() const { return layout_.kvHeads != sizes_.nHeads; }
    std::int64_t kvWidth() const { return layout_.kvHeads * sizes_.dHead; }

    /// Numbers in alpha and R, each `times` what `also` multiplies to.
    CostFormula addMixing(CostFormula formula, const Factors& also, std::int64_t times = 1) const {
        if (interleaved_.value == 0) return formula;
        const auto with = [&](Factors factors) {
            factors.insert(factors.begin(), interleaved_);
            factors.insert(factors.end(), also.begin(), also.end());
            return factors;
        };
        if (sizes_.collapse == CollapseKind::full)
            return formula.add(4 * times, with({squared(h_), p_}));
        formula.add(3 * times, with({squared(h_), p_}));
        return formula.add(times, with({h_, p_}));
    }

    const CostSizes& sizes_;
    Layout layout_;
    CostFactor plain_, interleaved_;
    CostFactor n_{"N", sizes_.nTokens}, h_{"H", sizes_.nHeads}, p_{"P", sizes_.nPseudo},
        d_{"d", sizes_.dHead}, width_{"D", sizes_.dModel()}, w_{"W", sizes_.tokensInWindow()};
};

Result<CostFigure> figureOf(const CostFormula& formula, const std::string& what) {
    if (const auto value = formula.value())
        return CostFigure{formula.names(), formula.numbers(), *value};
    return fail(Error::Kind::badInput, what,
                fmt::format("{} is more than is counted here, 2^63 - 1", formula.numbers()),
                "use fewer tokens, heads, pseudo-heads or layers");
}

Result<CostArm> armOf(const CostSizes& sizes, const char* name, const std::string& title,
                      const Layout& layout) {
    CostArm arm{name, title, layout.plain, layout.interleaved, {}, {}};
    const ArmFormulas formulas(sizes, layout);
    const auto pairs = [&](const char* symbol, const CostFormula& formula) -> Result<std::int64_t> {
        auto figure = figureOf(formula, fmt::format("pairs of {}", title));
        if (!figure) return tl::unexpected(figure.error());
        arm.pairs.push_back({symbol, *figure});
        return figure->value;
    };
    std::int64_t plain = 0, interleaved = 0;
    if (layout.plain > 0) {
        const auto counted = pairs("E", formulas.plainPairs());
        if (!counted) return tl::unexpected(counted.error());
        plain = *counted;
    }
    if (layout.interleaved > 0) {
        const auto counted = pairs("Ei", formulas.interleavedPairs());
        if (!counted) return tl::unexpected(counted.error());
        interleaved = *counted;
    }
    const CostFormula all[] = {formulas.parameters(),
                               formulas.mixingParameters(),
                               formulas.scoreEntries(plain, interleaved),
                               formulas.flops(plain, interleaved),
                               formulas.cache(false),
                               formulas.cache(true)};
    for (const CostQuantity quantity : costQuantities()) {
        auto figure = figureOf(all[static_cast<std::size_t>(quantity)],
                               fmt::format("{} of {}", nameOf(quantity), title));
        if (!figure) return tl::unexpected(figure.error());
        arm.figures.push_back(std::move(*figure));
    }
    return arm;
}

template <class Choice>
Result<Choice> choiceFrom(const char* where, std::string_view name,
                          const std::vector<Choice>& choices) {
    std::vector<std::string_view> names;
    for (const Choice choice : choices) {
        if (nameOf(choice) == name) return choice;
        names.push_back(nameOf(choice));
    }
    return fail(Error::Kind::badInput, where, fmt::format("\"{}\" is not known", name),
                fmt::format("use {}", fmt::join(names, " or ")));
}

}  // namespace

std::string_view nameOf(PairCount count) {
    return count == PairCount::all ? "all" : "causal";
}

Result<PairCount> pairCountFrom(std::string_view name) {
    return choiceFrom<PairCount>("pairs", name, {PairCount::all, PairCount::causal});
}

Result<CollapseKind> costCollapseFrom(std::string_view name) {
    return choiceFrom<CollapseKind>("collapse", name, {CollapseKind::full, CollapseKind::perHead});
}

std::string_view nameOf(CostQuantity quantity) {
    constexpr std::string_view names[] = {"parameters", "mixing_parameters", "score_entries",
                                          "flops",      "cache_bytes",       "pseudo_cache_bytes"};
    return names[static_cast<std::size_t>(quantity)];
}

std::vector<CostQuantity> costQuantities() {
    return {CostQuantity::parameters,   CostQuantity::mixingParameters,
            CostQuantity::scoreEntries, CostQuantity::flops,
            CostQuantity::cacheBytes,   CostQuantity::pseudoCacheBytes};
}

std::int64_t CostSizes::tokensInWindow() const {
    const std::int64_t wanted = window > 0 ? window : nTokens / (2 * nPseudo * nPseudo);
    return std::clamp<std::int64_t>(wanted, 1, nTokens);
}

Result<void> validate(const CostSizes& sizes) {
    if (sizes.nPseudo == 0)
        return fail(Error::Kind::badInput, "pseudo-heads P",
                    "how many there are is not known: the paper does not publish P of its 2.4B "
                    "model",
                    fmt::format("choose 1 to {}", CostSizes::mostPseudo));
    struct Bound {
        const char* name;
        std::int64_t value, least, most;
    };
    for (const Bound& bound :
         {Bound{"tokens N", sizes.nTokens, 1, CostSizes::mostTokens},
          {"heads H", sizes.nHeads, 1, CostSizes::mostHeads},
          {"key/value heads G", sizes.nKvHeads, 1, sizes.nHeads},
          {"pseudo-heads P", sizes.nPseudo, 1, CostSizes::mostPseudo},
          {"head width d", sizes.dHead, 1, CostSizes::mostWidth},
          {"layers L", sizes.nLayers, 1, CostSizes::mostLayers},
          {"window W", sizes.window, 0, CostSizes::mostTokens},
          {"windowed layers before a global one", sizes.nWindowed, 0, CostSizes::mostLayers},
          {"bytes a number", sizes.bytesPerNumber, 1, CostSizes::mostBytes}})
        if (bound.value < bound.least || bound.value > bound.most)
            return fail(Error::Kind::badInput, bound.name,
                        fmt::format("{} cannot be had", bound.value),
                        fmt::format("use {} to {}", bound.least, bound.most));
    if (sizes.nHeads % sizes.nKvHeads != 0)
        return fail(Error::Kind::badInput, "key/value heads G",
                    fmt::format("{} does not divide H = {}", sizes.nKvHeads, sizes.nHeads),
                    "choose a divisor of H");
    return {};
}

const std::vector<CostPreset>& costPresets() {
    static const std::vector<CostPreset> presets = [] {
        CostSizes paper;
        paper.nTokens = 8192;
        paper.nHeads = 20;
        paper.nKvHeads = 4;  // ours: the paper has no grouped arm
        paper.nPseudo = 0;
        paper.dHead = 128;
        paper.nLayers = 26;
        paper.nWindowed = 4;
        return std::vector<CostPreset>{
            {"paper-2.4b", "the paper's decoder of 2.4B parameters; P is not published", paper}};
    }();
    return presets;
}

Result<CostPreset> costPresetFrom(std::string_view name) {
    std::vector<std::string> names;
    for (const CostPreset& preset : costPresets()) {
        if (preset.name == name) return preset;
        names.push_back(preset.name);
    }
    return fail(Error::Kind::notFound, "preset", fmt::format("\"{}\" is not known", name),
                fmt::format("use {}", fmt::join(names, " or ")));
}

Result<std::vector<CostArm>> costArms(const CostSizes& sizes) {
    if (auto fine = validate(sizes); !fine) return tl::unexpected(fine.error());
    const std::int64_t layers = sizes.nLayers, heads = sizes.nHeads,
                       globals = layers / (sizes.nWindowed + 1), w = sizes.tokensInWindow();
    std::vector<CostArm> arms;
    struct Asked {
        const char* name;
        std::string title;
        Layout layout;
    };
    for (const Asked& asked :
         {Asked{"mha", "MHA", {layers, 0, heads, false}},
          {"gqa", fmt::format("GQA, G = {}", sizes.nKvHeads), {layers, 0, sizes.nKvHeads, false}},
          {"iha", "IHA", {0, layers, heads, false}},
          {"iha-windowed", fmt::format("IHA, W = {}", w), {0, layers, heads, true}},
          {"iha-scheduled",
           fmt::format("IHA {}:1", sizes.nWindowed),
           {globals, layers - globals, heads, true}}}) {
        auto arm = armOf(sizes, asked.name, asked.title, asked.layout);
        if (!arm) return tl::unexpected(arm.error());
        arms.push_back(std::move(*arm));
    }
    return arms;
}

}  // namespace headloom
