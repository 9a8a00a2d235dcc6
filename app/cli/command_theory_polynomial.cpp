#include "app/cli/command_theory.h"
#include "app/cli/options.h"
#include "app/cli/text.h"
#include "core/base/utf8.h"
#include "core/models/graph.h"
#include "core/theory/edge_list.h"
#include "core/theory/few_heads.h"
#include "core/theory/polynomial_bank.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>

namespace headloom::cli {

namespace {

struct PolynomialOptions {
    BankSize size;
    std::optional<int> nodes;
    std::string graph = "shift";
    std::optional<int> fewHeads;
    BackendOptions backend;
    bool json = false;
};

/// A graph by its name, or the edges in a file.
Result<Tensor> readGraph(const PolynomialOptions& options) {
    const auto names = filterGraphNames();
    if (std::find(names.begin(), names.end(), options.graph) != names.end())
        return graphMatrix(*filterGraphFrom(options.graph), options.size.nNodes);
    auto graph = graphFromFile(options.graph, options.nodes.value_or(0));
    if (!graph && graph.error().kind == Error::Kind::notFound)
        return fail(Error::Kind::notFound, "--graph",
                    fmt::format("\"{}\" is neither a graph nor a file", visible(options.graph)),
                    fmt::format("use {} or a list of edges", fmt::join(names, ", ")));
    return graph;
}

nlohmann::json jsonOf(const BankArm& arm) {
    return {{"heads", arm.nHeads},
            {"pseudo", arm.nPseudo},
            {"parameters", arm.parameters},
            {"max_error", arm.maxError}};
}

void printJson(const PolynomialOptions& options, const PolynomialBank& bank,
               const std::optional<FewHeads>& few) {
    nlohmann::json root = {{"k", bank.size.nFilters},
                           {"n", bank.size.nNodes},
                           {"d", bank.size.dNode},
                           {"graph", visible(options.graph)},
                           {"type", bank.type == DType::f64 ? "float64" : "float32"},
                           {"mha", jsonOf(bank.mha)},
                           {"iha", jsonOf(bank.iha)},
                           {"crossings", crossingFilters(bank.size)}};
    if (few)
        root["few"] = {{"heads", few->nHeads},
                       {"bound", few->bound},
                       {"deviation", few->deviation},
                       {"measured", few->measured},
                       {"signals", few->nSignals}};
    fmt::print("{}\n", root.dump());
}

void printText(const PolynomialOptions& options, const PolynomialBank& bank,
               const std::optional<FewHeads>& few) {
    const BankSize& size = bank.size;
    fmt::print(
        "[X, A X, .., A^{} X] on {}: k = {}, N = {}, d = {}; linear attention, constructed "
        "weights\n",
        size.nFilters - 1, visible(options.graph), size.nFilters, size.nNodes, size.dNode);
    Table table({"", "heads", "pseudo-heads", "parameters", "relative error"});
    const auto add = [&](const char* name, const BankArm& arm) {
        table.add({name, fmt::format("{}", arm.nHeads), fmt::format("{}", arm.nPseudo),
                   fmt::format("{}", arm.parameters), fmt::format("{:.2g}", arm.maxError)});
    };
    add("MHA", bank.mha);
    add("IHA", bank.iha);
    fmt::print("{}", table.text());
    const BankFormulas formulas = bankFormulas(size);
    const BankParameters parameters = bankParameters(size);
    const auto workedOut = [](const char* name, const CostFormula& formula, std::int64_t value) {
        fmt::print("{}: {} = {} = {}\n", name, formula.names(), formula.numbers(), value);
    };
    workedOut("MHA", formulas.mha, parameters.mha);
    workedOut("IHA", formulas.iha, parameters.iha);
    if (const auto crossings = crossingFilters(size); crossings.empty())
        fmt::print("At this N and d neither becomes the smaller one at another k.\n");
    else
        fmt::print("The smaller one changes at k = {}.\n", fmt::join(crossings, ", "));
    if (few)
        fmt::print(
            "MHA with {} heads: the best fit misses {:.4f} of the squares, measured on {} signals; "
            "bound {:.4f}{}\n",
            few->nHeads, few->measured, few->nSignals, few->bound,
            few->deviation == 0 ? " for every signal"
                                : fmt::format(" +- {:.4f} (two deviations)", 2 * few->deviation));
}

Result<ExitCode> polynomial(PolynomialOptions options) {
    if (options.nodes) options.size.nNodes = *options.nodes;
    // Sizes first: a graph of a named kind is made in any size asked for.
    const bool named = filterGraphFrom(options.graph).has_value();
    if (named)
        if (auto fine = validate(options.size); !fine) return tl::unexpected(fine.error());
    const auto graph = readGraph(options);
    if (!graph) return tl::unexpected(graph.error());
    options.size.nNodes = static_cast<int>(graph->size(0));
    const auto backend = options.backend.open();
    if (!backend) return tl::unexpected(backend.error());
    const DType type = (*backend)->info().name == "reference" ? DType::f64 : DType::f32;
    const auto bank = runBank(options.size, *graph, bankSignal(options.size), type, **backend);
    if (!bank) return tl::unexpected(bank.error());
    std::optional<FewHeads> few;
    if (options.fewHeads) {
        auto fit = fitFewHeads(options.size, *bank->powers, *options.fewHeads, type, **backend);
        if (!fit) return fail(fit.error().kind, "--heads", fit.error().what, fit.error().remedy);
        few = std::move(*fit);
    }
    (options.json ? printJson : printText)(options, *bank, few);
    return exitDone;
}

}  // namespace

void addTheoryPolynomial(CLI::App& theory, Work& work) {
    auto options = std::make_shared<PolynomialOptions>();
    options->backend.name = "reference";
    CLI::App* command = theory.add_subcommand(
        "polynomial", "A bank of k graph filters: k heads of MHA, ceil(sqrt k) of IHA");
    command->add_option("--k", options->size.nFilters, "filters X, AX, .., A^(k-1) X (default 9)")
        ->type_name("K");
    command->add_option("--n", options->nodes, "nodes of the graph (default 20, or the file's)")
        ->type_name("N");
    command->add_option("--d", options->size.dNode, "numbers a node (default 1); k d < N")
        ->type_name("D");
    command
        ->add_option("--graph", options->graph,
                     fmt::format("{}, or a file\nof edges (default shift)",
                                 fmt::join(filterGraphNames(), ", ")))
        ->type_name("NAME");
    command
        ->add_option("--heads", options->fewHeads,
                     "also the best that MHA can do with so few heads")
        ->type_name("H");
    options->backend.addTo(*command);
    command->add_flag("--json", options->json, "one JSON object");
    command->footer(
        "Both layers are built from the powers of A and run as any layer does: linear scores, no\n"
        "mask, no W_O, on [X, I]. X is N(0, 1), A is the adjacency over its largest degree. The\n"
        "error is the largest difference from the powers beside the largest number; the reference\n"
        "backend computes in float64, others in float32. A file of edges has a line \"0,1\" or\n"
        "\"0,1,0.5\" for each, nodes from 0, without direction.");
    command->callback([options, &work] { work = [options] { return polynomial(*options); }; });
}

}  // namespace headloom::cli
