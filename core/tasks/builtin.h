#pragma once

#include "core/base/rng.h"
#include "core/tasks/task.h"

#include <memory>
#include <string>
#include <vector>

namespace headloom {

TaskChoices fourWitnessesChoices();
Result<std::unique_ptr<Task>> makeFourWitnesses(const SettingValues& values);
TaskChoices voteAutomatonChoices();
Result<std::unique_ptr<Task>> makeVoteAutomaton(const SettingValues& values);
TaskChoices pointerChainChoices();
Result<std::unique_ptr<Task>> makePointerChain(const SettingValues& values);
TaskChoices pointerChain2Choices();
Result<std::unique_ptr<Task>> makePointerChain2(const SettingValues& values);
TaskChoices directHopsChoices();
Result<std::unique_ptr<Task>> makeDirectHops(const SettingValues& values);
TaskChoices lookBackBankChoices();
Result<std::unique_ptr<Task>> makeLookBackBank(const SettingValues& values);
TaskChoices relationsChoices();
Result<std::unique_ptr<Task>> makeRelations(const SettingValues& values);
TaskChoices keyRetrievalChoices();
Result<std::unique_ptr<Task>> makeKeyRetrieval(const SettingValues& values);
TaskChoices orderedKeysChoices();
Result<std::unique_ptr<Task>> makeOrderedKeys(const SettingValues& values);
TaskChoices pairCountingChoices();
Result<std::unique_ptr<Task>> makePairCounting(const SettingValues& values);
TaskChoices noisyRecurrenceChoices();
Result<std::unique_ptr<Task>> makeNoisyRecurrence(const SettingValues& values);
TaskChoices inductionChoices();
Result<std::unique_ptr<Task>> makeInduction(const SettingValues& values);

/// The random numbers of one sample: a stream of its own for each index of each split.
inline Rng sampleRng(Split split, std::uint64_t seed, std::uint64_t index) {
    return Rng(seed, 2 * index + (split == Split::heldOut ? 1 : 0));
}

/// A fifth of all numbers, by a hash that knows nothing of their digits.
bool isHeldOut(std::uint64_t number);
/// A fifth of all prompts.
bool isHeldOut(const std::vector<int>& prompt);

/// Where prompts are few they are shared out between the splits by hash: draws until a prompt is of
/// the split. `draw` gives the tokens of a fresh prompt; a task's ranges see to it that both splits
/// have some.
template <class Draw>
std::vector<int> drawFor(Split split, Draw draw) {
    std::vector<int> prompt;
    do {
        prompt = draw();
    } while (isHeldOut(prompt) != (split == Split::heldOut));
    return prompt;
}
/// Fewer prompts than this are shared out by hash; of more, two streams hardly draw the same.
constexpr double fewPrompts = 1e7;

template <class List>
void shuffle(List& list, Rng& rng) {
    for (std::size_t i = list.size() - 1; i > 0; --i)
        std::swap(list[i], list[rng.below(static_cast<std::uint32_t>(i + 1))]);
}

/// The tokens first, first + 1, ... ("a", "b", ...), `count` of them.
std::vector<std::string> characterRange(char first, int count);
/// "four" up to twenty, digits above; `inWords(4, "symbol")` is "four symbols".
std::string inWords(int number);
std::string inWords(int number, const std::string& noun);
std::string capitalised(std::string text);

/// A refused prompt: cause and remedy.
tl::unexpected<Error> badPrompt(std::string what, std::string remedy);
/// Refuses an empty prompt and ids outside the vocabulary.
Result<void> checkPrompt(const std::vector<int>& prompt, const TaskInfo& info);

}  // namespace headloom
