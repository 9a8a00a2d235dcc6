#include "app/cli/command.h"
#include "app/cli/interrupt.h"
#include "app/cli/options.h"
#include "app/cli/prompt_options.h"
#include "app/cli/text.h"
#include "core/analysis/logit_attribution.h"
#include "core/analysis/logit_lens.h"
#include "core/base/utf8.h"
#include "core/models/model_part.h"
#include "core/session/ablation_effect.h"
#include "core/session/row_of_run.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <optional>

namespace headloom::cli {

namespace {

using json = nlohmann::json;

struct AttributeOptions {
    PromptOptions read;
    std::optional<int> step;
    std::optional<std::string> against;
    int top = 20;
    bool heads = false, lens = false, json = false;
    BackendOptions backend;
};

struct Explained {
    ChainRun run;
    AnswerAt at;
    RowTrace trace;
    LogitAttribution attribution;
    int against = -1;
};

tl::unexpected<Error> bad(std::string where, std::string what, std::string remedy) {
    return fail(Error::Kind::badInput, std::move(where), std::move(what), std::move(remedy));
}

std::string nameOf(const LogitPart& part) {
    using Kind = LogitPart::Kind;
    switch (part.kind) {
        case Kind::embedding:
            return "embedding";
        case Kind::position:
            return "position";
        case Kind::tile:
            return headloom::nameOf(ModelPart::ofTile(part.layer, part.head, part.p, part.r));
        case Kind::attentionBias:
            return fmt::format("L{}.attn bias", part.layer);
        case Kind::mlp:
            return fmt::format("L{}.mlp", part.layer);
        case Kind::mlpBias:
            return fmt::format("L{}.mlp bias", part.layer);
        case Kind::normBias:
            return "final norm bias";
        case Kind::headBias:
            return "head bias";
    }
    return {};
}

/// The tiles of a head as one part, where they are several.
std::vector<std::pair<std::string, double>> listed(const Explained& explained, bool heads) {
    const ModelConfig& config = explained.run.model->config;
    std::vector<std::pair<std::string, double>> all;
    for (const LogitPart& part : explained.attribution.parts) {
        const bool tile = part.kind == LogitPart::Kind::tile;
        const bool single = tile && config.layers[std::size_t(part.layer)].nPseudo == 1;
        if (!tile || !(heads || single)) {
            all.emplace_back(nameOf(part), part.value);
        } else if (part.p == 0 && part.r == 0) {
            all.emplace_back(headloom::nameOf(ModelPart::ofHead(part.layer, part.head)),
                             explained.attribution.head(part.layer, part.head));
        }
    }
    return all;
}

Result<int> tokenNamed(const std::string& text, const Model& model) {
    const auto ids = model.vocabulary.encode(text);
    if (!ids) return tl::unexpected(ids.error());
    if (ids->size() != 1)
        return bad("--against", fmt::format("\"{}\" is {} tokens", text, ids->size()),
                   "give a single token");
    return ids->front();
}

Result<Explained> explain(const AttributeOptions& options) {
    const auto read = options.read.open();
    if (!read) return tl::unexpected(read.error());
    const auto backend = options.backend.open();
    if (!backend) return tl::unexpected(backend.error());
    ChainRequest request;
    request.model = read->opened.model;
    request.prompt = read->prompt;
    request.truth = read->truth;
    request.maps = request.activations = false;
    request.cancelled = interrupted;
    Explained made;
    auto run = runChain(request, **backend);
    if (!run) return tl::unexpected(run.error());
    made.run = std::move(*run);
    const std::vector<AnswerAt> answers = answersOf(made.run);
    const int step = options.step.value_or(0);
    if (step < 0 || step >= static_cast<int>(answers.size()))
        return bad("--step", fmt::format("there is no step {}", step),
                   fmt::format("this chain has {} of them, counted from 0", answers.size()));
    made.at = answers[static_cast<std::size_t>(step)];
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

std::string tokenText(const Explained& explained, int token) {
    return explained.run.model->vocabulary.text(token);
}

std::vector<LensPoint> lensOf(const Explained& explained) {
    return logitLens(explained.run.model->config, explained.run.model->weights, explained.trace,
                     explained.at.slot, explained.at.token, 5);
}

std::string lensText(const Explained& explained) {
    Table table({"layer", "place", "logit", "probability", "rank", "most probable"});
    for (const LensPoint& point : lensOf(explained)) {
        std::string top;
        for (const Candidate& candidate : point.top)
            top += fmt::format("{}{} {:.2f}", top.empty() ? "" : ", ",
                               visible(tokenText(explained, candidate.id)), candidate.probability);
        table.add({std::to_string(point.layer), std::string(headloom::nameOf(point.place)),
                   fmt::format("{:+.3f}", point.logit), fmt::format("{:.4f}", point.probability),
                   std::to_string(point.rank), top});
    }
    return table.text();
}

std::string asText(const AttributeOptions& options, const Explained& explained) {
    auto parts = listed(explained, options.heads);
    std::stable_sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) {
        return std::abs(a.second) > std::abs(b.second);
    });
    const LogitAttribution& whole = explained.attribution;
    Table table({"part", "adds", "share of |parts|"});
    double rest = 0;
    int left = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (options.top > 0 && static_cast<int>(i) >= options.top) {
            rest += parts[i].second;
            ++left;
            continue;
        }
        table.add({parts[i].first, fmt::format("{:+.4f}", parts[i].second),
                   fmt::format("{:.3f}", std::abs(parts[i].second) / whole.magnitude)});
    }
    if (left > 0) table.add({fmt::format("{} others", left), fmt::format("{:+.4f}", rest), ""});
    table.add({"sum", fmt::format("{:+.4f}", whole.sum), ""});
    std::string what = fmt::format("\"{}\"", visible(tokenText(explained, explained.at.token)));
    if (explained.against >= 0)
        what +=
            fmt::format(" above that of \"{}\"", visible(tokenText(explained, explained.against)));
    std::string text = fmt::format(
        "{}: the logit of {} at row {}, {:+.4f}\n\n{}\nthe final norm's scale is frozen at "
        "{:.4g}\n",
        options.read.model, what, explained.at.row, whole.whole, table.text(), whole.finalScale);
    if (options.lens) text += "\nif the model ended here:\n\n" + lensText(explained);
    return text;
}

