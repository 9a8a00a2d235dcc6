#pragma once

#include "core/models/model.h"
#include "core/tasks/task.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headloom {

/// One of many prompts.
struct NamedPrompt {
    std::string name;         ///< "example 7", "line 12": how an error calls it
    std::vector<int> tokens;  ///< what is given
    std::optional<Example> truth;
};

/// The prompts that something is averaged over, in their order.
class PromptSet {
  public:
    PromptSet() = default;  ///< no prompts

    /// Held-out examples of a task from number `first` on: those of the same numbers everywhere
    /// else. Errors: no examples, a number below 0.
    static Result<PromptSet> ofTask(std::shared_ptr<const Task> task, std::int64_t first,
                                    int count);
    /// A prompt a line of UTF-8; lines of nothing but white space are skipped. A prompt of the task
    /// (may be null) has its truth, any other is free text. Errors, with the line's number: what is
    /// no UTF-8, what the vocabulary cannot read, more tokens than the model reads; no prompt at
    /// all. `name` is what the errors call the text.
    static Result<PromptSet> ofText(std::string_view text, const std::string& name,
                                    const Model& model, const Task* task);
    /// The same of a file. Errors: one that cannot be read, or is larger than `mostBytes`.
    static Result<PromptSet> ofFile(const std::filesystem::path& path, const Model& model,
                                    const Task* task);
    static constexpr std::size_t mostBytes = std::size_t{16} << 20;

    int count() const { return task_ ? count_ : static_cast<int>(typed_.size()); }
    /// Drawn anew at every call; from any thread.
    NamedPrompt at(int index) const;
    /// How many tokens of each the model reads; none where they are not all of one length.
    std::optional<int> length() const;
    /// TaskInfo::exactRows of the prompts' task.
    bool exactRows() const { return exactRows_; }
    /// "held-out examples 0 to 199 of pointer-chain", "12 prompts of probes.txt".
    const std::string& words() const { return words_; }

  private:
    std::shared_ptr<const Task> task_;  ///< null: the prompts are `typed_`
    std::int64_t first_ = 0;
    int count_ = 0;
    std::vector<NamedPrompt> typed_;
    bool exactRows_ = false;
    std::string words_;
};

}  // namespace headloom
