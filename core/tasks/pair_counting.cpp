#include "core/tasks/prompt_task.h"

#include <fmt/format.h>

#include <algorithm>

namespace headloom {

namespace {

/// CPM-3. There is no evidence: every token counts for every row.
class PairCounting : public PromptTask {
  public:
    explicit PairCounting(const SettingValues& values)
        : length_(values.whole("length")),
          modulus_(values.whole("modulus")),
          factor_(values.whole("factor")) {
        info_.id = "cpm-3";
        info_.title = "Counting pairs (CPM-3)";
        info_.explanation = fmt::format(
            "{0} from 0 to {1} are given, all visible at once. For every number x of them the "
            "model "
            "must say how many ordered pairs (a, b) of places there are, a = b included, for which "
            "x + {2} times the number at a + the number at b is a multiple of {3}. {4} "
            "With an MLP one layer of two ordinary heads, of four, or of two interleaved ones "
            "counts nearly all of them right; which is ahead differs from seed to seed.",
            capitalised(inWords(length_, "number")), modulus_ - 1, factor_, modulus_,
            factor_ % modulus_ == 1 ? "With this factor the order of a pair does not matter."
                                    : "The order of a pair matters.");
        std::vector<std::string> tokens = characterRange('0', modulus_);
        // a count looks unlike a number of the input: "12" in a prompt is 1 and 2
        for (int count = 0; count <= length_ * length_; ++count)
            tokens.push_back(fmt::format("#{}", count));
        info_.vocabulary = Vocabulary(std::move(tokens));
        info_.inputLength = length_;
        info_.generated = false;
        info_.settings = values.all();
    }

  private:
    std::vector<int> draw(Rng& rng) const override {
        std::vector<int> numbers(static_cast<std::size_t>(length_));
        for (int& number : numbers) number = below(rng, modulus_);
        return numbers;
    }

    Result<void> check(const std::vector<int>& prompt) const override {
        const bool digits = std::all_of(prompt.begin(), prompt.end(),
                                        [this](int token) { return token < modulus_; });
        if (digits && static_cast<int>(prompt.size()) == length_) return {};
        return badPrompt(digits ? fmt::format("it has {} numbers, but the counts are over {}",
                                              prompt.size(), length_)
                                : std::string("it has a count in it"),
                         fmt::format("type {} digits from 0 to {}", length_, modulus_ - 1));
    }

    Example answered(std::vector<int> prompt, bool labels) const override {
        Example example = blank(std::move(prompt), labels);
        const std::vector<int>& x = example.tokens;
        for (std::size_t row = 0; row < x.size(); ++row) {
            int count = 0;
            for (const int a : x)
                for (const int b : x) count += (x[row] + factor_ * a + b) % modulus_ == 0;
            example.targets[row] = modulus_ + count;
            if (labels)
                example.steps[row] =
                    fmt::format("for {}: {} of {} pairs", x[row], count, length_ * length_);
        }
        return example;
    }

    int length_, modulus_, factor_;
};

}  // namespace

TaskChoices pairCountingChoices() {
    using Kind = TaskSetting::Kind;
    return {
        {{"length", "Numbers", "How many numbers are given.", Kind::wholeNumber, "6", 4, 12},
         {"modulus", "Modulus", "The numbers are below it, and sums that it divides count.",
          Kind::wholeNumber, "5", 3, 10},
         {"factor", "Factor",
          "What the first number of a pair is multiplied by; the order of a pair matters unless "
          "the factor leaves 1 when divided by the modulus.",
          Kind::wholeNumber, "12", 0, 99}},
        {}};
}

Result<std::unique_ptr<Task>> makePairCounting(const SettingValues& values) {
    return std::make_unique<PairCounting>(values);
}

}  // namespace headloom