std::string asJson(const AttributeOptions& options, const Explained& explained) {
    json root = {{"model", asUtf8(options.read.model)},
                 {"row", explained.at.row},
                 {"slot", explained.at.slot},
                 {"token", explained.at.token},
                 {"logit", explained.attribution.whole},
                 {"sum", explained.attribution.sum},
                 {"final_scale", explained.attribution.finalScale},
                 {"parts", json::array()}};
    if (explained.against >= 0) root["against"] = explained.against;
    for (const auto& [name, value] : listed(explained, options.heads))
        root["parts"].push_back({{"part", name}, {"adds", value}});
    if (options.lens) {
        root["lens"] = json::array();
        for (const LensPoint& point : lensOf(explained)) {
            json entry = {{"layer", point.layer}, {"place", headloom::nameOf(point.place)},
                          {"logit", point.logit}, {"probability", point.probability},
                          {"rank", point.rank},   {"top", json::array()}};
            for (const Candidate& candidate : point.top)
                entry["top"].push_back(
                    {{"id", candidate.id}, {"probability", candidate.probability}});
            root["lens"].push_back(std::move(entry));
        }
    }
    return root.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

Result<ExitCode> attribute(const AttributeOptions& options) {
    const auto explained = explain(options);
    if (!explained) return tl::unexpected(explained.error());
    const std::string text =
        options.json ? asJson(options, *explained) : asText(options, *explained);
    std::fwrite(text.data(), 1, text.size(), stdout);
    return exitDone;
}

}  // namespace

void addAttributeCommand(CLI::App& program, Work& work) {
    auto options = std::make_shared<AttributeOptions>();
    CLI::App* command = program.add_subcommand(
        "attribute", "What each head, tile and MLP adds to an answer's logit");
    options->read.addTo(*command);
    command->add_option("--step", options->step, "of the chain (default 0)")->type_name("I");
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
    options->backend.addTo(*command);
    command->footer(
        "Direct contributions to the logit, with the scale of the final norm frozen at this row:\n"
        "they sum to the whole. What a part does by way of later layers is in those layers' "
        "parts.\n"
        "JSON: {\"model\", \"row\", \"slot\", \"token\", \"against\", \"logit\", \"sum\", "
        "\"final_scale\",\n"
        "\"parts\": [{\"part\", \"adds\"}] in the order of the model, \"lens\": [{\"layer\", "
        "\"place\",\n"
        "\"logit\", \"probability\", \"rank\", \"top\": [{\"id\", \"probability\"}]}]}.");
    command->callback([options, &work] { work = [options] { return attribute(*options); }; });
}

}  // namespace headloom::cli
