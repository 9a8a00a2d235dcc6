#include "app/cli/ablate_report.h"
#include "app/cli/chosen_answers.h"
#include "app/cli/command.h"
#include "app/cli/interrupt.h"
#include "app/cli/many_options.h"
#include "app/cli/options.h"
#include "app/cli/prompt_options.h"
#include "app/cli/text.h"

#include <fmt/format.h>

#include <array>
#include <memory>
#include <optional>
#include <utility>

namespace headloom::cli {

namespace {

using Kind = ModelPart::Kind;

struct AblateOptions {
    PromptOptions read;
    ManyOptions many;
    std::vector<std::string> parts;
    std::string instead = "zero", rank;
    std::optional<std::int64_t> otherExample;
    std::optional<std::string> otherPrompt;
    std::optional<int> at, layer, step;
    int top = 5;
    bool renormalise = false, json = false;
    BackendOptions backend;
};

constexpr std::array<std::pair<const char*, Kind>, 9> ranked = {{{"layers", Kind::layer},
                                                                 {"attention", Kind::attention},
                                                                 {"mlps", Kind::mlp},
                                                                 {"heads", Kind::head},
                                                                 {"queries", Kind::pseudoQuery},
                                                                 {"keys", Kind::pseudoKey},
                                                                 {"pseudo-heads", Kind::pseudo},
                                                                 {"tiles", Kind::tile},
                                                                 {"weights", Kind::weight}}};

tl::unexpected<Error> bad(std::string where, std::string what, std::string remedy) {
    return fail(Error::Kind::badInput, std::move(where), std::move(what), std::move(remedy));
}

/// Everything that both questions need: the whole model's run and what answers count.
struct Ground {
    PromptedModel read;
    std::shared_ptr<const ChainRun> whole;
    std::shared_ptr<const ActivationTrace> donor;
    std::vector<AnswerAt> answers;
};

ChainRequest requestOf(const PromptedModel& read) {
    ChainRequest request = read.request();
    request.activations = request.maps = false;
    request.keepResiduals = true;
    return request;
}

/// The other prompt's pass, whole: patches come from all of it.
Result<std::shared_ptr<const ActivationTrace>> donorOf(const AblateOptions& options,
                                                       const PromptedModel& read,
                                                       Backend& backend) {
    if (!options.otherPrompt && !options.otherExample)
        return std::shared_ptr<const ActivationTrace>();
    ChainRequest request = requestOf(read);
    request.activations = request.maps = true;
    request.truth.reset();
    if (options.otherPrompt) {
        auto ids = read.opened.model->vocabulary.encode(*options.otherPrompt);
        if (!ids) return tl::unexpected(ids.error());
        request.prompt = std::move(*ids);
    } else {
        if (*options.otherExample < 0)
            return bad("--other-example",
                       fmt::format("there is no example {}", *options.otherExample),
                       "count from 0");
        if (!read.task)
            return bad("--other-example", "no task of Headloom is known for this model",
                       "use --other-prompt");
        request.truth = read.task->example(Split::heldOut, heldOutSeed,
                                           static_cast<std::uint64_t>(*options.otherExample));
    }
    auto run = runChain(request, backend);
    if (!run) return tl::unexpected(run.error());
    return std::make_shared<const ActivationTrace>(std::move(run->trace));
}

Result<Ground> prepare(const AblateOptions& options, Backend& backend) {
    auto read = options.read.open();
    if (!read) return tl::unexpected(read.error());
    auto donor = donorOf(options, *read, backend);
    if (!donor) return tl::unexpected(donor.error());
    auto whole = runChain(requestOf(*read), backend);
    if (!whole) return tl::unexpected(whole.error());
    Ground ground{std::move(*read),
                  std::make_shared<const ChainRun>(std::move(*whole)),
                  std::move(*donor),
                  {}};
    auto answers = chosenAnswers(*ground.whole, options.step);
    if (!answers) return tl::unexpected(answers.error());
    ground.answers = std::move(*answers);
    return ground;
}

Result<Cut> cutOf(const AblateOptions& options, const ModelPart& part) {
    Cut cut;
    cut.part = part;
    const auto instead = insteadFrom(options.instead);
    if (!instead) return tl::unexpected(instead.error());
    cut.instead = *instead;
    cut.renormalise = options.renormalise;
    cut.row = options.at.value_or(-1);
    return cut;
}

AblationGround shown(const AblateOptions& options, const Ground& ground) {
    return {options.read.named(), ground.whole.get(), ground.answers, options.step.value_or(0),
            options.top};
}

/// Each part that is to be ranked.
Result<std::vector<Cut>> rankedCuts(const AblateOptions& options, const ModelConfig& config) {
    const Kind* kind = nullptr;
    for (const auto& [name, each] : ranked)
        if (options.rank == name) kind = &each;
    if (options.layer && (*options.layer < 0 || *options.layer >= config.nLayers()))
        return bad("--layer", fmt::format("there is no layer {}", *options.layer),
                   fmt::format("this model has layers 0 to {}", config.nLayers() - 1));
    std::vector<Cut> cuts;
    for (int layer = 0; layer < config.nLayers(); ++layer) {
        if (options.layer && layer != *options.layer) continue;
        for (const ModelPart& part : partsOf(*kind, config, layer)) {
            const auto cut = cutOf(options, part);
            if (!cut) return tl::unexpected(cut.error());
            cuts.push_back(*cut);
        }
    }
    if (cuts.empty())
        return bad("--rank", "this model has no " + options.rank, "rank its heads or layers");
    return cuts;
}

std::string rankedWords(const AblateOptions& options) {
    return fmt::format("{}, each replaced by {}", options.rank, options.instead);
}

Result<std::string> ranking(const AblateOptions& options, const Ground& ground, Backend& backend) {
    const auto cuts = rankedCuts(options, ground.whole->model->config);
    if (!cuts) return tl::unexpected(cuts.error());
    RankRequest request;
    request.cuts = *cuts;
    request.run = ground.whole;
    request.answers = ground.answers;
    request.donor = ground.donor;
    request.cancelled = interrupted;
    const auto effects = rankCuts(request, backend);
    if (!effects) return tl::unexpected(effects.error());
    return options.json ? rankingAsJson(shown(options, ground), options.instead, *effects)
                        : rankingAsText(shown(options, ground), rankedWords(options), *effects);
}

Result<std::string> changes(const AblateOptions& options, const Ground& ground, Backend& backend) {
    ChainRequest request = requestOf(ground.read);
    request.ablation.donor = ground.donor;
    for (const std::string& name : options.parts) {
        const auto part = partFrom(name);
        if (!part) return tl::unexpected(part.error());
        const auto cut = cutOf(options, *part);
        if (!cut) return tl::unexpected(cut.error());
        request.ablation.cuts.push_back(*cut);
    }
    const auto without = runChain(request, backend);
    if (!without) return tl::unexpected(without.error());
    return options.json ? changesAsJson(shown(options, ground), *without)
                        : changesAsText(shown(options, ground), *without);
}

/// The ranking of many prompts.
Result<ExitCode> average(const AblateOptions& options) {
    if (options.rank.empty())
        return bad("--part", "over many prompts parts are ranked", "use --rank");
    if (options.otherPrompt || options.otherExample || options.instead == "other")
        return bad("--with", "a patch is for one prompt of as many tokens",
                   "use zero, mean or self");
    AveragesShown shown;
    shown.what = rankedWords(options);
    shown.sort = "log-ratio";
    shown.ascending = true;
    shown.top = options.top;
    shown.json = options.json;
    const Asking ask = [&](const PromptedModel& read,
                           const PromptSet&) -> Result<std::vector<Question>> {
        const auto cuts = rankedCuts(options, read.opened.model->config);
        if (!cuts) return tl::unexpected(cuts.error());
        return std::vector{askCuts({*cuts, options.step})};
    };
    return tellAverages(options.read, options.many, options.backend, ask, shown);
}

Result<ExitCode> ablate(const AblateOptions& options) {
    if (auto fine = options.many.check(); !fine) return tl::unexpected(fine.error());
    if (options.parts.empty() == options.rank.empty())
        return bad("ablate",
                   options.rank.empty() ? "nothing is to be switched off"
                                        : "--part and --rank are two questions",
                   "give either --part or --rank");
    if (options.many.asked()) return average(options);
    const auto backend = options.backend.open();
    if (!backend) return tl::unexpected(backend.error());
    const auto ground = prepare(options, **backend);
    if (!ground) return tl::unexpected(ground.error());
    const auto text = options.rank.empty() ? changes(options, *ground, **backend)
                                           : ranking(options, *ground, **backend);
    if (!text) return tl::unexpected(text.error());
    print(*text);
    return exitDone;
}

}  // namespace

void addAblateCommand(CLI::App& program, Work& work) {
    auto options = std::make_shared<AblateOptions>();
    CLI::App* command = program.add_subcommand(
        "ablate", "Switch parts of a model off, and see what the answers lose");
    options->read.addTo(*command);
    options->many.addTo(*command);
    command
        ->add_option("--part", options->parts,
                     "a part to switch off, as often as wanted: L1, L1.attn,\n"
                     "L1.mlp, L1H3, L1H3.q0, L1H3.k1, L1H3.p0, L1H3.q0k1,\n"
                     "L1H3.q0k1[18,12], L1.alphaQ[2,1,0], L1.R[0,3]")
        ->type_name("PART")
        ->expected(1)
        ->take_all();
    std::vector<std::string> names;
    for (const auto& [name, kind] : ranked) names.emplace_back(name);
    command
        ->add_option("--rank", options->rank,
                     "instead switch off each of these alone, and rank\n"
                     "them: layers, attention, mlps, heads, queries, keys,\n"
                     "pseudo-heads, tiles or weights")
        ->type_name("KIND")
        ->check(CLI::IsMember(names));
    command
        ->add_option("--layer", options->layer, "rank the parts of this layer only (default: all)")
        ->type_name("L");
    command
        ->add_option("--with", options->instead,
                     "what takes the place of a part: zero, mean (over the\n"
                     "positions of this prompt), self (only the own token\n"
                     "is seen) or other (the other prompt's); default zero")
        ->type_name("WHAT")
        ->check(CLI::IsMember({"zero", "mean", "self", "other"}));
    auto* prompt = command->add_option("--other-prompt", options->otherPrompt,
                                       "text of as many tokens to patch from");
    auto* example = command->add_option("--other-example", options->otherExample,
                                        "held-out example to patch from");
    prompt->type_name("TEXT")->excludes(example);
    example->type_name("N");
    command->add_flag("--renormalise", options->renormalise,
                      "leave tiles and cells out before the softmax instead\n"
                      "of multiplying them by 0 after it");
    command->add_option("--at", options->at, "at this token only (default: at all)")
        ->type_name("ROW");
    command
        ->add_option("--step", options->step, "look at this step of the chain only (default: all)")
        ->type_name("I");
    command
        ->add_option("--top", options->top,
                     "tokens a step, or parts of the ranking, to print\n"
                     "(default 5; 0: the whole ranking)")
        ->type_name("K")
        ->check(CLI::NonNegativeNumber);
    command->add_flag("--json", options->json, "print JSON");
    options->many.addCsvTo(*command);
    options->backend.addTo(*command);
    command->footer(
        "The model is fed the true chain of the example, or the prompt. JSON of --part:\n"
        "{\"model\", \"ablation\": [names], \"steps\": [{\"row\", \"slot\", \"answer\", \"top\": "
        "[{\"id\",\n"
        "\"token\", \"before\", \"after\", \"rank_before\", \"rank_after\"}]}]}; of --rank: "
        "{\"model\",\n"
        "\"instead\", \"answers\", \"ranking\": [{\"part\", \"before\", \"after\", \"log_ratio\",\n"
        "\"rank_before\", \"rank_after\", \"flipped\"}]}, all of it, with mean probabilities and "
        "ranks of\n"
        "the answers and the mean of log(after / before) in nats." +
        manyFooter("\"ranking\""));
    command->callback([options, &work] { work = [options] { return ablate(*options); }; });
}

}  // namespace headloom::cli
