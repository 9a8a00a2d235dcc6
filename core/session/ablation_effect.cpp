#include "core/session/ablation_effect.h"

#include "core/models/batch.h"
#include "core/models/decoder.h"
#include "core/models/guarded.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace headloom {

namespace {

/// Of logits from row `firstRow` on.
std::span<const float> logitsAt(const Tensor& logits, std::int64_t firstRow,
                                const ModelConfig& config, const AnswerAt& at) {
    const std::int64_t width = logits.size(2), classes = config.nClasses();
    return logits.values<float>().subspan(
        static_cast<std::size_t>((at.row - firstRow) * width + at.slot * classes),
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

/// `after` has the logits from row `firstRow` on.
AnswersEffect effectOn(const Tensor& before, const Tensor& after, std::int64_t firstRow,
                       const ModelConfig& config, const std::vector<AnswerAt>& answers) {
    AnswersEffect effect;
    const double share = 1.0 / static_cast<double>(answers.size());
    for (const AnswerAt& at : answers) {
        const auto whole = logitsAt(before, 0, config, at),
                   less = logitsAt(after, firstRow, config, at);
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

/// Passes over a run with one more part off. What a part leaves as it was is not computed again:
/// the layers below its own, the keys, values and other heads of its own, and in the last layer
/// what no answer is read from.
class CutPasses {
  public:
    CutPasses(const RankRequest& request, Backend& backend)
        : request_(request),
          run_(*request.run),
          backend_(backend),
          decoder_(decoderWithout(run_.ablation)),
          firstAnswer_(std::min_element(request.answers.begin(), request.answers.end(),
                                        [](const auto& a, const auto& b) { return a.row < b.row; })
                           ->row) {}

    /// What the cut does to the answers.
    Result<AnswersEffect> effectOf(const Cut& cut) {
        Ablation all = run_.ablation;
        all.cuts.push_back(cut);
        if (request_.donor) all.donor = request_.donor;
        if (auto fine = checkAblation(all, run_.model->config, run_.rows); !fine)
            return tl::unexpected(fine.error());
        ForwardOptions options = optionsWith(all);
        if (auto seen = see(cut.part.layer, options.firstRow); !seen)
            return tl::unexpected(seen.error());
        options.firstLayer = cut.part.layer;
        options.input = unchanged_.residPre;
        const bool hasOtherWeights = cut.part.kind == ModelPart::Kind::weight;
        if (!hasOtherWeights) options.unchanged = &unchanged_;
        const auto trace = hasOtherWeights ? decoderWithout(all).forward(ids(), options)
                                           : decoder_.forward(ids(), options);
        if (!trace) return tl::unexpected(trace.error());
        return effectOn(run_.trace.logits, onHost(trace->logits, backend_), options.firstRow,
                        run_.model->config, request_.answers);
    }

  private:
    Decoder decoderWithout(const Ablation& ablation) const {
        return {run_.model->config, place(withoutWeights(ablation, run_.model->weights), backend_),
                backend_};
    }

    Tensor ids() const {
        const auto fed =
            std::span<const int>(run_.tokens).first(static_cast<std::size_t>(run_.rows));
        return idsOf(run_.model->vocabulary, {fed});
    }

    ForwardOptions optionsWith(const Ablation& ablation) const {
        ForwardOptions options;
        options.captureMaps = options.keepActivations = false;
        options.cancelled = request_.cancelled;
        options.changes = layerChanges(ablation, run_.model->config, run_.rows);
        const bool mayLeaveOut = options.changes.empty() || sameAtAllTokens(options.changes.back());
        options.firstRow = mayLeaveOut ? firstAnswer_ : 0;
        return options;
    }

    /// Brings what a layer computes without the cuts into `unchanged_`.
    Result<void> see(int layer, std::int64_t firstRow) {
        if (layer == layer_ && firstRow == firstRow_) return {};
        ForwardOptions options = optionsWith(run_.ablation);
        options.firstRow = firstRow;
        const auto at = static_cast<std::size_t>(layer);
        if (layer > 0 && at < run_.residuals.size()) {
            options.firstLayer = layer;
            options.input = place(run_.residuals[at], backend_);
        }
        options.eachLayer = [&](int index, const LayerTrace& trace) {
            if (index == layer) unchanged_ = trace;
        };
        if (auto trace = decoder_.forward(ids(), options); !trace)
            return tl::unexpected(trace.error());
        layer_ = layer;
        firstRow_ = firstRow;
        return {};
    }

    const RankRequest& request_;
    const ChainRun& run_;
    Backend& backend_;
    Decoder decoder_;
    int firstAnswer_;
    LayerTrace unchanged_;  ///< of layer_, from firstRow_ on if that is the last
    int layer_ = -1;
    std::int64_t firstRow_ = -1;
};

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
    return effectOn(before.trace.logits, after.trace.logits, 0, before.model->config, answers);
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
        CutPasses passes(request, backend);
        for (const Cut& cut : request.cuts) {
            if (request.cancelled && request.cancelled())
                return fail(Error::Kind::interrupted, {}, "stopped");
            const auto effect = passes.effectOf(cut);
            if (!effect) return tl::unexpected(effect.error());
            effects.push_back({*effect, cut});
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
