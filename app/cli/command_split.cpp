#include "app/cli/command.h"
#include "app/cli/interrupt.h"
#include "app/cli/many_options.h"
#include "app/cli/options.h"
#include "app/cli/prompt_options.h"
#include "app/cli/split_report.h"
#include "app/cli/text.h"
#include "core/session/row_of_run.h"

#include <memory>

namespace headloom::cli {

namespace {

struct SplitOptions {
    PromptOptions read;
    ManyOptions many;
    std::string cell;
    bool json = false;
    BackendOptions backend;
};

Result<ModelPart> cellFrom(const std::string& text) {
    auto part = partFrom(text);
    if (part && part->kind != ModelPart::Kind::cell)
        return fail(Error::Kind::badInput, text, "this is no single cell",
                    "name its tokens too, as in L1H3.q0k1[18,12]");
    return part;
}

Result<SplitCell> explain(const SplitOptions& options) {
    const auto part = cellFrom(options.cell);
    if (!part) return tl::unexpected(part.error());
    const auto read = options.read.open();
    if (!read) return tl::unexpected(read.error());
    const auto backend = options.backend.open();
    if (!backend) return tl::unexpected(backend.error());
    ChainRequest request = read->request();
    request.maps = request.activations = false;
    request.keepResiduals = true;
    auto run = runChain(request, **backend);
    if (!run) return tl::unexpected(run.error());
    const Model& model = *run->model;
    if (auto fine = checkPart(*part, model.config, run->rows); !fine)
        return tl::unexpected(fine.error());
    const auto residual = residualOfRun(*run, part->layer, **backend, interrupted);
    if (!residual) return tl::unexpected(residual.error());

    const std::vector<int> marked = run->evidence(part->query);
    std::vector<int> rows = marked;
    rows.insert(rows.end(), {part->query, part->key});
    const auto scores = LayerScores::of(model.config, model.weights, part->layer, *residual, rows);
    if (!scores) return tl::unexpected(scores.error());
    const ScoreCell cell{part->head, part->queryPseudo, part->keyPseudo, part->query, part->key};
    auto split = scores->split(cell);
    if (!split) return tl::unexpected(split.error());
    SplitCell made{*part, std::move(*run), std::move(*split), {}, scores->crossHead(cell, marked),
                   marked};
    made.cell.add(made.split);
    return made;
}

/// The cell, or the shares of all heads and tiles.
Result<ExitCode> average(const SplitOptions& options) {
    AveragesShown shown;
    shown.what = options.cell.empty() ? "cross-head shares" : "the score of " + options.cell;
    shown.json = options.json;
    const Asking ask = [&](const PromptedModel& read,
                           const PromptSet&) -> Result<std::vector<Question>> {
        const ModelConfig& config = read.opened.model->config;
        if (options.cell.empty()) return std::vector{askCrossHeads(config)};
        const auto part = partFrom(options.cell);
        if (!part) return tl::unexpected(part.error());
        return alone(askCell(config, *part));
    };
    return tellAverages(options.read, options.many, options.backend, ask, shown);
}

Result<ExitCode> split(const SplitOptions& options) {
    if (auto fine = options.many.check(); !fine) return tl::unexpected(fine.error());
    if (options.many.asked()) return average(options);
    if (options.cell.empty())
        return fail(Error::Kind::badInput, "--cell", "no score was named",
                    "name one, as in L1H3.q0k1[18,12]");
    const auto explained = explain(options);
    if (!explained) return tl::unexpected(explained.error());
    print(options.json ? splitAsJson(options.read.named(), *explained)
                       : splitAsText(options.read.named(), *explained));
    return exitDone;
}

}  // namespace

void addSplitCommand(CLI::App& program, Work& work) {
    auto options = std::make_shared<SplitOptions>();
    CLI::App* command = program.add_subcommand(
        "split", "Why two tokens attend to each other: a score, term by term");
    options->read.addTo(*command);
    options->many.addTo(*command);
    command
        ->add_option("--cell", options->cell,
                     "the score to split: L1H3.q0k1[18,12] (from token, to\n"
                     "token), or L1H3[18,12] without pseudo-heads; of many\n"
                     "prompts by default the share of every head and tile")
        ->type_name("CELL");
    command->add_flag("--json", options->json, "print JSON");
    options->many.addCsvTo(*command);
    options->backend.addTo(*command);
    command->footer(
        "A score before the softmax is the exact sum of one term a pair of heads: how much of the\n"
        "queries of head m and of the keys of head m' is mixed in, times their scaled product, "
        "both\n"
        "rotated at their own pseudo-tokens. Cross-head share: sum of |terms| with m != m' over "
        "the\n"
        "sum of all |terms|. JSON: {\"model\", \"cell\", \"score\", \"seen\", \"query_heads\", "
        "\"key_heads\",\n"
        "\"terms\" and \"plain_terms\" (without rotation) [query head, key head], "
        "\"plain_score\",\n"
        "\"cross_head_share\", and \"evidence\" and \"evidence_cross_head_share\" where marked}." +
        manyFooter("\"cross_heads\" (or \"cell\", \"terms\")"));
    command->callback([options, &work] { work = [options] { return split(*options); }; });
}

}  // namespace headloom::cli
