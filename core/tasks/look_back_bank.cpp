#include "core/tasks/builtin.h"

#include <fmt/format.h>

namespace headloom {

namespace {

constexpr int nSymbols = 8;
constexpr int length = 16;
constexpr int nSlots = 4;

Example withTargets(std::vector<int> tokens, const Vocabulary& vocabulary, bool labels) {
    Example example;
    example.promptLength = example.inputLength = static_cast<int>(tokens.size());
    example.targets.assign(tokens.size() * nSlots, -1);
    example.evidence.resize(labels ? tokens.size() : 0);
    example.steps.resize(labels ? tokens.size() : 0);
    for (std::size_t row = nSlots; row < tokens.size(); ++row) {
        std::string answer;
        for (std::size_t slot = 0; slot < nSlots; ++slot) {
            const int symbol = tokens[row - 1 - slot];
            example.targets[row * nSlots + slot] = symbol;
            if (!labels) continue;
            example.evidence[row].push_back(static_cast<int>(row - nSlots + slot));
            answer += " " + vocabulary.text(symbol);
        }
        if (labels) example.steps[row] = fmt::format("1 to {} back:{}", nSlots, answer);
    }
    example.tokens = std::move(tokens);
    return example;
}

class LookBackBank : public Task {
  public:
    LookBackBank() {
        info_.id = "look-back-bank";
        info_.title = "Two heads, four jobs";
        info_.explanation =
            "Sixteen random symbols are given. Every position from the fifth on names the four "
            "symbols before it, each in an answer slot of its own: 1 back, 2 back, 3 back, 4 back. "
            "Two ordinary heads have to blend the four look-backs; two interleaved heads have four "
            "pseudo-queries for the four jobs. Four ordinary heads do it as well.";
        info_.vocabulary = Vocabulary(characterRange('a', nSymbols));
        info_.nSlots = nSlots;
        for (int slot = 1; slot <= nSlots; ++slot)
            info_.slotNames.push_back(fmt::format("{} back", slot));
        info_.inputLength = length;
        info_.generated = false;
    }
    const TaskInfo& info() const override { return info_; }

    Example example(Split split, std::uint64_t seed, std::uint64_t index) const override {
        return withTargets(draw(split, seed, index), info_.vocabulary, true);
    }
    Example unlabelled(Split split, std::uint64_t seed, std::uint64_t index) const override {
        return withTargets(draw(split, seed, index), info_.vocabulary, false);
    }

    Result<Example> fromPrompt(const std::vector<int>& prompt) const override {
        if (auto fine = checkPrompt(prompt, info_); !fine) return tl::unexpected(fine.error());
        if (prompt.size() > length)
            return badPrompt(
                fmt::format("it has {} symbols, but at most {} fit", prompt.size(), length),
                fmt::format("type 1 to {} symbols out of a..h", length));
        return withTargets(prompt, info_.vocabulary, true);
    }

  private:
    static std::vector<int> draw(Split split, std::uint64_t seed, std::uint64_t index) {
        Rng rng = sampleRng(split, seed, index);
        std::vector<int> tokens(length);
        for (int& token : tokens) token = static_cast<int>(rng.below(nSymbols));
        return tokens;
    }

    TaskInfo info_;
};

}  // namespace

std::unique_ptr<Task> makeLookBackBank() {
    return std::make_unique<LookBackBank>();
}

}  // namespace headloom
