#include "app/cli/checkpoint_options.h"
#include "app/cli/command.h"
#include "app/cli/interrupt.h"
#include "app/cli/options.h"
#include "app/cli/run_report.h"
#include "core/session/bundled.h"
#include "core/session/recipe.h"
#include "core/session/text_model.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdio>
#include <memory>
#include <optional>

namespace headloom::cli {

namespace {

struct RunOptions {
    std::string model;
    std::optional<std::int64_t> example;
    std::optional<std::string> prompt, ids, tokenizer;
    std::optional<int> steps, topK;
    std::optional<double> temperature;
    bool greedy = false, json = false;
    std::uint64_t seed = 0;
    CheckpointOptions checkpoint;
    BackendOptions backend;
};

/// Tokens that a checkpoint writes where nobody said how many: its context may be thousands.
constexpr int usualSteps = 32;

tl::unexpected<Error> bad(std::string where, std::string what, std::string remedy) {
    return fail(Error::Kind::badInput, std::move(where), std::move(what), std::move(remedy));
}

Result<std::vector<int>> parseIds(const std::string& text) {
    std::vector<int> ids;
    const char* at = text.data();
    const char* const end = at + text.size();
    while (at != end) {
        int id = 0;
        const auto [next, failed] = std::from_chars(at, end, id);
        // after a number comes a comma and another number, or the end
        if (failed != std::errc() || (next != end && (*next != ',' || next + 1 == end)))
            return bad("--ids", "\"" + text + "\" is not a list of token ids",
                       "separate whole numbers by commas, as in 1,2,3");
        ids.push_back(id);
        at = next == end ? end : next + 1;
    }
    return ids;
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

/// The task of the model's recipe; null for a model without one.
std::unique_ptr<Task> ownTask(const Model& model) {
    if (model.recipe.empty()) return nullptr;
    const auto recipe = recipeFromJson(model.recipe);
    if (!recipe) return nullptr;
    auto task = taskOf(*recipe);
    return task ? std::move(*task) : nullptr;
}

/// The ids of what was typed. An empty prompt starts from BOS where there is one.
Result<std::vector<int>> typedIds(const RunOptions& options, const OpenedModel& opened) {
    if (!options.prompt) return parseIds(*options.ids);
    auto ids = opened.model->vocabulary.encode(*options.prompt);
    if (ids && ids->empty() && options.prompt->empty() && opened.bos >= 0)
        ids->push_back(opened.bos);
    return ids;
}

/// The model with tokens to read: its own, or those of a tokenizer.
Result<OpenedModel> openToRead(const RunOptions& options) {
    const auto how = options.checkpoint.read();
    if (!how) return tl::unexpected(how.error());
    auto opened = openModel(options.model, *how);
    if (!opened || (!options.tokenizer && !opened->model->vocabulary.empty())) return opened;
    const auto file = findModelFile(options.model);
    if (!file) return tl::unexpected(file.error());
    auto text = withTokenizer(*opened, *file, options.tokenizer);
    if (!text) return tl::unexpected(text.error());
    opened->model = std::move(text->model);
    return opened;
}

/// Fills in what the model is to read: an example of its task, or what was typed.
Result<void> choosePrompt(const RunOptions& options, const OpenedModel& opened, const Task* task,
                          ChainRequest& request) {
    if (options.prompt || options.ids) {
        const auto ids = typedIds(options, opened);
        if (!ids) return tl::unexpected(ids.error());
        request.prompt = *ids;
        if (!task) return {};
        // A prompt that the task does not know is free text: no truth, no evidence.
        if (auto truth = task->fromPrompt(*ids)) request.truth = std::move(*truth);
        return {};
    }
    const std::int64_t number = options.example.value_or(0);
    if (number < 0)
        return bad("--example", fmt::format("there is no example {}", number), "count from 0");
    if (!task)
        return bad(options.model, "no task of Headloom is known for this model",
                   "give it something to read with --prompt or --ids");
    request.truth = task->example(Split::heldOut, heldOutSeed, static_cast<std::uint64_t>(number));
    request.prompt.assign(request.truth->tokens.begin(),
                          request.truth->tokens.begin() + request.truth->promptLength);
    return {};
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
    const auto opened = openToRead(options);
    if (!opened) return tl::unexpected(opened.error());
    const auto backend = options.backend.open();
    if (!backend) return tl::unexpected(backend.error());

    ChainRequest request;
    request.model = opened->model;
    // only what is marked as evidence is looked up in maps, and a checkpoint comes with none
    request.maps = request.activations = opened->report.architecture == "headloom";
    request.sampling = *sampling;
    request.seed = options.seed;
    request.cancelled = interrupted;
    const std::unique_ptr<Task> task = ownTask(*request.model);
    if (auto chosen = choosePrompt(options, *opened, task.get(), request); !chosen)
        return tl::unexpected(chosen.error());
    if (auto chosen = chooseSteps(options, task.get(), request); !chosen)
        return tl::unexpected(chosen.error());
    const auto chain = runChain(request, **backend);
    if (!chain) return tl::unexpected(chain.error());
    const std::vector<RunStep> steps = stepsOf(*chain, *sampling);
    const std::string text = options.json ? runAsJson(options.model, *chain, steps)
                                          : runAsText(options.model, *chain, steps);
    std::fwrite(text.data(), 1, text.size(), stdout);
    return exitDone;
}

}  // namespace

void addRunCommand(CLI::App& program, Work& work) {
    auto options = std::make_shared<RunOptions>();
    CLI::App* command =
        program.add_subcommand("run", "Let a model write, and show what it looked at");
    command
        ->add_option("MODEL", options->model,
                     "a model file, a checkpoint (file or folder), or the\n"
                     "name of a bundled model")
        ->required()
        ->type_name("NAME");
    auto* example = command->add_option("--example", options->example,
                                        "held-out example of the model's task, from 0\n"
                                        "(default 0)");
    auto* prompt = command->add_option("--prompt", options->prompt, "text to go on from");
    auto* ids = command->add_option("--ids", options->ids, "token ids to go on from: 1,2,3");
    example->type_name("N")->excludes(prompt)->excludes(ids);
    prompt->type_name("TEXT")->excludes(ids);
    ids->type_name("IDS");
    command
        ->add_option("--steps", options->steps,
                     "tokens to write, at most (default: as long as the\n"
                     "true chain, else until the context is full; 32 of\n"
                     "a checkpoint)")
        ->type_name("N");
    command
        ->add_option("--tokenizer", options->tokenizer,
                     "what reads the prompt of a checkpoint: a\n"
                     "tokenizer.json, GGUF, vocab.json or tokenizer .bin\n"
                     "(default: the checkpoint's own or one beside it,\n"
                     "else prompts are ids)")
        ->type_name("FILE");
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
    options->checkpoint.addTo(*command);
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
