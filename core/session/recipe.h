#pragma once

#include "core/models/config.h"
#include "core/models/weights.h"
#include "core/tasks/task.h"
#include "core/train/settings.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headloom {

/// What came of a recipe: measured once, when the training ended, on held-out examples.
struct Measured {
    std::int64_t steps = 0;  ///< updates made (fewer than settings.steps if the goal came first)
    int examples = 0;        ///< held-out examples measured on
    double accuracy = 0;     ///< of single predictions, fed the true tokens
    /// Whole samples right, the model feeding itself where it writes; rows where TaskInfo says so.
    double exact = 0;
    double seconds = 0, cpuSeconds = 0;  ///< of the training with its evaluations, all threads
    std::string backend;
    int threads = 1;
};

/// Everything that makes a trained model: rerunning a recipe with as many threads on the same
/// machine gives the same bits. Stored as JSON in the model's file (`headloom.recipe`).
struct Recipe {
    std::string task;           ///< Task id
    TaskSettings taskSettings;  ///< what was set in the task; empty: its defaults
    std::string arm;            ///< ArmInfo id, "iha"
    ModelConfig config;
    MixingInit mixing;
    TrainSettings settings;
    std::uint64_t seed = 0;
    std::optional<Measured> measured;
};

/// One way to build a model for a task, as named in tables and menus.
struct ArmInfo {
    std::string id;     ///< "mha", "mha-pm2", "mha-h4", "iha"
    std::string title;  ///< "MHA, 2 heads", "MHA, 2 heads, positions x2", ...
};

/// Arms of a task in the order of its table; the first MHA arm and the IHA arm are the pair that
/// opens first.
std::vector<ArmInfo> armsOf(const std::string& task);
/// The recipe of this arm with its default settings, on the task as set. Errors name the task, arm
/// or setting and list what there is.
Result<Recipe> makeRecipe(const std::string& task, const std::string& arm, std::uint64_t seed,
                          const TaskSettings& taskSettings = {});
/// The task that a recipe trains on. Errors: those of makeTask.
Result<std::unique_ptr<Task>> taskOf(const Recipe& recipe);

std::string toJson(const Recipe& recipe);
Result<Recipe> recipeFromJson(std::string_view text);

}  // namespace headloom
