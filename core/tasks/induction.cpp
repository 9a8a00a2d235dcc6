#include "core/tasks/prompt_task.h"

#include <fmt/format.h>

#include <numeric>

namespace headloom {

namespace {

/// Where the last token occurred before: the latest earlier position, or -1.
int lastTime(const std::vector<int>& tokens) {
    for (std::size_t at = tokens.size() - 1; at-- > 0;)
        if (tokens[at] == tokens.back()) return static_cast<int>(at);
    return -1;
}

class Induction : public PromptTask {
  public:
    explicit Induction(const SettingValues& values)
        : nSymbols_(values.whole("symbols")),
          block_(values.whole("block")),
          length_(values.whole("length")) {
        info_.id = "induction";
        info_.title = "Induction";
        info_.explanation = fmt::format(
            "A block of {} is given, all different, and then one of them again. The model goes on "
            "as the block did: each of the {} that follow is what came after the current symbol "
            "the last time. Where the copy begins is drawn anew each time, so no fixed distance "
            "helps: a first layer must tell each symbol what came before it, a second one look for "
            "the current symbol there. This is the induction head of the literature.",
            inWords(block_, "symbol"), inWords(length_));
        info_.vocabulary = Vocabulary(characterRange('a', nSymbols_));
        info_.inputLength = block_ + length_;
        info_.settings = values.all();
    }

  private:
    std::vector<int> draw(Rng& rng) const override {
        std::vector<int> tokens(static_cast<std::size_t>(nSymbols_));
        std::iota(tokens.begin(), tokens.end(), 0);
        shuffle(tokens, rng);
        tokens.resize(static_cast<std::size_t>(block_));
        tokens.push_back(tokens[static_cast<std::size_t>(below(rng, block_ - length_))]);
        return tokens;
    }

    Result<void> check(const std::vector<int>& prompt) const override {
        if (static_cast<int>(prompt.size()) > block_ + 1)
            return badPrompt(
                fmt::format("it has {} symbols, but at most {} fit", prompt.size(), block_ + 1),
                "shorten the block");
        if (lastTime(prompt) >= 0) return {};
        return badPrompt(
            fmt::format("{} does not occur before", info_.vocabulary.text(prompt.back())),
            "end with a symbol that the block has, such as abcdb");
    }

    Example answered(std::vector<int> tokens, bool labels) const override {
        Example example;
        example.promptLength = static_cast<int>(tokens.size());
        example.inputLength = example.promptLength + length_ - 1;
        const auto rows = static_cast<std::size_t>(example.inputLength);
        example.targets.assign(rows, -1);
        example.evidence.resize(labels ? rows : 0);
        example.steps.resize(labels ? rows : 0);
        for (int step = 1; step <= length_; ++step) {
            const std::size_t row = tokens.size() - 1;
            const int successor = lastTime(tokens) + 1;
            const int next = tokens[static_cast<std::size_t>(successor)];
            example.targets[row] = next;
            if (labels) {
                example.evidence[row] = {successor};
                example.steps[row] =
                    fmt::format("symbol {} of {}: after {} came {}", step, length_,
                                info_.vocabulary.text(tokens.back()), info_.vocabulary.text(next));
            }
            tokens.push_back(next);
        }
        example.tokens = std::move(tokens);
        return example;
    }

    int nSymbols_, block_, length_;
};

}  // namespace

TaskChoices inductionChoices() {
    using Kind = TaskSetting::Kind;
    return {{{"symbols", "Symbols", "How many different symbols there are.", Kind::wholeNumber,
              "16", 4, 26},
             {"block", "Block", "How many of them the block has, each once.", Kind::wholeNumber,
              "12", 4, 26},
             {"length", "Copied", "How many symbols the model writes; fewer than the block has.",
              Kind::wholeNumber, "6", 1, 25}},
            {}};
}

Result<std::unique_ptr<Task>> makeInduction(const SettingValues& values) {
    const int symbols = values.whole("symbols"), block = values.whole("block"),
              length = values.whole("length");
    if (block > symbols)
        return badSetting("block",
                          fmt::format("{} different symbols cannot be had from {}", block, symbols),
                          fmt::format("give 4 to {}, or more symbols", symbols));
    if (length >= block)
        return badSetting(
            "length",
            fmt::format("a block of {} has fewer than {} symbols to go on with", block, length),
            fmt::format("give 1 to {}, or a longer block", block - 1));
    return std::make_unique<Induction>(values);
}

}  // namespace headloom
