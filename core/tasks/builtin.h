#pragma once

#include "core/base/rng.h"
#include "core/tasks/task.h"

#include <memory>
#include <string>
#include <vector>

namespace headloom {

std::unique_ptr<Task> makeFourWitnesses();
std::unique_ptr<Task> makePointerChain();
std::unique_ptr<Task> makeLookBackBank();

/// The random numbers of one sample: a stream of its own for each index of each split.
inline Rng sampleRng(Split split, std::uint64_t seed, std::uint64_t index) {
    return Rng(seed, 2 * index + (split == Split::heldOut ? 1 : 0));
}

/// The tokens first, first + 1, ... ("a", "b", ...), `count` of them.
std::vector<std::string> characterRange(char first, int count);

/// A refused prompt: cause and remedy.
tl::unexpected<Error> badPrompt(std::string what, std::string remedy);
/// Refuses an empty prompt and ids outside the vocabulary.
Result<void> checkPrompt(const std::vector<int>& prompt, const TaskInfo& info);

}  // namespace headloom
