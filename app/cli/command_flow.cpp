#include "app/cli/command.h"
#include "app/cli/flow_report.h"
#include "app/cli/interrupt.h"
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
    std::optional<int> row;
    bool rolloutOnly = false, json = false;
    std::string csv;
    int top = 0;
    BackendOptions backend;
};

Result<int> rowOf(const FlowOptions& options, const ChainRun& run) {
    const int row = options.row.value_or(run.rows - 1);
    if (row >= 0 && row < run.rows) return row;
    return fail(Error::Kind::badInput, "--row", fmt::format("there is no row {}", row),
                fmt::format("this prompt has rows 0 to {}", run.rows - 1));
}

Result<ExitCode> flow(const FlowOptions& options) {
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
    if (!options.csv.empty())
        if (auto written = writeFileAtomically(options.csv, flowAsCsv(report)); !written)
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
    command->add_option("--row", options->row, "of this token (default: the last one that is fed)")
        ->type_name("ROW");
    command->add_flag("--rollout", options->rolloutOnly,
                      "the rollout alone, which is faster on long prompts");
    command
        ->add_option("--top", options->top,
                     "print so many tokens, those with most of the\n"
                     "rollout (default 0: all, in their order)")
        ->type_name("K")
        ->check(CLI::NonNegativeNumber);
    command->add_flag("--json", options->json, "print JSON");
    command->add_option("--csv", options->csv, "also write all tokens as CSV")->type_name("FILE");
    options->backend.addTo(*command);
    command->footer(
        "A layer is B = (A + I) / 2: I the token itself, A the mean over the heads of their maps "
        "(of "
        "a\n"
        "head the mean over its pseudo-queries of the sum over the key families; signed maps by "
        "their\n"
        "magnitudes, each row divided by its sum). Rollout: the row of B_last ... B_1 B_0. Flow: "
        "the "
        "most\n"
        "that can flow from the token at the top to each at the bottom through edges of capacity "
        "B\n"
        "(Boykov and Kolmogorov). Both follow attention alone: values, MLPs and signs are not in "
        "them.\n"
        "The model is fed the true chain of the example, or the prompt. JSON: {\"model\", "
        "\"row\",\n"
        "\"layer_formula\", \"rollout_formula\", \"rollout\", \"flow_formula\", \"flow\", "
        "\"evidence\": [tokens],\n"
        "\"tokens\": [texts]}. CSV: row,token,text,rollout,flow,evidence, a line a token.");
    command->callback([options, &work] { work = [options] { return flow(*options); }; });
}

}  // namespace headloom::cli
