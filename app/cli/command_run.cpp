#include "app/cli/command.h"
#include "app/cli/options.h"
#include "app/cli/prompt_options.h"
#include "app/cli/run_report.h"
#include "app/cli/text.h"

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <optional>

namespace headloom::cli {

namespace {

struct RunOptions {
    PromptOptions read;
    std::optional<int> steps, topK;
    std::optional<double> temperature;
    bool greedy = false, json = false;
    std::uint64_t seed = 0;
    BackendOptions backend;
};

/// Tokens that a checkpoint writes where nobody said how many: its context may be thousands.
constexpr int usualSteps = 32;

tl::unexpected<Error> bad(std::string where, std::string what, std::string remedy) {
    return fail(Error::Kind::badInput, std::move(where), std::move(what), std::move(remedy));
}

Result<SamplingParams> samplingFrom(const RunOptions& options) {
    SamplingParams sampling;
    if (options.temperature && !(std::isfinite(*options.temperature) && *options.temperature > 0))
        return bad("--temperature", fmt::format("{} is not above 0", *options.temperature),
                   "use --greedy for the most probable token");
    if (options.topK && *options.topK < 1)
        return bad("--top-k", fmt::format("{} leaves no token to choose", *options.topK),
                   "use 1 or more");
    if (options.greedy) return sampling;
    if (options.temperature || options.topK)
        sampling = {options.temperature.value_or(1.0), options.topK.value_or(0)};
    return sampling;
}

Result<void> chooseSteps(const RunOptions& options, const Task* task, ChainRequest& request) {
    if (options.steps && *options.steps < 1)
        return bad("--steps", fmt::format("{} steps are too few", *options.steps), "use 1 or more");
    const ModelConfig& config = request.model->config;
    const bool written = !task || task->info().generated;
    if ((config.nSlots > 1 || !written) && !options.steps) {
        request.mode = ChainMode::trueChain;
        return {};
    }
    request.mode = ChainMode::onItsOwn;
    request.maxSteps = options.steps.value_or(0);
    if (!options.steps && !request.truth)  // as far as the context goes
        request.maxSteps = std::max(1, request.maps ? config.nCtx : usualSteps);
    return {};
}

Result<ExitCode> run(const RunOptions& options) {
    const auto sampling = samplingFrom(options);
    if (!sampling) return tl::unexpected(sampling.error());
    const auto read = options.read.open();
    if (!read) return tl::unexpected(read.error());
    const auto backend = options.backend.open();
    if (!backend) return tl::unexpected(backend.error());

    ChainRequest request = read->request();
    // only what is marked as evidence is looked up in maps, and a checkpoint comes with none
    request.maps = request.activations = read->opened.report.architecture == "headloom";
    request.sampling = *sampling;
    request.seed = options.seed;
    if (auto chosen = chooseSteps(options, read->task.get(), request); !chosen)
        return tl::unexpected(chosen.error());
    const auto chain = runChain(request, **backend);
    if (!chain) return tl::unexpected(chain.error());
    const std::vector<RunStep> steps = stepsOf(*chain, *sampling);
    const std::string text = options.json ? runAsJson(options.read.named(), *chain, steps)
                                          : runAsText(options.read.named(), *chain, steps);
    print(text);
    return exitDone;
}

}  // namespace

void addRunCommand(CLI::App& program, Work& work) {
    auto options = std::make_shared<RunOptions>();
    CLI::App* command =
        program.add_subcommand("run", "Let a model write, and show what it looked at");
    options->read.addTo(*command);
    command
        ->add_option("--steps", options->steps,
                     "tokens to write, at most (default: as long as the\n"
                     "true chain, else until the context is full; 32 of\n"
                     "a checkpoint)")
        ->type_name("N");
    auto* greedy =
        command->add_flag("--greedy", options->greedy, "always the most probable token (default)");
    auto* temperature = command->add_option("--temperature", options->temperature,
                                            "draw from softmax(logit / T) instead");
    auto* topK =
        command->add_option("--top-k", options->topK, "draw among the K most probable only");
    temperature->type_name("T")->excludes(greedy);
    topK->type_name("K")->excludes(greedy);
    command->add_option("--seed", options->seed, "of the draws (default 0)")->type_name("S");
    command->add_flag("--json", options->json, "print JSON");
    options->backend.addTo(*command);
    command->footer(
        "Writing stops at the end token of the task, after --steps, or where the context\n"
        "is full. JSON: {\"model\", \"prompt\": [ids], \"steps\": [{\"id\", \"token\", "
        "\"probability\",\n"
        "\"top\": [{\"id\", \"token\", \"logit\", \"probability\"}], \"evidence\": [{\"layer\", "
        "\"head\",\n"
        "\"query_pseudo\", \"key_pseudo\", \"mass\"}]}]}; a model with several answers a token is\n"
        "only read, and each of its steps also has \"row\" and \"slot\".");
    command->callback([options, &work] { work = [options] { return run(*options); }; });
}

}  // namespace headloom::cli
