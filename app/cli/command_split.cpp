#include "app/cli/command.h"
#include "app/cli/interrupt.h"
#include "app/cli/options.h"
#include "app/cli/prompt_options.h"
#include "app/cli/text.h"
#include "core/analysis/score_split.h"
#include "core/base/utf8.h"
#include "core/models/model_part.h"
#include "core/session/row_of_run.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <memory>
#include <numeric>

namespace headloom::cli {

namespace {

using json = nlohmann::json;

struct SplitOptions {
    PromptOptions read;
    std::string cell;
    bool json = false;
    BackendOptions backend;
};

/// A split with what it is of, and the share over the evidence of the query's row.
struct Explained {
    ModelPart part;
    ChainRun run;
    ScoreSplit split;
    CrossHead cell, evidence;
    std::vector<int> marked;
};

Result<ModelPart> cellFrom(const std::string& text) {
    auto part = partFrom(text);
    if (part && part->kind != ModelPart::Kind::cell)
        return fail(Error::Kind::badInput, text, "this is no single cell",
                    "name its tokens too, as in L1H3.q0k1[18,12]");
    return part;
}

Result<Explained> explain(const SplitOptions& options) {
    const auto part = cellFrom(options.cell);
    if (!part) return tl::unexpected(part.error());
    const auto read = options.read.open();
    if (!read) return tl::unexpected(read.error());
    const auto backend = options.backend.open();
    if (!backend) return tl::unexpected(backend.error());
    ChainRequest request;
    request.model = read->opened.model;
    request.prompt = read->prompt;
    request.truth = read->truth;
    request.maps = request.activations = false;
    request.keepResiduals = true;
    request.cancelled = interrupted;
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
    Explained made{*part, std::move(*run), std::move(*split), {}, scores->crossHead(cell, marked),
                   marked};
    made.cell.add(made.split);
    return made;
}

std::string tokenAt(const Explained& explained, int row) {
    return explained.run.model->vocabulary.text(
        explained.run.tokens[static_cast<std::size_t>(row)]);
}

std::string asText(const SplitOptions& options, const Explained& explained) {
    const ScoreSplit& split = explained.split;
    std::vector<std::string> head = {"queries of"};
    for (const int source : split.keySources) head.push_back(fmt::format("keys h{}", source));
    head.push_back("sum");
    Table table(head);
    const std::size_t width = split.keySources.size();
    for (std::size_t m = 0; m < split.querySources.size(); ++m) {
        std::vector<std::string> line = {fmt::format("h{}", split.querySources[m])};
        const auto begin = split.terms.begin() + static_cast<std::ptrdiff_t>(m * width);
        for (std::size_t n = 0; n < width; ++n)
            line.push_back(fmt::format("{:+.4f}", begin[static_cast<std::ptrdiff_t>(n)]));
        line.push_back(fmt::format(
            "{:+.4f}", std::accumulate(begin, begin + static_cast<std::ptrdiff_t>(width), 0.0)));
        table.add(line);
    }
    std::string text = fmt::format(
        "{}, {}: from \"{}\" ({}) to \"{}\" ({}), score {:+.4f}{}\n\n{}\ncross-head share of this "
        "score {:.3f}",
        options.read.model, nameOf(explained.part),
        visible(tokenAt(explained, explained.part.query)), explained.part.query,
        visible(tokenAt(explained, explained.part.key)), explained.part.key, split.score,
        split.seen ? "" : ", hidden by the mask", table.text(), explained.cell.share());
    if (!explained.marked.empty())
        text += fmt::format(", of those on the evidence {:.3f}", explained.evidence.share());
    if (split.rotates)
        text += fmt::format("\nwithout rotation the score is {:+.4f}", split.plainScore);
    return text + "\n";
}

std::string asJson(const SplitOptions& options, const Explained& explained) {
    const ScoreSplit& split = explained.split;
    json root = {{"model", asUtf8(options.read.model)},
                 {"cell", nameOf(explained.part)},
                 {"score", split.score},
                 {"seen", split.seen},
                 {"query_heads", split.querySources},
                 {"key_heads", split.keySources},
                 {"terms", split.terms},
                 {"plain_terms", split.plain},
                 {"plain_score", split.plainScore},
                 {"cross_head_share", explained.cell.share()}};
    if (!explained.marked.empty()) {
        root["evidence"] = explained.marked;
        root["evidence_cross_head_share"] = explained.evidence.share();
    }
    return root.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

Result<ExitCode> split(const SplitOptions& options) {
    const auto explained = explain(options);
    if (!explained) return tl::unexpected(explained.error());
    const std::string text =
        options.json ? asJson(options, *explained) : asText(options, *explained);
    std::fwrite(text.data(), 1, text.size(), stdout);
    return exitDone;
}

}  // namespace

void addSplitCommand(CLI::App& program, Work& work) {
    auto options = std::make_shared<SplitOptions>();
    CLI::App* command = program.add_subcommand(
        "split", "Why two tokens attend to each other: a score, term by term");
    options->read.addTo(*command);
    command
        ->add_option("--cell", options->cell,
                     "the score to split: L1H3.q0k1[18,12] (from token, to\n"
                     "token), or L1H3[18,12] without pseudo-heads")
        ->type_name("CELL")
        ->required();
    command->add_flag("--json", options->json, "print JSON");
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
        "\"cross_head_share\", and \"evidence\" and \"evidence_cross_head_share\" where marked}.");
    command->callback([options, &work] { work = [options] { return split(*options); }; });
}

}  // namespace headloom::cli
