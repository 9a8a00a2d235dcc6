#include "views/viewmodels/prompt.h"

#include "core/session/free_text.h"

#include <algorithm>

namespace headloom {

namespace {
/// Tokens that a model writes on its own where nothing says how many there should be.
constexpr int mostFreeSteps = 48;
}  // namespace

PromptPlan examplePlan(const Task& task, int index) {
    PromptPlan plan;
    plan.truth =
        task.example(Split::heldOut, heldOutSeed, static_cast<std::uint64_t>(std::max(0, index)));
    const auto given = plan.truth->tokens.begin();
    plan.prompt.assign(given, given + plan.truth->promptLength);
    if (auto none = task.fromPrompt(plan.prompt); !none && !hasTruth(*plan.truth)) {
        plan.truth.reset();
        plan.freeReason = none.error().what;
    }
    return plan;
}

Result<PromptPlan> typedPlan(const Task& task, const std::string& text) {
    PromptPlan plan;
    auto ids = task.info().vocabulary.encode(text);
    if (!ids) return tl::unexpected(ids.error());
    if (ids->empty())
        return fail(Error::Kind::badInput, "prompt", "it is empty",
                    "type at least one token, or press Escape to keep the old prompt");
    plan.prompt = std::move(*ids);
    if (auto truth = task.fromPrompt(plan.prompt))
        plan.truth = std::move(*truth);
    else
        plan.freeReason = truth.error().what;
    return plan;
}

Result<ChainRequest> requestFor(const PromptPlan& plan, const Task& task,
                                std::shared_ptr<const Model> model, bool onItsOwn) {
    ChainRequest request;
    request.mode = onItsOwn ? ChainMode::onItsOwn : ChainMode::trueChain;
    const Vocabulary& own = model->vocabulary;
    const Vocabulary& tasks = task.info().vocabulary;
    request.prompt = plan.prompt;
    if (own.empty() || own.tokens() == tasks.tokens()) {
        request.truth = plan.truth;
    } else {
        auto ids = own.encode(tasks.decode(plan.prompt));
        if (!ids) return tl::unexpected(ids.error());
        request.prompt = std::move(*ids);
    }
    const auto length = static_cast<int>(request.prompt.size());
    if (length > model->config.nCtx)
        return fail(Error::Kind::badInput, "prompt",
                    "it has " + std::to_string(length) + " tokens and the model takes at most " +
                        std::to_string(model->config.nCtx),
                    "shorten it");
    if (onItsOwn && !request.truth)
        request.maxSteps = std::clamp(model->config.nCtx - length, 1, mostFreeSteps);
    request.model = std::move(model);
    return request;
}

}  // namespace headloom
