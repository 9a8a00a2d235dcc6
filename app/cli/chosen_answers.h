#pragma once

#include "core/session/ablation_effect.h"

#include <optional>
#include <vector>

namespace headloom::cli {

/// The answers that --step means: that one of the chain, or all of them. Errors: no such step, a
/// model that says nothing at any of its tokens.
Result<std::vector<AnswerAt>> chosenAnswers(const ChainRun& run, std::optional<int> step);

}  // namespace headloom::cli
