#include "core/session/recipe.h"

#include "core/session/plans.h"

namespace headloom {

std::vector<ArmInfo> armsOf(const std::string& task) {
    std::vector<ArmInfo> arms;
    if (const Plan* plan = planOf(task))
        for (const Arm& arm : plan->arms) arms.push_back({arm.id, arm.title});
    return arms;
}

Result<std::unique_ptr<Task>> taskOf(const Recipe& recipe) {
    return makeTask(recipe.task, recipe.taskSettings);
}

Result<Recipe> makeRecipe(const std::string& task, const std::string& arm, std::uint64_t seed,
                          const TaskSettings& taskSettings) {
    const auto made = makeTask(task, taskSettings);
    if (!made) return tl::unexpected(made.error());
    const Plan* plan = planOf(task);
    assert(plan);  // every task has its arms
    std::string known;
    for (const Arm& candidate : plan->arms) {
        known += (known.empty() ? "" : ", ") + std::string(candidate.id);
        if (arm != candidate.id) continue;
        const TaskInfo& info = (*made)->info();
        Recipe recipe;
        recipe.task = task;
        // all of them, so that the recipe stays what it is when a default changes
        if (!taskSettings.empty()) recipe.taskSettings = info.settings;
        recipe.arm = arm;
        recipe.seed = seed;
        recipe.config.dVocab = info.vocabulary.size();
        recipe.config.dVocabOut = info.nClasses;
        recipe.config.nCtx = info.inputLength;
        recipe.config.nSlots = info.nSlots;
        plan->fill(recipe);
        candidate.change(recipe);
        return recipe;
    }
    return fail(Error::Kind::notFound, "arm", "\"" + arm + "\" is not an arm of " + task,
                "use one of: " + known);
}

}  // namespace headloom
