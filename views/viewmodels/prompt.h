#pragma once

#include "core/base/error.h"
#include "core/session/chain_run.h"

#include <memory>
#include <string>

namespace headloom {

/// The sequence of a session, in the task's tokens.
struct PromptPlan {
    std::vector<int> prompt;
    std::optional<Example> truth;
    std::string freeReason;  ///< why there is no truth; empty where there is one
};

/// The held-out example `index` of a task.
PromptPlan examplePlan(const Task& task, int index);
/// What the user typed: with its truth if it is a prompt of the task, or else fed as it is. Errors:
/// an empty prompt, text outside the vocabulary.
Result<PromptPlan> typedPlan(const Task& task, const std::string& text);

/// The plan as a request for one model, in the model's own tokens. Errors: text that this model's
/// vocabulary lacks, more tokens than its context.
Result<ChainRequest> requestFor(const PromptPlan& plan, const Task& task,
                                std::shared_ptr<const Model> model, bool onItsOwn);

}  // namespace headloom
