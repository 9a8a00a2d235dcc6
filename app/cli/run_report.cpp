#include "app/cli/run_report.h"

#include "app/cli/text.h"
#include "core/analysis/mass.h"
#include "core/base/utf8.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <optional>

namespace headloom::cli {

namespace {

using json = nlohmann::ordered_json;

constexpr int topCount = 10;

/// What the true chain says at this step; none without a truth.
std::optional<int> trueToken(const ChainRun& run, const RunStep& step) {
    if (!run.truth || step.row >= run.truth->inputLength) return std::nullopt;
    const int slots = run.model->config.nSlots;
    const int target = run.truth->targets[static_cast<std::size_t>(step.row * slots + step.slot)];
    return target < 0 ? std::nullopt : std::optional(target);
}

/// Token ids, a list of them where several share a position.
json promptJson(const ChainRun& run) {
    json ids = json::array();
    for (int at = 0; at < run.promptLength; ++at) {
        const std::vector<int> parts =
            run.model->vocabulary.parts(run.tokens[static_cast<std::size_t>(at)]);
        ids.push_back(parts.size() == 1 ? json(parts.front()) : json(parts));
    }
    return ids;
}

json evidenceJson(const ChainRun& run, int row) {
    json entries = json::array();
    const std::vector<int> positions = run.evidence(row);
    if (positions.empty()) return entries;
    for (std::size_t layer = 0; layer < run.trace.layers.size(); ++layer) {
        const Tensor& maps = run.trace.layers[layer].maps;
        const int heads = static_cast<int>(maps.size(1)), pseudo = static_cast<int>(maps.size(2));
        for (int head = 0; head < heads; ++head)
            for (int p = 0; p < pseudo; ++p)
                for (int r = 0; r < pseudo; ++r)
                    entries.push_back({{"layer", layer},
                                       {"head", head},
                                       {"query_pseudo", p},
                                       {"key_pseudo", r},
                                       {"mass", evidenceMass(maps, head, p, r, row, positions)}});
    }
    return entries;
}

/// "L0H1 p0 0.97 (of 4)": the query, of all layers, that looks hardest at the evidence.
std::string bestEvidence(const ChainRun& run, int row) {
    const std::vector<int> positions = run.evidence(row);
    if (positions.empty()) return "-";
    EvidenceEntry best;
    std::size_t where = 0;
    int chosenFrom = 0;
    for (std::size_t layer = 0; layer < run.trace.layers.size(); ++layer) {
        const auto summary = evidenceSummary(run.trace.layers[layer].maps, row, positions);
        chosenFrom += summary.chosenFrom;
        if (layer == 0 || summary.best.mass > best.mass) {
            best = summary.best;
            where = layer;
        }
    }
    return fmt::format("L{}H{} p{} {:.2f} (of {})", where, best.head, best.p, best.mass,
                       chosenFrom);
}

std::string verdictOn(const ChainRun& run, const std::vector<RunStep>& steps) {
    if (!run.truth || steps.empty()) return {};
    const auto wrong = std::find_if(steps.begin(), steps.end(), [&run](const RunStep& step) {
        const auto expected = trueToken(run, step);
        return expected && *expected != step.id;
    });
    if (wrong == steps.end()) return "every step is right\n";
    return fmt::format("first wrong at step {}\n", wrong - steps.begin());
}

}  // namespace

std::vector<RunStep> stepsOf(const ChainRun& run, const SamplingParams& sampling) {
    std::vector<RunStep> steps;
    const auto add = [&](int row, int slot, std::optional<int> id) {
        RunStep step{row, slot, 0, 0,
                     topCandidates(run.logits(row, slot), sampling.temperature, topCount)};
        step.id = id.value_or(step.top.front().id);
        step.probability = probabilities(run.logits(row, slot),
                                         sampling.temperature)[static_cast<std::size_t>(step.id)];
        steps.push_back(std::move(step));
    };
    if (run.mode == ChainMode::onItsOwn) {
        for (int at = run.promptLength; at < static_cast<int>(run.tokens.size()); ++at)
            add(at - 1, 0, run.tokens[static_cast<std::size_t>(at)]);
        return steps;
    }
    for (int row = 0; row < run.rows; ++row)
        for (int slot = 0; slot < run.model->config.nSlots; ++slot)
            if (!run.truth || trueToken(run, {row, slot, 0, 0, {}})) add(row, slot, std::nullopt);
    return steps;
}

std::string runAsJson(const std::string& model, const ChainRun& run,
                      const std::vector<RunStep>& steps) {
    const Vocabulary& vocabulary = run.model->vocabulary;
    json root = {{"model", asUtf8(model)}, {"prompt", promptJson(run)}, {"steps", json::array()}};
    for (const RunStep& step : steps) {
        json entry = {{"id", step.id},
                      {"token", asUtf8(vocabulary.text(step.id))},
                      {"probability", step.probability},
                      {"top", json::array()},
                      {"evidence", evidenceJson(run, step.row)}};
        for (const Candidate& candidate : step.top)
            entry["top"].push_back({{"id", candidate.id},
                                    {"token", asUtf8(vocabulary.text(candidate.id))},
                                    {"logit", candidate.logit},
                                    {"probability", candidate.probability}});
        if (run.model->config.nSlots > 1) {
            entry["row"] = step.row;
            entry["slot"] = step.slot;
        }
        root["steps"].push_back(std::move(entry));
    }
    return jsonText(root);
}

std::string runAsText(const std::string& model, const ChainRun& run,
                      const std::vector<RunStep>& steps) {
    const Vocabulary& vocabulary = run.model->vocabulary;
    std::string prompt;
    for (int i = 0; i < run.promptLength; ++i)
        prompt += " " + visible(vocabulary.text(run.tokens[static_cast<std::size_t>(i)]));
    std::string text =
        fmt::format("{}: {}\nprompt:{}\n\n", model, run.model->config.summary(), prompt);
    const bool slots = run.model->config.nSlots > 1;
    Table table({"step", slots ? "row.slot" : "row", "token", "probability", "next best", "truth",
                 "best on evidence", "what the step is"});
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const RunStep& step = steps[i];
        const auto expected = trueToken(run, step);
        const auto other = std::find_if(step.top.begin(), step.top.end(),
                                        [&](const Candidate& each) { return each.id != step.id; });
        const auto row = static_cast<std::size_t>(step.row);
        table.add({std::to_string(i),
                   slots ? fmt::format("{}.{}", step.row, step.slot) : std::to_string(step.row),
                   visible(vocabulary.text(step.id)), fmt::format("{:.4f}", step.probability),
                   other == step.top.end()
                       ? "-"
                       : fmt::format("{} {:.4f}", visible(vocabulary.text(other->id)),
                                     other->probability),
                   !expected              ? "-"
                   : *expected == step.id ? "right"
                                          : visible(vocabulary.text(*expected)) + "!",
                   bestEvidence(run, step.row),
                   run.truth && row < run.truth->steps.size() ? run.truth->steps[row] : ""});
    }
    text += table.text() + "\n" + verdictOn(run, steps);
    const bool maps = !run.trace.layers.empty() && run.trace.layers.front().maps;
    text += fmt::format("{} tokens read {} in {:.2f} ms", run.rows,
                        maps ? "with all maps" : "without maps", run.milliseconds);
    if (run.stepMilliseconds > 0)
        text += fmt::format(", a step with the cache in {:.2f} ms", run.stepMilliseconds);
    return text + "\n";
}

}  // namespace headloom::cli
