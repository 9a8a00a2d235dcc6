#pragma once

#include "core/io/model_file.h"
#include "core/io/safetensors.h"
#include "core/session/recipe.h"
#include "tests/support/run_program.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstring>
#include <functional>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace headloom::testing {

inline bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

inline std::vector<std::string> lines(const std::string& text) {
    std::istringstream in(text);
    std::vector<std::string> all;
    for (std::string line; std::getline(in, line);) all.push_back(line);
    return all;
}

inline bool sameWeights(const std::string& a, const std::string& b) {
    const Model one = loadModel(a).value(), other = loadModel(b).value();
    for (const auto& [name, tensor] : one.weights.entries())
        if (std::memcmp(tensor.raw(), other.weights.find(name).raw(), tensor.bytes()) != 0)
            return false;
    return true;
}

/// Starts the program without waiting; its outputs go nowhere.
inline pid_t start(std::vector<std::string> arguments) {
    const pid_t child = ::fork();
    if (child != 0) return child;
    ::close(1);
    ::close(2);
    ::open("/dev/null", O_WRONLY);
    ::open("/dev/null", O_WRONLY);
    arguments.insert(arguments.begin(), HEADLOOM_CLI);
    std::vector<char*> pointers;
    for (std::string& argument : arguments) pointers.push_back(argument.data());
    pointers.push_back(nullptr);
    ::execv(HEADLOOM_CLI, pointers.data());
    ::_exit(127);
}

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
