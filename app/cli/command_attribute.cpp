#include "app/cli/attribute_report.h"
#include "app/cli/chosen_answers.h"
#include "app/cli/command.h"
#include "app/cli/interrupt.h"
#include "app/cli/many_options.h"
#include "app/cli/options.h"
#include "app/cli/prompt_options.h"
#include "app/cli/text.h"
#include "core/session/row_of_run.h"

#include <fmt/format.h>

#include <memory>
#include <optional>

namespace headloom::cli {

namespace {

struct AttributeOptions {
    PromptOptions read;
    ManyOptions many;
    std::optional<int> step;
    std::optional<std::string> against;
    int top = 20;
    bool heads = false, lens = false, json = false;
    BackendOptions backend;
};

tl::unexpected<Error> bad(std::string where, std::string what, std::string remedy) {
    return fail(Error::Kind::badInput, std::move(where), std::move(what), std::move(remedy));
}

Result<int> tokenNamed(const std::string& text, const Model& model) {
    const auto ids = model.vocabulary.encode(text);
    if (!ids) return tl::unexpected(ids.error());
    if (ids->size() != 1)
        return bad("--against", fmt::format("\"{}\" is {} tokens", text, ids->size()),
                   "give a single token");
    return ids->front();
}

Result<AttributedLogit> explain(const AttributeOptions& options) {
    const auto read = options.read.open();
    if (!read) return tl::unexpected(read.error());
    const auto backend = options.backend.open();
    if (!backend) return tl::unexpected(backend.error());
    ChainRequest request = read->request();
    request.maps = request.activations = false;
    AttributedLogit made;
    auto run = runChain(request, **backend);
    if (!run) return tl::unexpected(run.error());
    made.run = std::move(*run);
    const auto answers = chosenAnswers(made.run, options.step.value_or(0));
    if (!answers) return tl::unexpected(answers.error());
    made.at = answers->front();
    if (options.against) {
        const auto other = tokenNamed(*options.against, *made.run.model);
        if (!other) return tl::unexpected(other.error());
        made.against = *other;
    }
    auto trace = rowOfRun(made.run, made.at.row, **backend, interrupted);
    if (!trace) return tl::unexpected(trace.error());
    made.trace = std::move(*trace);
    auto attribution = attributeLogit(made.run.model->config, made.run.model->weights, made.trace,
                                      {made.at.token, made.against, made.at.slot});
    if (!attribution) return tl::unexpected(attribution.error());
    made.attribution = std::move(*attribution);
    return made;
}

Result<ExitCode> average(const AttributeOptions& options) {
    AveragesShown shown;
    shown.what = "parts of the answers' logits";
    shown.sort = "adds";
    shown.bySize = true;
    shown.top = options.top;
    shown.json = options.json;
    const Asking ask = [&](const PromptedModel& read,
                           const PromptSet&) -> Result<std::vector<Question>> {
        SharesAsked asked;
        asked.answer = options.step;
        asked.heads = options.heads;
        if (options.against) {
            const auto other = tokenNamed(*options.against, *read.opened.model);
            if (!other) return tl::unexpected(other.error());
            asked.against = *other;
        }
        auto questions = alone(askShares(*read.opened.model, asked));
        if (!questions || !options.lens) return questions;
        auto lens = askLens(*read.opened.model, options.step);
        if (!lens) return tl::unexpected(lens.error());
        questions->push_back(std::move(*lens));
        return questions;
    };
    return tellAverages(options.read, options.many, options.backend, ask, shown);
}

Result<ExitCode> attribute(const AttributeOptions& options) {
    if (auto fine = options.many.check(); !fine) return tl::unexpected(fine.error());
    if (options.many.asked()) return average(options);
    const auto explained = explain(options);
    if (!explained) return tl::unexpected(explained.error());
    const AttributionShown shown{options.read.named(), options.top, options.heads, options.lens};
    print(options.json ? attributionAsJson(shown, *explained)
                       : attributionAsText(shown, *explained));
    return exitDone;
}

}  // namespace

void addAttributeCommand(CLI::App& program, Work& work) {
    auto options = std::make_shared<AttributeOptions>();
    CLI::App* command = program.add_subcommand(
        "attribute", "What each head, tile and MLP adds to an answer's logit");
    options->read.addTo(*command);
    options->many.addTo(*command);
    command
        ->add_option("--step", options->step, "of the chain (default 0; of many prompts all steps)")
        ->type_name("I");
    command
        ->add_option("--against", options->against,
                     "explain how far the answer is above this token")
        ->type_name("TOKEN");
    command->add_flag("--heads", options->heads, "the tiles of a head as one");
    command->add_flag("--lens", options->lens,
                      "also what the model would say if it ended after each\n"
                      "layer");
    command
        ->add_option("--top", options->top,
                     "parts to print, the largest first (default 20; 0: all)")
        ->type_name("K")
        ->check(CLI::NonNegativeNumber);
    command->add_flag("--json", options->json, "print JSON");
    options->many.addCsvTo(*command);
    options->backend.addTo(*command);
    command->footer(
        "Direct contributions to the logit, with the scale of the final norm frozen at this row:\n"
        "they sum to the whole. What a part does by way of later layers is in those layers' "
        "parts.\n"
        "JSON: {\"model\", \"row\", \"slot\", \"token\", \"against\", \"logit\", \"sum\", "
        "\"final_scale\",\n"
        "\"parts\": [{\"part\", \"adds\"}] in the order of the model, \"lens\": [{\"layer\", "
        "\"place\",\n"
        "\"logit\", \"probability\", \"rank\", \"top\": [{\"id\", \"probability\"}]}]}." +
        manyFooter("\"parts\", \"logit\", with --lens \"lens\""));
    command->callback([options, &work] { work = [options] { return attribute(*options); }; });
}

}  // namespace headloom::cli
