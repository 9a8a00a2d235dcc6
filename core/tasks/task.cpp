#include "core/tasks/task.h"

#include "core/tasks/builtin.h"

#include <algorithm>

namespace headloom {

namespace {

struct Entry {
    const char* id;
    TaskChoices (*choices)();
    Result<std::unique_ptr<Task>> (*make)(const SettingValues&);
};
constexpr Entry entries[] = {{"four-witnesses", fourWitnessesChoices, makeFourWitnesses},
                             {"pointer-chain", pointerChainChoices, makePointerChain},
                             {"look-back-bank", lookBackBankChoices, makeLookBackBank},
                             {"relations", relationsChoices, makeRelations},
                             {"cpm-3", pairCountingChoices, makePairCounting},
                             {"key-retrieval", keyRetrievalChoices, makeKeyRetrieval},
                             {"ordered-keys", orderedKeysChoices, makeOrderedKeys},
                             {"vote-automaton", voteAutomatonChoices, makeVoteAutomaton},
                             {"pointer-chain-2", pointerChain2Choices, makePointerChain2},
                             {"direct-hops", directHopsChoices, makeDirectHops},
                             {"noisy-recurrence", noisyRecurrenceChoices, makeNoisyRecurrence},
                             {"induction", inductionChoices, makeInduction}};

Result<const Entry*> find(const std::string& id) {
    std::string known;
    for (const Entry& entry : entries) {
        if (id == entry.id) return &entry;
        known += (known.empty() ? "" : ", ") + std::string(entry.id);
    }
    return fail(Error::Kind::notFound, "task", "\"" + id + "\" is not a task",
                "use one of: " + known);
}

}  // namespace

std::vector<std::string> taskIds() {
    std::vector<std::string> ids;
    for (const Entry& entry : entries) ids.emplace_back(entry.id);
    return ids;
}

Result<TaskChoices> taskChoices(const std::string& id) {
    const auto entry = find(id);
    if (!entry) return tl::unexpected(entry.error());
    return (*entry)->choices();
}

Result<std::unique_ptr<Task>> makeTask(const std::string& id, const TaskSettings& settings) {
    const auto entry = find(id);
    if (!entry) return tl::unexpected(entry.error());
    const auto values = SettingValues::read((*entry)->choices(), settings);
    if (!values) return tl::unexpected(values.error());
    return (*entry)->make(*values);
}

Batch makeBatch(const Task& task, Split split, std::uint64_t seed, std::uint64_t first,
                std::int64_t count) {
    const std::int64_t rows = task.info().inputLength, slots = task.info().nSlots;
    Batch batch{{}, Tensor::host({count, rows, slots}, DType::i32)};
    std::vector<Example> examples;
    std::vector<std::span<const int>> inputs;
    for (std::int64_t b = 0; b < count; ++b) {
        const Example& example = examples.emplace_back(
            task.unlabelled(split, seed, first + static_cast<std::uint64_t>(b)));
        assert(example.inputLength == rows);
        std::copy(example.targets.begin(), example.targets.end(),
                  batch.targets.data<std::int32_t>() + b * rows * slots);
    }
    for (const Example& example : examples)
        inputs.push_back(std::span(example.tokens).first(static_cast<std::size_t>(rows)));
    batch.ids = idsOf(task.info().vocabulary, inputs);
    return batch;
}

}  // namespace headloom
