#include "core/session/json_fields.h"
#include "core/session/recipe.h"

namespace headloom {

using nlohmann::json;

namespace {

template <class Visitor, class Settings>
void visitSettings(Visitor&& field, Settings& settings) {
    field("steps", settings.steps);
    field("seconds", settings.seconds);
    field("batch", settings.batch);
    field("learningRate", settings.learningRate);
    field("warmupSteps", settings.warmupSteps);
    field("finalFraction", settings.finalFraction);
    field("beta1", settings.beta1);
    field("beta2", settings.beta2);
    field("epsilon", settings.epsilon);
    field("weightDecay", settings.weightDecay);
    field("mixingRate", settings.mixingRate);
    field("mixingDecay", settings.mixingDecay);
    field("collapseRate", settings.collapseRate);
    field("collapseDecay", settings.collapseDecay);
    field("clipNorm", settings.clipNorm);
    field("shards", settings.shards);
    field("evaluateEvery", settings.evaluateEvery);
    field("evaluateExamples", settings.evaluateExamples);
    field("goal", settings.goal);
}

template <class Visitor, class Measures>
void visitMeasured(Visitor&& field, Measures& measured) {
    field("steps", measured.steps);
    field("examples", measured.examples);
    field("accuracy", measured.accuracy);
    field("exact", measured.exact);
    field("seconds", measured.seconds);
    field("cpuSeconds", measured.cpuSeconds);
    field("backend", measured.backend);
    field("threads", measured.threads);
}

template <class Visitor, class Mixing>
void visitMixing(Visitor&& field, Mixing& mixing) {
    field("alphaNoise", mixing.alphaNoise);
    field("collapseNoise", mixing.collapseNoise);
}

}  // namespace

std::string toJson(const Recipe& recipe) {
    json settings, mixing;
    visitSettings(FieldWriter{settings}, recipe.settings);
    mixing["start"] = nameOf(recipe.mixing.start);
    visitMixing(FieldWriter{mixing}, recipe.mixing);
    json root = {{"task", recipe.task}, {"arm", recipe.arm},
                 {"seed", recipe.seed}, {"config", json::parse(toJson(recipe.config))},
                 {"mixing", mixing},    {"settings", settings}};
    if (!recipe.taskSettings.empty()) root["taskSettings"] = recipe.taskSettings;
    if (recipe.measured) visitMeasured(FieldWriter{root["measured"]}, *recipe.measured);
    return root.dump();
}

Result<Recipe> recipeFromJson(std::string_view text) {
    const json root = json::parse(text, nullptr, false);
    if (!root.is_object())
        return fail(Error::Kind::badFile, "recipe", "is not a JSON object",
                    "train the model again");
    Recipe recipe;
    std::string wrong;
    FieldReader read{root, wrong};
    read("task", recipe.task);
    read("arm", recipe.arm);
    read("seed", recipe.seed);
    const json taskSettings = part(root, "taskSettings", wrong);
    for (const auto& [name, value] : taskSettings.items())
        FieldReader{taskSettings, wrong}(name.c_str(), recipe.taskSettings[name]);
    const json mixing = part(root, "mixing", wrong), settings = part(root, "settings", wrong),
               measured = part(root, "measured", wrong);
    std::string start(nameOf(recipe.mixing.start));
    FieldReader{mixing, wrong}("start", start);
    if (const auto known = mixingStartFrom(start))
        recipe.mixing.start = *known;
    else if (wrong.empty())
        wrong = "start";
    visitMixing(FieldReader{mixing, wrong}, recipe.mixing);
    visitSettings(FieldReader{settings, wrong}, recipe.settings);
    if (root.contains("measured"))
        visitMeasured(FieldReader{measured, wrong}, recipe.measured.emplace());
    if (!wrong.empty())
        return fail(Error::Kind::badFile, "recipe, " + wrong, "is not a value of the right kind",
                    "train the model again");
    auto config = configFromJson(part(root, "config", wrong).dump());
    if (!config) return tl::unexpected(config.error());
    recipe.config = std::move(*config);
    return recipe;
}

}  // namespace headloom
