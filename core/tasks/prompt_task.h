#pragma once

#include "core/tasks/builtin.h"

#include <utility>
#include <vector>

namespace headloom {

/// A task whose answers follow from its prompt alone and whose prompts are shared out between
/// training and held-out by hash: no prompt is ever in both.
class PromptTask : public Task {
  public:
    const TaskInfo& info() const final { return info_; }
    Example example(Split split, std::uint64_t seed, std::uint64_t index) const final {
        return answered(drawn(split, seed, index), true);
    }
    Example unlabelled(Split split, std::uint64_t seed, std::uint64_t index) const final {
        return answered(drawn(split, seed, index), false);
    }
    Result<Example> fromPrompt(const std::vector<int>& prompt) const final {
        if (auto fine = checkPrompt(prompt, info_); !fine) return tl::unexpected(fine.error());
        if (auto fine = check(prompt); !fine) return tl::unexpected(fine.error());
        return answered(prompt, true);
    }

  protected:
    /// A fresh prompt of either split.
    virtual std::vector<int> draw(Rng& rng) const = 0;
    /// Why a non-empty prompt out of the vocabulary is not one of this task.
    virtual Result<void> check(const std::vector<int>& prompt) const = 0;
    /// Targets and, with `labels`, evidence and steps of a prompt that `check` accepts.
    virtual Example answered(std::vector<int> prompt, bool labels) const = 0;

    /// An example of a given sequence that is only read out, with nothing in it yet.
    static Example blank(std::vector<int> prompt, bool labels) {
        Example example;
        example.promptLength = example.inputLength = static_cast<int>(prompt.size());
        example.targets.assign(prompt.size(), -1);
        example.evidence.resize(labels ? prompt.size() : 0);
        example.steps.resize(labels ? prompt.size() : 0);
        example.tokens = std::move(prompt);
        return example;
    }

    TaskInfo info_;

  private:
    std::vector<int> drawn(Split split, std::uint64_t seed, std::uint64_t index) const {
        Rng rng = sampleRng(split, seed, index);
        return drawFor(split, [&] { return draw(rng); });
    }
};

/// Uniform in 0..n-1.
inline int below(Rng& rng, int n) {
    return static_cast<int>(rng.below(static_cast<std::uint32_t>(n)));
}

}  // namespace headloom
