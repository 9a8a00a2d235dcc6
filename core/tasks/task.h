#pragma once

#include "core/base/error.h"
#include "core/models/batch.h"
#include "core/models/vocabulary.h"
#include "core/tasks/settings.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace headloom {

/// One drawn sample of a task, with what the task's generator knows about it.
struct Example {
    /// The true sequence: prompt, then (for generated chains) the chain that follows from it; one
    /// number a position (Vocabulary).
    std::vector<int> tokens;
    int promptLength = 0;  ///< tokens given; the rest of `tokens` is what a model should write
    int inputLength = 0;   ///< tokens fed: all but the last where each token predicts the next one
    /// targets[row * nSlots + slot], row < inputLength; -1: the row predicts nothing that counts.
    std::vector<int> targets;
    /// Token positions that state the answer of a row (semantics.md "Evidence of a step"); may be
    /// empty. Sorted, no duplicates; all <= row where the task reads from left to right.
    std::vector<std::vector<int>> evidence;
    /// What a row's step is, in a few words ("hop 2 of 4: c=f"); may be empty.
    std::vector<std::string> steps;
};

enum class Split { training, heldOut };

/// The seed under which held-out examples are numbered, in tables, on the command line and on
/// screen: example 7 is the same for everyone.
constexpr std::uint64_t heldOutSeed = 0;

/// What does not change from sample to sample.
struct TaskInfo {
    std::string id;           ///< "four-witnesses"
    std::string title;        ///< "Four witnesses"
    std::string explanation;  ///< one paragraph for the window
    Vocabulary vocabulary;    ///< more than one token a position only where nothing is generated
    int nClasses = 0;         ///< answers are among the first so many tokens; 0: among all
    int nSlots = 1;
    std::vector<std::string> slotNames;  ///< "1 back", ...; empty if nSlots is 1
    int inputLength = 0;                 ///< the longest input, hence nCtx
    /// True where the model writes the chain itself, token by token; false where the sequence is
    /// given and each row is only read out (the look-back bank).
    bool generated = true;
    /// What `exact` counts: whole samples, or rows where each row is an exercise of its own with
    /// several answers (the look-back bank).
    bool exactRows = false;
    TaskSettings settings;  ///< every setting with the value in use
};

/// A toy task: a pure function from (split, seed, index) to a sample. Training and held-out samples
/// never share a prompt where prompts are few, and come from different streams elsewhere.
class Task {
  public:
    virtual ~Task() = default;
    virtual const TaskInfo& info() const = 0;
    virtual Example example(Split split, std::uint64_t seed, std::uint64_t index) const = 0;
    /// The same sample without evidence and steps, for training, which reads neither.
    virtual Example unlabelled(Split split, std::uint64_t seed, std::uint64_t index) const {
        return example(split, seed, index);
    }
    /// The true continuation and labels of a prompt that the user typed, or a sentence on why it is
    /// not a prompt of this task.
    virtual Result<Example> fromPrompt(const std::vector<int>& prompt) const = 0;
};

/// Every task's id, in the order of the menu.
std::vector<std::string> taskIds();
/// What can be set in a task. Error: an unknown task.
Result<TaskChoices> taskChoices(const std::string& id);
/// Errors: an unknown task; a setting that is unknown, of the wrong kind, out of its range or
/// impossible together with the others (with its name, range and remedy in the sentence).
Result<std::unique_ptr<Task>> makeTask(const std::string& id, const TaskSettings& settings = {});

/// Samples first .. first+count-1 of a stream as one batch.
Batch makeBatch(const Task& task, Split split, std::uint64_t seed, std::uint64_t first,
                std::int64_t count);

}  // namespace headloom
