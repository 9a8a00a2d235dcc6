#include "app/cli/chosen_answers.h"
#include "app/cli/command.h"
#include "app/cli/flow_report.h"
#include "app/cli/interrupt.h"
#include "app/cli/many_options.h"
#include "app/cli/options.h"
#include "app/cli/prompt_options.h"
#include "app/cli/text.h"
#include "core/io/atomic_file.h"
#include "core/session/layer_maps.h"

#include <fmt/format.h>

#include <memory>

namespace headloom::cli {

namespace {

struct FlowOptions {
    PromptOptions read;
    ManyOptions many;
    std::optional<int> row, step;
    bool rolloutOnly = false, json = false;
    int top = 0;
    BackendOptions backend;
};

Result<int> rowOf(const FlowOptions& options, const ChainRun& run) {
    if (options.step) {
        const auto answers = chosenAnswers(run, options.step);
        if (!answers) return tl::unexpected(answers.error());
        return answers->front().row;
    }
    const int row = options.row.value_or(run.rows - 1);
    if (row >= 0 && row < run.rows) return row;
    return fail(Error::Kind::badInput, "--row", fmt::format("there is no row {}", row),
                fmt::format("this prompt has rows 0 to {}", run.rows - 1));
}

/// Of the answers, or of the token or answer that was named.
Result<ExitCode> average(const FlowOptions& options) {
    AveragesShown shown;
    shown.what = options.rolloutOnly ? "attention rollout" : "attention rollout and flow";
    shown.top = options.top;
    if (shown.top > 0) shown.sort = "rollout";
    shown.json = options.json;
    const Asking ask = [&](const PromptedModel& read, const PromptSet& prompts) {
        return alone(askFlow(*read.opened.model,
                             {options.step, options.row, prompts.length(), options.rolloutOnly}));
    };
    return tellAverages(options.read, options.many, options.backend, ask, shown);
}

Result<ExitCode> flow(const FlowOptions& options) {
    if (options.many.asked()) return average(options);
    const auto read = options.read.open();
    if (!read) return tl::unexpected(read.error());
    const auto backend = options.backend.open();
    if (!backend) return tl::unexpected(backend.error());
    ChainRequest request = read->request();
    request.maps = request.activations = false;  // made again a layer at a time
    request.keepResiduals = true;
    const auto run = runChain(request, **backend);
    if (!run) return tl::unexpected(run.error());
    const auto row = rowOf(options, *run);
    if (!row) return tl::unexpected(row.error());
    const auto attention = layeredAttention(*run, **backend, interrupted);
    if (!attention) return tl::unexpected(attention.error());

    FlowReport report{options.read.named(),      &*run, *row,
                      rollout(*attention, *row), {},    options.top};
    if (!options.rolloutOnly) {
        auto flows = attentionFlow(*attention, *row, interrupted);
        if (!flows) return tl::unexpected(flows.error());
        report.flow = std::move(*flows);
    }
    if (!options.many.csv.empty())
        if (auto written = writeFileAtomically(options.many.csv, flowAsCsv(report)); !written)
            return tl::unexpected(written.error());
    print(options.json ? flowAsJson(report) : flowAsText(report));
    return exitDone;
}

}  // namespace

void addFlowCommand(CLI::App& program, Work& work) {
    auto options = std::make_shared<FlowOptions>();
    CLI::App* command =
        program.add_subcommand("flow", "What a token takes from the others through all layers");
    options->read.addTo(*command);
    options->many.addTo(*command);
    auto* row = command->add_option("--row", options->row,
                                    "of this token (default: the last one that is fed, of\n"
                                    "many prompts all that answer)");
    row->type_name("ROW");
    command->add_option("--step", options->step, "of the token that gives this answer of a chain")
        ->type_name("I")
        ->excludes(row);
    command->add_flag("--rollout", options->rolloutOnly,
                      "the rollout alone, which is faster on long prompts");
    command
        ->add_option("--top", options->top,
                     "print so many tokens (of many prompts lines), those\n"
                     "with most of the rollout (default 0: all, in order)")
        ->type_name("K")
        ->check(CLI::NonNegativeNumber);
    command->add_flag("--json", options->json, "print JSON");
    command->add_option("--csv", options->many.csv, "also write all tokens as CSV")
        ->type_name("FILE");
    options->backend.addTo(*command);
    command->footer(
        "A layer is B = (A + I) / 2: I the token itself, A the mean over the heads of their\n"
        "maps (of a head the mean over its pseudo-queries of the sum over the key families;\n"
        "signed maps by their magnitudes, each row divided by its sum). Rollout: the row of\n"
        "B_last ... B_1 B_0. Flow: the most that can flow from the token at the top to each at\n"
        "the bottom through edges of capacity B (Boykov and Kolmogorov). Both follow attention\n"
        "alone: values, MLPs and signs are not in them.\n"
        "The model is fed the true chain of the example, or the prompt. JSON: {\"model\",\n"
        "\"row\", \"layer_formula\", \"rollout_formula\", \"rollout\", \"flow_formula\",\n"
        "\"flow\", \"evidence\": [tokens], \"tokens\": [texts]}.\n"
        "CSV: row,token,text,rollout,flow,evidence, a line a token.\n"
        "Of many prompts: what comes through the layers up to each one from the evidence, the\n"
        "token itself, the one before it, the first one and all others, each group as one\n"
        "(rollout: its sum; flow: to all of it together); and through all layers from every\n"
        "token, where all prompts have one length. Means over the answers of each prompt.\n" +
        manyFooter("\"flow\""));
    command->callback([options, &work] { work = [options] { return flow(*options); }; });
}

}  // namespace headloom::cli
