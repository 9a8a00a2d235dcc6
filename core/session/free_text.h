#pragma once

#include "core/models/model.h"
#include "core/tasks/task.h"

namespace headloom {

/// Text that no generator knows: what a model of other people's making is tried on. There is one
/// example, a text to begin with, and nothing is true or evidence in it. Rows of its Example have
/// no targets at all.
class FreeText : public Task {
  public:
    /// `start` are the tokens of the example, in the model's own vocabulary; at least one.
    FreeText(const Model& model, std::vector<int> start);

    const TaskInfo& info() const override { return info_; }
    Example example(Split split, std::uint64_t seed, std::uint64_t index) const override;
    /// Always an error, whose words say that there is no true continuation.
    Result<Example> fromPrompt(const std::vector<int>& prompt) const override;

  private:
    TaskInfo info_;
    std::vector<int> start_;
};

/// Whether a sample of this task has anything to predict.
bool hasTruth(const Example& example);

}  // namespace headloom
