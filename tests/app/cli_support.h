#pragma once

#include "core/io/model_file.h"
#include "core/io/safetensors.h"
#include "core/session/recipe.h"
#include "tests/support/run_program.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace headloom::testing {

inline Ended cli(std::vector<std::string> arguments) {
    return runProgram(HEADLOOM_CLI, std::move(arguments));
}

/// An untrained model of a task's arm, with its recipe, as `train` would save it.
inline Model untrained(const std::string& task, const std::string& arm,
                       const std::function<void(ModelConfig&)>& change = {}) {
    Recipe recipe = makeRecipe(task, arm, 1).value();
    if (change) change(recipe.config);
    Model model;
    model.name = arm;
    model.config = recipe.config;
    model.weights = initialWeights(recipe.config, 1, recipe.mixing);
    model.vocabulary = makeTask(task).value()->info().vocabulary;
    model.recipe = toJson(recipe);
    return model;
}

inline std::string saved(const TemporaryFolder& folder, const std::string& name,
                         const Model& model) {
    const auto path = folder / name;
    if (!saveModel(path, model)) throw std::runtime_error("cannot save " + path.string());
    return path;
}

}  // namespace headloom::testing
