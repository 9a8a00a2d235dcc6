#include "app/cli/command_theory.h"
#include "app/cli/text.h"
#include "core/theory/cost.h"
#include "core/theory/paper_results.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <memory>
#include <optional>

namespace headloom::cli {

namespace {

struct CostOptions {
    std::string preset, collapse, pairs;
    /// What was given on the command line, and where it goes.
    struct Size {
        std::int64_t CostSizes::*field;
        std::optional<std::int64_t> given;
    };
    std::vector<std::shared_ptr<Size>> sizes;
    bool tables = false, json = false;
};

Result<CostSizes> sizesOf(const CostOptions& options) {
    CostSizes sizes;
    if (!options.preset.empty()) {
        const auto preset = costPresetFrom(options.preset);
        if (!preset)
            return fail(preset.error().kind, "--preset", preset.error().what,
                        preset.error().remedy);
        sizes = preset->sizes;
    }
    for (const auto& size : options.sizes)
        if (size->given) sizes.*size->field = *size->given;
    if (!options.collapse.empty()) {
        const auto collapse = costCollapseFrom(options.collapse);
        if (!collapse) return tl::unexpected(collapse.error());
        sizes.collapse = *collapse;
    }
    if (!options.pairs.empty()) {
        const auto pairs = pairCountFrom(options.pairs);
        if (!pairs) return tl::unexpected(pairs.error());
        sizes.pairs = *pairs;
    }
    if (sizes.nPseudo == 0 && !options.preset.empty())
        return fail(Error::Kind::badInput, "--p",
                    fmt::format("is needed with the preset {}: the paper does not publish how "
                                "many pseudo-heads its model has",
                                options.preset),
                    "give it, such as --p 4");
    return sizes;
}

nlohmann::json jsonOf(const CostFigure& figure) {
    return {{"value", figure.value}, {"formula", figure.formula}, {"numbers", figure.numbers}};
}

nlohmann::json jsonOf(const CostArm& arm) {
    nlohmann::json root = {{"name", arm.name},
                           {"plain_layers", arm.plainLayers},
                           {"interleaved_layers", arm.interleavedLayers}};
    for (const CostPairs& pairs : arm.pairs) root["pairs"][pairs.name] = jsonOf(pairs.figure);
    for (const CostQuantity quantity : costQuantities())
        root[std::string(nameOf(quantity))] = jsonOf(arm.at(quantity));
    return root;
}

void printJson(const CostSizes& sizes, const std::vector<CostArm>& arms) {
    nlohmann::json root = {{"n", sizes.nTokens},
                           {"h", sizes.nHeads},
                           {"g", sizes.nKvHeads},
                           {"p", sizes.nPseudo},
                           {"d", sizes.dHead},
                           {"layers", sizes.nLayers},
                           {"window", sizes.tokensInWindow()},
                           {"schedule", sizes.nWindowed},
                           {"bytes", sizes.bytesPerNumber},
                           {"collapse", nameOf(sizes.collapse)},
                           {"pairs", nameOf(sizes.pairs)},
                           {"arms", nlohmann::json::array()}};
    for (const CostArm& arm : arms) root["arms"].push_back(jsonOf(arm));
    print(jsonText(root));
}

const char* wordsOf(CostQuantity quantity) {
    constexpr const char* words[] = {"parameters", "of these mixing", "score entries",
                                     "FLOPs",      "KV cache, bytes", "of pseudo-heads"};
    return words[static_cast<std::size_t>(quantity)];
}

void printSummary(const CostSizes& sizes, const std::vector<CostArm>& arms) {
    fmt::print(
        "Attention of {} layers on N = {} tokens: H = {}, d = {}, D = H d = {}, P = {}, R {}\n"
        "W = {} tokens{}; {} windowed IHA layers, then one of global MHA; {}\n",
        sizes.nLayers, sizes.nTokens, sizes.nHeads, sizes.dHead, sizes.dModel(), sizes.nPseudo,
        nameOf(sizes.collapse), sizes.tokensInWindow(),
        sizes.window == 0 ? " = N/(2 P^2), the paper's rule" : "", sizes.nWindowed,
        sizes.pairs == PairCount::all ? "all pairs" : "pairs of a causal mask");
    std::vector<std::string> headings{""};
    for (const CostQuantity quantity : costQuantities()) headings.push_back(wordsOf(quantity));
    headings.push_back("entries / MHA's");
    Table table(headings);
    const auto base = static_cast<double>(arms.front().at(CostQuantity::scoreEntries).value);
    for (const CostArm& arm : arms) {
        std::vector<std::string> cells{arm.title};
        for (const CostQuantity quantity : costQuantities())
            cells.push_back(fmt::format("{:.5g}", static_cast<double>(arm.at(quantity).value)));
        const auto entries = static_cast<double>(arm.at(CostQuantity::scoreEntries).value);
        cells.push_back(fmt::format("{:.4g}", entries / base));
        table.add(std::move(cells));
    }
    print(table.text());
}

void printFormula(const std::string& name, const CostFigure& figure) {
    fmt::print("  {:<16} {}", name, figure.formula);
    if (figure.formula != figure.numbers)
        fmt::print("\n  {:<14} = {}\n  {:<14} = {}", "", figure.numbers, "", figure.value);
    fmt::print("\n");
}

void printText(const CostSizes& sizes, const std::vector<CostArm>& arms) {
    printSummary(sizes, arms);
    for (const CostArm& arm : arms) {
        fmt::print("\n{}", arm.title);
        if (arm.plainLayers > 0 && arm.interleavedLayers > 0)
            fmt::print(": Li = {} interleaved layers, Lg = {} plain ones", arm.interleavedLayers,
                       arm.plainLayers);
        fmt::print("\n");
        for (const CostPairs& pairs : arm.pairs)
            printFormula(fmt::format("pairs a head {}", pairs.name), pairs.figure);
        for (const CostQuantity quantity : costQuantities())
            printFormula(wordsOf(quantity), arm.at(quantity));
    }
    fmt::print(
        "\nFLOPs are of one forward pass, 2 a multiply-add, without softmax and norms. The paper "
        "is\n"
        "silent on the KV cache: that of the base heads is mixed when read, that of pseudo-heads\n"
        "before it is kept.\n");
    if (sizes.pairs == PairCount::all)
        fmt::print(
            "All pairs count N^2 for a global layer and N W for a window, as the paper does for "
            "its\n"
            "3/5. A causal mask leaves half of N^2 but nearly all of N W: see --pairs causal.\n");
}

void printTables(bool json) {
    nlohmann::json root = nlohmann::json::array();
    for (const PaperTable& table : paperTables()) {
        nlohmann::json rows = nlohmann::json::array();
        Table shown([&] {
            std::vector<std::string> headings{""};
            headings.insert(headings.end(), table.columns.begin(), table.columns.end());
            return headings;
        }());
        for (const PaperTable::Row& row : table.rows) {
            rows.push_back({{"name", row.name}, {"values", row.values}});
            std::vector<std::string> cells{row.name};
            for (std::size_t i = 0; i < row.values.size(); ++i) {
                const double error = standardError(row.values[i], table.nProblems[i]);
                cells.push_back(error > 0 ? fmt::format("{:.1f} +- {:.1f}", row.values[i], error)
                                          : fmt::format("{:.1f}", row.values[i]));
            }
            shown.add(std::move(cells));
        }
        root.push_back({{"name", table.name},
                        {"title", table.title},
                        {"unit", table.unit},
                        {"columns", table.columns},
                        {"problems", table.nProblems},
                        {"rows", rows},
                        {"source", table.source},
                        {"caveats", table.caveats}});
        if (json) continue;
        fmt::print("{} ({})\n{}Source: {}\n", table.title, table.unit, shown.text(), table.source);
        for (const std::string& caveat : table.caveats) print(wrapped("- " + caveat, 2));
        fmt::print("\n");
    }
    if (json) print(jsonText(root));
}

Result<ExitCode> cost(const CostOptions& options) {
    if (options.tables) {
        printTables(options.json);
        return exitDone;
    }
    const auto sizes = sizesOf(options);
    if (!sizes) return tl::unexpected(sizes.error());
    const auto arms = costArms(*sizes);
    if (!arms) return tl::unexpected(arms.error());
    (options.json ? printJson : printText)(*sizes, *arms);
    return exitDone;
}

}  // namespace

void addTheoryCost(CLI::App& theory, Work& work) {
    auto options = std::make_shared<CostOptions>();
    CLI::App* command = theory.add_subcommand(
        "cost", "What attention costs, each number with its formula: MHA, GQA, IHA");
    struct Described {
        const char *flag, *type, *help;
        std::int64_t CostSizes::*field;
    };
    for (const Described& one :
         {Described{"--n", "N", "tokens (default 1024)", &CostSizes::nTokens},
          {"--h", "H", "heads (default 8)", &CostSizes::nHeads},
          {"--g", "G", "key/value heads of GQA, a divisor of H\n(default 2)", &CostSizes::nKvHeads},
          {"--p", "P", "pseudo-heads a head (default 2)", &CostSizes::nPseudo},
          {"--d", "D", "width of a head (default 64)", &CostSizes::dHead},
          {"--layers", "L", "layers (default 10)", &CostSizes::nLayers},
          {"--window", "W", "tokens that windowed IHA sees, own included\n(default N/(2 P^2))",
           &CostSizes::window},
          {"--schedule", "S", "windowed IHA layers before each global MHA\n(default 4)",
           &CostSizes::nWindowed},
          {"--bytes", "B", "bytes a number of the cache (default 2)",
           &CostSizes::bytesPerNumber}}) {
        auto size = std::make_shared<CostOptions::Size>();
        size->field = one.field;
        options->sizes.push_back(size);
        command->add_option(one.flag, size->given, one.help)->type_name(one.type);
    }
    command->add_option("--collapse", options->collapse, "R [H, H P]: full (default), or per-head")
        ->type_name("KIND");
    command
        ->add_option("--pairs", options->pairs,
                     "pairs counted: all, as the paper does (default),\nor causal")
        ->type_name("KIND");
    command
        ->add_option("--preset", options->preset,
                     "sizes by name, others on top: paper-2.4b, which\nneeds --p")
        ->type_name("NAME");
    command->add_flag("--tables", options->tables,
                      "the paper's tables of results instead, with\ntheir source and caveats");
    command->add_flag("--json", options->json, "JSON, with every formula");
    command->footer(
        "Counted is the attention of a decoder of width D = H d: W_Q, W_K, W_V, W_O and mixing.\n"
        "Embeddings, norms and MLPs are the same for every kind, and left out. Every number comes\n"
        "with its formula and with the formula in your numbers.");
    command->callback([options, &work] { work = [options] { return cost(*options); }; });
}

}  // namespace headloom::cli
