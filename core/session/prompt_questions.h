#pragma once

#include "core/session/ablation_effect.h"
#include "core/session/prompt_question.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace headloom {

using Question = std::shared_ptr<const PromptQuestion>;

/// Table "answers", one line: the accuracy and share of exact chains of the run, as Evaluator
/// counts them fed the true tokens, the probability of the answers' tokens (answersOf) and their
/// loss. `exactRows`: TaskInfo's. Of a filter, which says nothing, no number exists.
Question askAnswers(bool exactRows);

struct HeadsAsked {
    std::optional<int> layer;  ///< this one only
    PatternKind patterns = PatternKind::tiles;
    RedundancyThresholds thresholds;
};
/// Tables "heads", the measures of every head and tile, and "layers", how many of a layer's
/// patterns are distinct and dead (surveyLayer).
Question askHeads(const ModelConfig& config, const HeadsAsked& asked);

/// Table "similarity": the cosine of every two patterns of a layer (redundancyOf), a line a pair.
/// Errors: no two patterns to compare.
Result<Question> askSimilarity(const ModelConfig& config, std::optional<int> layer,
                               PatternKind patterns);

struct CutsAsked {
    std::vector<Cut> cuts;      ///< each alone
    std::optional<int> answer;  ///< this answer of a chain only, from 0
};
/// Table "ranking": what the answers of a prompt lose without each of the parts (effectsOf).
Question askCuts(const CutsAsked& asked);

struct SharesAsked {
    std::optional<int> answer;  ///< this answer of a chain only, from 0
    int against = -1;           ///< LogitTarget::against
    bool heads = false;         ///< the tiles of a head as one part
};
/// Table "parts": what each part adds to the logit of an answer (attributeLogit), as a mean over
/// the answers of the prompt; and "logit", the whole. Errors: a model that has no such parts.
Result<Question> askShares(const Model& model, const SharesAsked& asked);

/// Table "lens": what the answers of a prompt would be if the model ended before a layer, between
/// its attention and MLP, or after the last one (logitLens); means over these answers. Errors: a
/// model that says nothing.
Result<Question> askLens(const Model& model, std::optional<int> answer = {});

struct FlowAsked {
    std::optional<int> answer;  ///< of this answer of a chain only, from 0
    std::optional<int> row;     ///< of this token instead of the answers
    std::optional<int> tokens;  ///< that every prompt has: each has a line; none: they differ
    bool rolloutAlone = false;  ///< without the flow, which long prompts have no time for
};
/// Table "flow": what the tokens that answer take from others through the layers up to each one, as
/// rollout and as flow (token_flow.h): from the evidence, themselves, the token before, the first
/// one and all others, each group as one; and through all layers from every token. Means over the
/// answers of the prompt that have such tokens. Errors: a model that says nothing.
Result<Question> askFlow(const Model& model, const FlowAsked& asked);

/// Table "cross_heads": the cross-head share of every head's and tile's scores, over all of them
/// and over those of the evidence (semantics.md). Of the layers where a score can be split.
Question askCrossHeads(const ModelConfig& config);
/// Tables "cell", the score of one cell, its cross-head share and that of its row's evidence, and
/// "terms", what it is the sum of. A prompt without these tokens has no such numbers. Errors: a
/// part that is no cell, or that the model does not have.
Result<Question> askCell(const ModelConfig& config, const ModelPart& cell);

/// Asks for the maps of all layers. Those that have no room are made again a layer at a time; where
/// parts are off only those of the pass itself are right.
void askForMaps(ChainRequest& request);
/// Lines of the heads of a layer, each followed by its tiles where P > 1.
std::vector<AveragedLine> headLines(const ModelConfig& config, int layer);
/// Answers of a run, or only one of them; empty where the run has no such answer.
std::vector<AnswerAt> answersAsked(const ChainRun& run, std::optional<int> answer);

}  // namespace headloom
