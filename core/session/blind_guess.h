#pragma once

#include "core/tasks/task.h"

namespace headloom {

/// What is reached without looking at the input: the level that a learning curve starts from.
struct BlindGuess {
    double accuracy = 0;  ///< always giving each slot's commonest answer
    double loss = 0;      ///< knowing how often each answer comes: its entropy in nats
};

/// Counted over the first `examples` held-out examples, slot by slot.
BlindGuess blindGuess(const Task& task, int examples);

}  // namespace headloom
