#include "core/tasks/builtin.h"

#include <fmt/format.h>

#include <cmath>

namespace headloom {

namespace {

class LookBackBank : public Task {
  public:
    explicit LookBackBank(const SettingValues& values)
        : nSymbols_(values.whole("symbols")),
          nSlots_(values.whole("slots")),
          length_(values.whole("length")) {
        info_.id = "look-back-bank";
        info_.title = "Two heads, four jobs";
        info_.explanation = fmt::format(
            "{} are given. Every position that has {} before it names them, each in an answer slot "
            "of its own: 1 back, 2 back and so on. With four slots, two ordinary heads have to "
            "blend the four look-backs; two interleaved heads have four pseudo-queries for the "
            "four jobs. Four ordinary heads do it as well.",
            capitalised(inWords(length_, "random symbol")), inWords(nSlots_, "symbol"));
        info_.vocabulary = Vocabulary(characterRange('a', nSymbols_));
        info_.nSlots = nSlots_;
        if (nSlots_ > 1)
            for (int slot = 1; slot <= nSlots_; ++slot)
                info_.slotNames.push_back(fmt::format("{} back", slot));
        info_.inputLength = length_;
        info_.generated = false;
        info_.exactRows = true;
        info_.settings = values.all();
    }
    const TaskInfo& info() const override { return info_; }

    Example example(Split split, std::uint64_t seed, std::uint64_t index) const override {
        return withTargets(draw(split, seed, index), true);
    }
    Example unlabelled(Split split, std::uint64_t seed, std::uint64_t index) const override {
        return withTargets(draw(split, seed, index), false);
    }

    Result<Example> fromPrompt(const std::vector<int>& prompt) const override {
        if (auto fine = checkPrompt(prompt, info_); !fine) return tl::unexpected(fine.error());
        if (static_cast<int>(prompt.size()) > length_)
            return badPrompt(
                fmt::format("it has {} symbols, but at most {} fit", prompt.size(), length_),
                fmt::format("type 1 to {} symbols out of a..{}", length_,
                            info_.vocabulary.text(nSymbols_ - 1)));
        return withTargets(prompt, true);
    }

  private:
    std::vector<int> draw(Split split, std::uint64_t seed, std::uint64_t index) const {
        Rng rng = sampleRng(split, seed, index);
        const auto fresh = [&] {
            std::vector<int> tokens(static_cast<std::size_t>(length_));
            for (int& token : tokens)
                token = static_cast<int>(rng.below(static_cast<std::uint32_t>(nSymbols_)));
            return tokens;
        };
        return std::pow(nSymbols_, length_) < fewPrompts ? drawFor(split, fresh) : fresh();
    }

    Example withTargets(std::vector<int> tokens, bool labels) const {
        const auto slots = static_cast<std::size_t>(nSlots_);
        Example example;
        example.promptLength = example.inputLength = static_cast<int>(tokens.size());
        example.targets.assign(tokens.size() * slots, -1);
        example.evidence.resize(labels ? tokens.size() : 0);
        example.steps.resize(labels ? tokens.size() : 0);
        for (std::size_t row = slots; row < tokens.size(); ++row) {
            std::string answer;
            for (std::size_t slot = 0; slot < slots; ++slot) {
                const int symbol = tokens[row - 1 - slot];
                example.targets[row * slots + slot] = symbol;
                if (!labels) continue;
                example.evidence[row].push_back(static_cast<int>(row - slots + slot));
                answer += " " + info_.vocabulary.text(symbol);
            }
            if (labels) example.steps[row] = fmt::format("1 to {} back:{}", nSlots_, answer);
        }
        example.tokens = std::move(tokens);
        return example;
    }

    int nSymbols_, nSlots_, length_;
    TaskInfo info_;
};

}  // namespace

TaskChoices lookBackBankChoices() {
    using Kind = TaskSetting::Kind;
    return {{{"symbols", "Symbols", "How many different symbols there are.", Kind::wholeNumber, "8",
              2, 26},
             {"slots", "Answer slots", "How many symbols back each position names, one a slot.",
              Kind::wholeNumber, "4", 1, 16},
             {"length", "Length", "How many symbols are given; more than there are slots.",
              Kind::wholeNumber, "16", 8, 64}},
            {}};
}

Result<std::unique_ptr<Task>> makeLookBackBank(const SettingValues& values) {
    const int slots = values.whole("slots"), length = values.whole("length");
    if (length <= slots)
        return badSetting("length",
                          fmt::format("{} symbols have none with {} before it", length, slots),
                          fmt::format("give {} to 64, or fewer slots", slots + 1));
    return std::make_unique<LookBackBank>(values);
}

}  // namespace headloom
