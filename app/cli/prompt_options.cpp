#include "app/cli/prompt_options.h"

#include "app/cli/interrupt.h"
#include "core/session/bundled.h"
#include "core/session/recipe.h"
#include "core/session/text_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace headloom::cli {

namespace {

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

std::unique_ptr<Task> ownTask(const Model& model) {
    if (model.recipe.empty()) return nullptr;
    const auto recipe = recipeFromJson(model.recipe);
    if (!recipe) return nullptr;
    auto task = taskOf(*recipe);
    return task ? std::move(*task) : nullptr;
}

/// The ids of what was typed. An empty prompt starts from BOS where there is one.
Result<std::vector<int>> typedIds(const PromptOptions& options, const OpenedModel& opened) {
    if (!options.prompt) return parseIds(*options.ids);
    auto ids = opened.model->vocabulary.encode(*options.prompt);
    if (ids && ids->empty() && options.prompt->empty() && opened.bos >= 0)
        ids->push_back(opened.bos);
    return ids;
}

/// The model with tokens to read: its own, or those of a tokenizer.
Result<OpenedModel> openToRead(const PromptOptions& options) {
    const auto how = options.checkpoint.read();
    if (!how) return tl::unexpected(how.error());
    auto opened = headloom::openModel(options.model, *how);
    if (!opened || (!options.tokenizer && !opened->model->vocabulary.empty())) return opened;
    const auto file = findModelFile(options.model);
    if (!file) return tl::unexpected(file.error());
    auto text = withTokenizer(*opened, *file, options.tokenizer);
    if (!text) return tl::unexpected(text.error());
    opened->model = std::move(text->model);
    return opened;
}

/// An example of the model's task, or what was typed.
Result<void> choosePrompt(const PromptOptions& options, PromptedModel& chosen) {
    if (options.prompt || options.ids) {
        const auto ids = typedIds(options, chosen.opened);
        if (!ids) return tl::unexpected(ids.error());
        chosen.prompt = *ids;
        if (!chosen.task) return {};
        // A prompt that the task does not know is free text: no truth, no evidence.
        if (auto truth = chosen.task->fromPrompt(*ids)) chosen.truth = std::move(*truth);
        return {};
    }
    const std::int64_t number = options.example.value_or(0);
    if (number < 0)
        return bad("--example", fmt::format("there is no example {}", number), "count from 0");
    if (!chosen.task)
        return bad(options.model, "no task of Headloom is known for this model",
                   "give it something to read with --prompt or --ids");
    chosen.truth =
        chosen.task->example(Split::heldOut, heldOutSeed, static_cast<std::uint64_t>(number));
    chosen.prompt.assign(chosen.truth->tokens.begin(),
                         chosen.truth->tokens.begin() + chosen.truth->promptLength);
    return {};
}

}  // namespace

ChainRequest PromptedModel::request() const {
    ChainRequest made;
    made.model = opened.model;
    made.prompt = prompt;
    made.truth = truth;
    made.cancelled = interrupted;
    return made;
}

void PromptOptions::addTo(CLI::App& command, bool must) {
    auto* modelOption = command.add_option("MODEL", model,
                                           "a model file, a checkpoint (file or folder), or the\n"
                                           "name of a bundled model");
    modelOption->required(must)->type_name("NAME");
    const std::vector<CLI::Option*> before = command.get_options();
    auto* exampleOption = command.add_option("--example", example,
                                             "held-out example of the model's task, from 0\n"
                                             "(default 0)");
    auto* promptOption = command.add_option("--prompt", prompt, "text to go on from");
    auto* idsOption = command.add_option("--ids", ids, "token ids to go on from: 1,2,3");
    exampleOption->type_name("N")->excludes(promptOption)->excludes(idsOption);
    promptOption->type_name("TEXT")->excludes(idsOption);
    idsOption->type_name("IDS");
    command
        .add_option("--tokenizer", tokenizer,
                    "what reads the prompt of a checkpoint: a\n"
                    "tokenizer.json, GGUF, vocab.json or tokenizer .bin\n"
                    "(default: the checkpoint's own or one beside it,\n"
                    "else prompts are ids)")
        ->type_name("FILE");
    edits.addTo(command);
    checkpoint.addTo(command);
    if (must) return;
    for (CLI::Option* option : command.get_options())
        if (std::find(before.begin(), before.end(), option) == before.end())
            option->needs(modelOption);
}

Result<PromptedModel> PromptOptions::openModel() const {
    auto opened = openToRead(*this);
    if (!opened) return tl::unexpected(opened.error());
    auto edited = edits.applyTo(opened->model);
    if (!edited) return tl::unexpected(edited.error());
    PromptedModel chosen;
    chosen.opened = std::move(*opened);
    chosen.opened.model = std::move(*edited);
    chosen.task = ownTask(*chosen.opened.model);
    return chosen;
}

Result<PromptedModel> PromptOptions::open() const {
    auto chosen = openModel();
    if (!chosen) return chosen;
    if (auto prompted = choosePrompt(*this, *chosen); !prompted)
        return tl::unexpected(prompted.error());
    return chosen;
}

}  // namespace headloom::cli
