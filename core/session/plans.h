#pragma once

#include "core/session/recipe.h"

#include <span>
#include <string>

namespace headloom {

/// One arm: what it changes in the task's plain recipe.
struct Arm {
    const char* id;
    const char* title;
    void (*change)(Recipe&);
};

/// How a task is trained: what `fill` sets is common to its arms. The sizes that follow from the
/// task (tokens, context, slots) are there before.
struct Plan {
    const char* task;
    void (*fill)(Recipe&);
    std::span<const Arm> arms;
};

/// Null for an unknown task.
const Plan* planOf(const std::string& task);

}  // namespace headloom
