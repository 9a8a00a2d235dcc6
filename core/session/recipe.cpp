#include "core/session/recipe.h"

namespace headloom {

namespace {

LayerConfig plainLayer() {
    LayerConfig layer;
    layer.mask = MaskKind::token;
    return layer;
}

void interleave(ModelConfig& config, int nPseudo) {
    for (LayerConfig& layer : config.layers) {
        layer.kind = AttentionKind::iha;
        layer.nPseudo = nPseudo;
    }
}

/// One arm: what it changes in the task's plain recipe.
struct Arm {
    const char* id;
    const char* title;
    void (*change)(Recipe&);
};

// The two offset tasks: IHA's virtual positions turn P times as far a token, which alone sharpens
// offset heads, so MHA with doubled positions stands beside it; and MHA with more heads, because
// scarce heads are what the tasks are about.
constexpr Arm offsetArms[] = {
    {"mha", "MHA, 2 heads", [](Recipe&) {}},
    {"mha-pm2", "MHA, 2 heads, positions x2",
     [](Recipe& recipe) { recipe.config.layers[0].positionFactor = 2; }},
    {"mha-h4", "MHA, 4 heads", [](Recipe& recipe) { recipe.config.nHeads = 4; }},
    {"iha", "IHA, 2 heads x 2", [](Recipe& recipe) { interleave(recipe.config, 2); }}};

constexpr Arm chainArms[] = {
    {"mha", "MHA, 4 heads", [](Recipe&) {}},
    {"iha", "IHA, 4 heads x 4", [](Recipe& recipe) { interleave(recipe.config, 4); }},
    {"iha-p2", "IHA, 2 heads x 2", [](Recipe& recipe) {
         recipe.config.nHeads = 2;
         interleave(recipe.config, 2);
     }}};

/// One attention layer without MLP: what it writes is linear in what its heads fetch.
void offsetRecipe(Recipe& recipe) {
    recipe.config.dModel = 32;
    recipe.config.nHeads = 2;
    recipe.config.layers = {plainLayer()};
    recipe.config.layers[0].positions = PositionKind::virtualToken;
    recipe.settings.learningRate = 1e-2;
}

void fourWitnesses(Recipe& recipe) {
    offsetRecipe(recipe);
    recipe.settings.steps = 1800;
}

void lookBackBank(Recipe& recipe) {
    offsetRecipe(recipe);
    recipe.settings.steps = 1500;
}

void pointerChain(Recipe& recipe) {
    recipe.config.dModel = 64;
    recipe.config.nHeads = 4;
    recipe.config.dMlp = 4 * recipe.config.dModel;
    recipe.config.learnedPositions = true;
    recipe.config.layers = {plainLayer(), plainLayer()};
    recipe.settings.learningRate = 1.5e-3;  // twice that never leaves the plateau at this width
    recipe.settings.steps = 1500;
}

struct Plan {
    const char* task;
    void (*fill)(Recipe&);
    std::span<const Arm> arms;
};
const Plan plans[] = {{"four-witnesses", fourWitnesses, offsetArms},
                      {"pointer-chain", pointerChain, chainArms},
                      {"look-back-bank", lookBackBank, offsetArms}};

const Plan* planOf(const std::string& task) {
    for (const Plan& plan : plans)
        if (task == plan.task) return &plan;
    return nullptr;
}

}  // namespace

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
