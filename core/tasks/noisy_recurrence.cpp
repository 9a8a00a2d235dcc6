#include "core/tasks/prompt_task.h"

#include <fmt/format.h>

#include <cmath>
#include <numeric>

namespace headloom {

namespace {

constexpr std::uint64_t tableSeed = 20260224;  // the same table for everyone
constexpr int largestTable = 65536;

class NoisyRecurrence : public PromptTask {
  public:
    explicit NoisyRecurrence(const SettingValues& values)
        : nSymbols_(values.whole("symbols")),
          order_(values.whole("order")),
          length_(values.whole("length")),
          noise_(values.decimal("noise")),
          table_(static_cast<std::size_t>(std::lround(std::pow(nSymbols_, order_)))) {
        Rng rng(tableSeed, static_cast<std::uint64_t>(100 * nSymbols_ + order_));
        for (int& entry : table_) entry = below(rng, nSymbols_);
        info_.id = "noisy-recurrence";
        info_.title = "Noisy recurrence";
        info_.explanation = fmt::format(
            "{0} are given. Each follows from the {1} before it by a fixed random table of {2} "
            "entries, but is replaced by a random one with probability {3}. Every position from "
            "number {4} on must say what the table makes of the last {1}, noise or not: there is "
            "no pattern in the table, so it must be learnt by heart, and the positions before must "
            "be kept apart. MHA and IHA get there alike.",
            capitalised(inWords(length_, "symbol")), order_, table_.size(), noise_, order_ - 1);
        info_.vocabulary = Vocabulary(characterRange('0', nSymbols_));
        info_.inputLength = length_;
        info_.generated = false;
        info_.settings = values.all();
    }

  private:
    /// The entry for the `order` symbols that end before `end`.
    int follows(const std::vector<int>& tokens, std::size_t end) const {
        std::size_t at = 0;
        for (std::size_t i = end - static_cast<std::size_t>(order_); i < end; ++i)
            at = at * static_cast<std::size_t>(nSymbols_) + static_cast<std::size_t>(tokens[i]);
        return table_[at];
    }

    std::vector<int> draw(Rng& rng) const override {
        std::vector<int> tokens;
        for (int i = 0; i < length_; ++i) {
            const bool random = i < order_ || rng.uniform() < noise_;
            tokens.push_back(random ? below(rng, nSymbols_) : follows(tokens, tokens.size()));
        }
        return tokens;
    }

    Result<void> check(const std::vector<int>& prompt) const override {
        if (static_cast<int>(prompt.size()) <= length_) return {};
        return badPrompt(
            fmt::format("it has {} symbols, but at most {} fit", prompt.size(), length_),
            fmt::format("type 1 to {} digits below {}", length_, nSymbols_));
    }

    Example answered(std::vector<int> prompt, bool labels) const override {
        Example example = blank(std::move(prompt), labels);
        for (auto row = static_cast<std::size_t>(order_) - 1; row < example.tokens.size(); ++row) {
            example.targets[row] = follows(example.tokens, row + 1);
            if (!labels) continue;
            std::string seen;
            std::vector<int>& evidence = example.evidence[row];
            evidence.resize(static_cast<std::size_t>(order_));
            std::iota(evidence.begin(), evidence.end(), static_cast<int>(row) - order_ + 1);
            for (const int at : evidence)
                seen += info_.vocabulary.text(example.tokens[static_cast<std::size_t>(at)]);
            example.steps[row] = fmt::format("{} gives {}", seen, example.targets[row]);
        }
        return example;
    }

    int nSymbols_, order_, length_;
    double noise_;
    std::vector<int> table_;  ///< by the symbols as digits, the oldest first
};

}  // namespace

TaskChoices noisyRecurrenceChoices() {
    using Kind = TaskSetting::Kind;
    return {{{"symbols", "Symbols", "How many different symbols there are.", Kind::wholeNumber, "4",
              2, 10},
             {"order", "Order",
              "How many symbols decide the next one; the table has symbols to "
              "this power entries.",
              Kind::wholeNumber, "4", 1, 8},
             {"length", "Length", "How many symbols are given.", Kind::wholeNumber, "16", 8, 64},
             {"noise", "Noise", "How likely a symbol is replaced by a random one.", Kind::decimal,
              "0.15", 0.05, 1}},
            {}};
}

Result<std::unique_ptr<Task>> makeNoisyRecurrence(const SettingValues& values) {
    const int symbols = values.whole("symbols"), order = values.whole("order");
    const double entries = std::pow(symbols, order);
    if (entries > largestTable)
        return badSetting("order",
                          fmt::format("{} symbols to the power of {} are {} entries, more than {}",
                                      symbols, order, entries, largestTable),
                          "give a lower order or fewer symbols");
    return std::make_unique<NoisyRecurrence>(values);
}

}  // namespace headloom
