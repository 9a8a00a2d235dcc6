#include "app/cli/command_theory.h"
#include "app/cli/options.h"
#include "app/cli/text.h"
#include "core/theory/containment.h"
#include "core/theory/witness.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace headloom::cli {

namespace {

struct ContainmentOptions {
    int nPseudo = 3;
    std::vector<double> s = witnessPlaces(9, 4);
    double v = 1;
    BackendOptions backend;
    bool json = false;
};

/// One block of the table: a score, and the weight with which R reads.
struct ScoreBlock {
    ScoreKind score;
    bool dividedByP;
    const char* title;
};
constexpr ScoreBlock blocks[] = {
    {ScoreKind::softmax, false, "softmax, R reads with weight 1"},
    {ScoreKind::hard, false, "hard, R reads with weight 1 (no ties here)"},
    {ScoreKind::linear, true, "linear, R reads with weight 1/P"},
    {ScoreKind::linear, false, "linear, R reads with weight 1"}};

/// Rows of the block one after the other, each with every selected pseudo-head.
using BlockRuns = std::vector<std::vector<ContainmentRun>>;

Result<BlockRuns> runBlock(const ScoreBlock& block, int nPseudo, DType type, Backend& backend) {
    ContainmentCase from;
    from.score = block.score;
    from.dividedByP = block.dividedByP;
    from.nPseudo = nPseudo;
    BlockRuns rows;
    for (ContainmentCase asked : containmentRows(from)) {
        rows.emplace_back();
        for (asked.selected = 0; asked.selected < std::max(1, nPseudo); ++asked.selected) {
            auto run = runContainment(asked, type, backend);
            if (!run) return tl::unexpected(run.error());
            rows.back().push_back(std::move(*run));
        }
    }
    return rows;
}

bool followsTheRule(const ContainmentRun& run) {
    return run.same == (whyNotMha(run.asked) == NotMha::itIs);
}

nlohmann::json jsonOf(const ContainmentRun& run) {
    return {{"mask", nameOf(run.asked.mask)},
            {"positions", nameOf(run.asked.positions)},
            {"score", nameOf(run.asked.score)},
            {"selected", run.asked.selected},
            {"weight", run.asked.dividedByP ? 1.0 / run.asked.nPseudo : 1.0},
            {"difference", run.difference},
            {"mha", run.same},
            {"by_the_rule", whyNotMha(run.asked) == NotMha::itIs}};
}

void printJson(const std::vector<BlockRuns>& all, const Witness& witness, int nPseudo, DType type) {
    nlohmann::json rows = nlohmann::json::array(), curve = nlohmann::json::array();
    for (const BlockRuns& block : all)
        for (const auto& row : block)
            for (const ContainmentRun& run : row) rows.push_back(jsonOf(run));
    for (std::size_t i = 0; i < witness.s.size(); ++i)
        curve.push_back({{"s", witness.s[i]},
                         {"corrected", witness.corrected[i]},
                         {"printed", witness.printed[i]},
                         {"mha", witness.mha[i]}});
    const nlohmann::json root = {{"pseudo", nPseudo},
                                 {"heads", containmentHeads},
                                 {"tokens", containmentTokens},
                                 {"type", type == DType::f64 ? "float64" : "float32"},
                                 {"rows", rows},
                                 {"witness", curve},
                                 {"witness_v", witness.v},
                                 {"witness_error", witness.maxError}};
    fmt::print("{}\n", root.dump());
}

void printBlock(const ScoreBlock& block, const BlockRuns& rows, int nPseudo) {
    std::vector<std::string> headings = {"mask", "positions"};
    for (int p = 0; p < nPseudo; ++p) headings.push_back(fmt::format("p = {}", p));
    headings.push_back("");
    Table table(headings);
    for (const auto& row : rows) {
        std::vector<std::string> cells = {std::string(nameOf(row.front().asked.mask)),
                                          std::string(nameOf(row.front().asked.positions))};
        int same = 0;
        for (const ContainmentRun& run : row) {
            cells.push_back(fmt::format("{:.2g}", run.difference));
            same += run.same;
        }
        cells.push_back(same == nPseudo ? "MHA" : same > 0 ? "MHA at the last p only" : "not MHA");
        table.add(cells);
    }
    fmt::print("\n{}\n{}", block.title, table.text());
}

void printWitness(const Witness& witness) {
    Table table({"s", "alphaV = (1, -1)", "as printed, (1, 1)", "MHA"});
    for (std::size_t i = 0; i < witness.s.size(); ++i)
        table.add({fmt::format("{}", witness.s[i]), fmt::format("{:.6f}", witness.corrected[i]),
                   fmt::format("{:.6f}", witness.printed[i]),
                   fmt::format("{:.6f}", witness.mha[i])});
    fmt::print(
        "\nThree equal tokens (s, 1, v), v = {}, alphaQ = alphaK = (1, -1): what MHA cannot do. "
        "With\n"
        "alphaV = (1, -1) the output is v tanh(s) (off by {:.2g}); with the paper's printed (1, "
        "1)\n"
        "it stays v, which is what MHA gives.\n{}",
        witness.v, witness.maxError, table.text());
}

Result<ExitCode> containment(const ContainmentOptions& options) {
    const auto backend = options.backend.open();
    if (!backend) return tl::unexpected(backend.error());
    const DType type = (*backend)->info().name == "reference" ? DType::f64 : DType::f32;
    const auto witness = runWitness(options.s, options.v, type, **backend);
    if (!witness) return tl::unexpected(witness.error());
    std::vector<BlockRuns> all;
    bool right = true;
    for (const ScoreBlock& block : blocks) {
        auto rows = runBlock(block, options.nPseudo, type, **backend);
        if (!rows) return tl::unexpected(rows.error());
        for (const auto& row : *rows) right &= std::all_of(row.begin(), row.end(), followsTheRule);
        all.push_back(std::move(*rows));
    }
    if (options.json) {
        printJson(all, *witness, options.nPseudo, type);
        return right ? exitDone : exitDifferences;
    }
    fmt::print(
        "MHA inside IHA: every pseudo-head a copy of its head, R reads copy p. Largest difference "
        "of an\noutput beside MHA's largest, on the same random weights; H = {}, N = {}, P = {}\n",
        containmentHeads, containmentTokens, options.nPseudo);
    for (std::size_t i = 0; i < all.size(); ++i) printBlock(blocks[i], all[i], options.nPseudo);
    printWitness(*witness);
    return right ? exitDone : exitDifferences;
}

}  // namespace

