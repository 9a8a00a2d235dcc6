#pragma once

#include "core/session/chain_run.h"

#include <functional>
#include <string>
#include <vector>

namespace headloom {

/// One answer of a model: a slot of a row, and the token that counts as right there. Where there is
/// no true token it is the one that the whole model finds most probable.
struct AnswerAt {
    int row = 0, slot = 0, token = 0;
    bool isTrue = false;  ///< the token is the true one
};
/// All answers of a run: those with a true token, or of every row from the end of the prompt on
/// where there is no truth.
std::vector<AnswerAt> answersOf(const ChainRun& run);

/// Log of the softmax of some logits at a token, in nats and in double: a probability that rounds
/// to 0 still has one.
double logProbability(std::span<const float> logits, int token);

/// A token before and after. Ranks count from 0, the most probable.
struct TokenChange {
    int token = 0;
    double before = 0, after = 0;  ///< probabilities, softmax(logit)
    int rankBefore = 0, rankAfter = 0;
};
/// The `count` most probable tokens of either run at an answer, and its own token, by what they
/// were before. Both runs have the same rows.
std::vector<TokenChange> tokenChanges(const ChainRun& before, const ChainRun& after,
                                      const AnswerAt& at, int count);

/// What a change does to some answers.
struct AnswersEffect {
    double before = 0, after = 0;          ///< mean probability of the answers' tokens
    double logRatio = 0;                   ///< mean of log(after / before), in nats
    double rankBefore = 0, rankAfter = 0;  ///< mean ranks of the answers' tokens, from 0
    int flipped = 0;                       ///< answers whose most probable token is another one
};
/// Both runs have the same rows. Precondition: there are answers.
AnswersEffect answersEffect(const ChainRun& before, const ChainRun& after,
                            const std::vector<AnswerAt>& answers);

/// What switching off one part does to them.
struct PartEffect : AnswersEffect {
    Cut cut;
};

struct RankRequest {
    std::shared_ptr<const ChainRun> run;  ///< whole, made with keepResiduals
    std::vector<Cut> cuts;                ///< each alone
    std::vector<AnswerAt> answers;        ///< which count
    std::shared_ptr<const ActivationTrace> donor;
    std::function<void(double)> progress;  ///< share of the cuts that are done
    std::function<bool()> cancelled;
};

/// The effect of every cut, in their order. Each is a pass from its layer up that computes what the
/// cut changes, to the rounding of one without the others' help; cuts of a layer that stand next to
/// each other share what they leave as it was.
/// Errors: those of checkAblation, nothing to measure, interrupted.
Result<std::vector<PartEffect>> effectsOf(const RankRequest& request, Backend& backend);
/// The same, the one that costs the answers most first.
Result<std::vector<PartEffect>> rankCuts(const RankRequest& request, Backend& backend);

}  // namespace headloom
