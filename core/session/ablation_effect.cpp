#include "core/session/ablation_effect.h"

#include "core/models/batch.h"
#include "core/models/decoder.h"
#include "core/models/guarded.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace headloom {

namespace {

std::span<const float> logitsAt(const Tensor& logits, const ModelConfig& config,
                                const AnswerAt& at) {
    const std::int64_t width = logits.size(2), classes = config.nClasses();
    return logits.values<float>().subspan(
        static_cast<std::size_t>(at.row * width + at.slot * classes),
        static_cast<std::size_t>(classes));
}

int rankOf(std::span<const float> logits, int token) {
    const float own = logits[static_cast<std::size_t>(token)];
    return static_cast<int>(
        std::count_if(logits.begin(), logits.end(), [own](float other) { return other > own; }));
}

int winnerOf(std::span<const float> logits) {
    return topCandidates(logits, 0, 1).front().id;
}

AnswersEffect effectOn(const Tensor& before, const Tensor& after, const ModelConfig& config,
                       const std::vector<AnswerAt>& answers) {
    AnswersEffect effect;
    const double share = 1.0 / static_cast<double>(answers.size());
    for (const AnswerAt& at : answers) {
        const auto whole = logitsAt(before, config, at), less = logitsAt(after, config, at);
        const double was = logProbability(whole, at.token), is = logProbability(less, at.token);
        effect.before += share * std::exp(was);
        effect.after += share * std::exp(is);
        effect.logRatio += share * (is - was);
        effect.rankBefore += share * rankOf(whole, at.token);
        effect.rankAfter += share * rankOf(less, at.token);
        effect.flipped += winnerOf(whole) != winnerOf(less);
    }
    return effect;
}

/// The logits with one cut: all below its layer is as it was.
Result<Tensor> logitsWithout(const Cut& cut, const RankRequest& request, Backend& backend) {
    const ChainRun& run = *request.run;
    Ablation alone = run.ablation;
    alone.cuts.push_back(cut);
    if (request.donor) alone.donor = request.donor;
    if (auto fine = checkAblation(alone, run.model->config, run.rows); !fine)
        return tl::unexpected(fine.error());
    const Decoder decoder(run.model->config,
                          place(withoutWeights(alone, run.model->weights), backend), backend);
    ForwardOptions options;
    options.captureMaps = options.keepActivations = false;
    options.changes = layerChanges(alone, run.model->config, run.rows);
    options.cancelled = request.cancelled;
    const auto layer = static_cast<std::size_t>(cut.part.layer);
    if (cut.part.layer > 0 && layer < run.residuals.size()) {
        options.firstLayer = cut.part.layer;
        options.input = place(run.residuals[layer], backend);
    }
    const auto fed = std::span<const int>(run.tokens).first(static_cast<std::size_t>(run.rows));
    const auto trace = decoder.forward(idsOf(run.model->vocabulary, {fed}), options);
    if (!trace) return tl::unexpected(trace.error());
    return onHost(trace->logits, backend);
}

}  // namespace

std::vector<AnswerAt> answersOf(const ChainRun& run) {
    const ModelConfig& config = run.model->config;
    std::vector<AnswerAt> all;
    const bool given = run.truth && run.mode == ChainMode::trueChain;
    for (int row = 0; row < run.rows; ++row)
        for (int slot = 0; slot < config.nSlots; ++slot) {
            if (given) {
                const int target =
                    run.truth->targets[static_cast<std::size_t>(row * config.nSlots + slot)];
                if (target >= 0) all.push_back({row, slot, target, true});
            } else if (row + 1 >= run.promptLength) {
                all.push_back({row, slot, winnerOf(run.logits(row, slot)), false});
            }
        }
    return all;
}

AnswersEffect answersEffect(const ChainRun& before, const ChainRun& after,
                            const std::vector<AnswerAt>& answers) {
    return effectOn(before.trace.logits, after.trace.logits, before.model->config, answers);
}

double logProbability(std::span<const float> logits, int token) {
    const double top = *std::max_element(logits.begin(), logits.end());
    double sum = 0;
    for (const float logit : logits) sum += std::exp(double(logit) - top);
    return double(logits[static_cast<std::size_t>(token)]) - top - std::log(sum);
}

std::vector<TokenChange> tokenChanges(const ChainRun& before, const ChainRun& after,
                                      const AnswerAt& at, int count) {
    const auto was = before.logits(at.row, at.slot), is = after.logits(at.row, at.slot);
    const std::vector<double> probabilityBefore = probabilities(was, 1),
                              probabilityAfter = probabilities(is, 1);
    std::set<int> tokens = {at.token};
    for (const auto& logits : {was, is})
        for (const Candidate& candidate : topCandidates(logits, 0, count))
            tokens.insert(candidate.id);
    std::vector<TokenChange> changes;
    for (const int token : tokens) {
        const auto index = static_cast<std::size_t>(token);
        changes.push_back({token, probabilityBefore[index], probabilityAfter[index],
                           rankOf(was, token), rankOf(is, token)});
    }
    std::stable_sort(changes.begin(), changes.end(),
                     [](const auto& a, const auto& b) { return a.rankBefore < b.rankBefore; });
    return changes;
}

Result<std::vector<PartEffect>> effectsOf(const RankRequest& request, Backend& backend) {
    if (request.answers.empty())
        return fail(Error::Kind::badInput, "prompt", "there is no answer to compare",
                    "choose a step at which the model says something");
    return guarded([&]() -> Result<std::vector<PartEffect>> {
        std::vector<PartEffect> effects;
        for (const Cut& cut : request.cuts) {
            if (request.cancelled && request.cancelled())
                return fail(Error::Kind::interrupted, {}, "stopped");
            const auto logits = logitsWithout(cut, request, backend);
            if (!logits) return tl::unexpected(logits.error());
            effects.push_back({effectOn(request.run->trace.logits, *logits,
                                        request.run->model->config, request.answers),
                               cut});
            if (request.progress)
                request.progress(double(effects.size()) / double(request.cuts.size()));
        }
        return effects;
    });
}

Result<std::vector<PartEffect>> rankCuts(const RankRequest& request, Backend& backend) {
    auto effects = effectsOf(request, backend);
    if (effects)
        std::stable_sort(
            effects->begin(), effects->end(),
            [](const PartEffect& a, const PartEffect& b) { return a.logRatio < b.logRatio; });
    return effects;
}

}  // namespace headloom