void addTheoryContainment(CLI::App& theory, Work& work) {
    auto options = std::make_shared<ContainmentOptions>();
    options->backend.name = "reference";
    CLI::App* command = theory.add_subcommand(
        "containment", "When IHA is MHA, by mask, positions and score; and what is more");
    command
        ->add_option(
            "--pseudo", options->nPseudo,
            fmt::format("pseudo-heads a head, up to {} (default 3)", ContainmentCase::mostPseudo))
        ->type_name("P");
    command
        ->add_option(
            "--s", options->s,
            fmt::format("witness: scores s, up to {} either way (default -4 to 4)", Witness::mostS))
        ->delimiter(',')
        ->type_name("S[,S..]");
    command
        ->add_option("--v", options->v,
                     fmt::format("witness: value v of its tokens, up to {} either way (default 1)",
                                 Witness::mostV))
        ->type_name("V");
    options->backend.addTo(*command);
    command->add_flag("--json", options->json, "one JSON object");
    command->footer(
        "Exact under the masks token and none with positions token or none; under the flat mask,\n"
        "where a query sees fewer copies of its own token, only for the last copy (hard scores do\n"
        "not care); never with virtual positions, which are the paper's default. Exit code 1 if a\n"
        "run says otherwise.");
    command->callback([options, &work] { work = [options] { return containment(*options); }; });
}

}  // namespace headloom::cli
