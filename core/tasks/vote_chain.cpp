#include "core/tasks/vote_chain.h"

#include "core/tasks/builtin.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace headloom {

namespace {

constexpr std::size_t mostWitnesses = 9;
constexpr int mostSymbols = 10;    // one digit each
constexpr int fewestPrompts = 64;  // of fewer, a fifth by hash may be none

/// What a witness names at the end of `tokens`.
int wordOf(const Witness& witness, const std::vector<int>& tokens) {
    const int seen = tokens[tokens.size() - static_cast<std::size_t>(witness.lag)];
    return witness.book[static_cast<std::size_t>(seen)];
}

/// The symbol that gets the most weight at the end of `tokens`.
int verdict(const VoteRule& rule, const std::vector<int>& tokens) {
    std::array<int, mostSymbols> votes{};
    for (const Witness& witness : rule.witnesses)
        votes[static_cast<std::size_t>(wordOf(witness, tokens))] += witness.weight;
    return static_cast<int>(std::max_element(votes.begin(), votes.end()) - votes.begin());
}

/// "8 + 5": the weights of those who named `symbol`.
std::string weightsFor(int symbol, const VoteRule& rule, const std::vector<int>& tokens) {
    std::string text;
    for (const Witness& witness : rule.witnesses)
        if (wordOf(witness, tokens) == symbol)
            text += (text.empty() ? "" : " + ") + std::to_string(witness.weight);
    return text;
}

/// What the witnesses see, as positions in ascending order.
std::vector<int> evidenceAt(const VoteRule& rule, std::size_t length) {
    std::vector<int> positions;
    for (const Witness& witness : rule.witnesses)
        positions.push_back(static_cast<int>(length) - witness.lag);
    std::sort(positions.begin(), positions.end());
    positions.erase(std::unique(positions.begin(), positions.end()), positions.end());
    return positions;
}

class VoteChain : public Task {
  public:
    VoteChain(TaskInfo info, VoteRule rule) : info_(std::move(info)), rule_(std::move(rule)) {
        info_.vocabulary = Vocabulary(characterRange('0', rule_.nSymbols));
        info_.inputLength = rule_.promptLength() + rule_.length - 1;
        for (int i = 0; i < rule_.promptLength(); ++i)
            nPrompts_ *= static_cast<std::uint32_t>(rule_.nSymbols);
        for (const Witness& witness : rule_.witnesses) totalWeight_ += witness.weight;
    }
    const TaskInfo& info() const override { return info_; }

    Example example(Split split, std::uint64_t seed, std::uint64_t index) const override {
        return withChain(drawPrompt(split, seed, index), true);
    }
    Example unlabelled(Split split, std::uint64_t seed, std::uint64_t index) const override {
        return withChain(drawPrompt(split, seed, index), false);
    }

    Result<Example> fromPrompt(const std::vector<int>& prompt) const override {
        if (auto fine = checkPrompt(prompt, info_); !fine) return tl::unexpected(fine.error());
        const int needed = rule_.promptLength();
        if (static_cast<int>(prompt.size()) == needed) return withChain(prompt, true);
        std::string symbols;
        for (const std::string& symbol : info_.vocabulary.tokens()) symbols += " " + symbol;
        const Example drawn = example(Split::heldOut, heldOutSeed, 0);
        return badPrompt(
            fmt::format("it has {} symbols, but the witnesses need {}", prompt.size(), needed),
            fmt::format(
                "type {} symbols out of{}, such as {}", needed, symbols,
                info_.vocabulary.decode({drawn.tokens.begin(), drawn.tokens.begin() + needed})));
    }

  private:
    std::vector<int> drawPrompt(Split split, std::uint64_t seed, std::uint64_t index) const {
        Rng rng = sampleRng(split, seed, index);
        std::uint32_t prompt;
        do {
            prompt = rng.below(nPrompts_);
        } while (isHeldOut(std::uint64_t{prompt}) != (split == Split::heldOut));
        const auto symbols = static_cast<std::uint32_t>(rule_.nSymbols);
        std::vector<int> tokens(static_cast<std::size_t>(rule_.promptLength()));
        for (int& token : tokens) {
            token = static_cast<int>(prompt % symbols);
            prompt /= symbols;
        }
        return tokens;
    }

    Example withChain(std::vector<int> tokens, bool labels) const {
        Example example;
        example.promptLength = rule_.promptLength();
        example.inputLength = info_.inputLength;
        const auto rows = static_cast<std::size_t>(example.inputLength);
        example.targets.assign(rows, -1);
        example.evidence.resize(labels ? rows : 0);
        example.steps.resize(labels ? rows : 0);
        for (int step = 1; step <= rule_.length; ++step) {
            const std::size_t row = tokens.size() - 1;
            const int next = verdict(rule_, tokens);
            example.targets[row] = next;
            if (labels) {
                example.evidence[row] = evidenceAt(rule_, tokens.size());
                example.steps[row] =
                    fmt::format("symbol {} of {}: {} has {} of {}", step, rule_.length, next,
                                weightsFor(next, rule_, tokens), totalWeight_);
            }
            tokens.push_back(next);
        }
        example.tokens = std::move(tokens);
        return example;
    }

    TaskInfo info_;
    VoteRule rule_;
    std::uint32_t nPrompts_ = 1;
    int totalWeight_ = 0;
};

/// A code book from its word, "031254".
Result<std::vector<int>> bookFrom(const std::string& word, std::size_t nSymbols) {
    const auto most = static_cast<char>('0' + nSymbols - 1);
    const bool fits = word.size() == nSymbols && std::all_of(word.begin(), word.end(), [&](char c) {
                          return c >= '0' && c <= most;
                      });
    if (!fits)
        return badSetting("books",
                          fmt::format("\"{}\" is not a word of {} digits 0 to {}",
                                      word.substr(0, 40), nSymbols, most),
                          "let all books have as many digits as there are symbols, each digit "
                          "below that number, such as 120 201");
    std::vector<int> book;
    for (const char c : word) book.push_back(c - '0');
    return book;
}

}  // namespace

int VoteRule::promptLength() const {
    int longest = 0;
    for (const Witness& witness : witnesses) longest = std::max(longest, witness.lag);
    return longest;
}

std::vector<TaskSetting> voteSettings(const char* books, const char* lags) {
    using Kind = TaskSetting::Kind;
    return {{"books", "Code books",
             "What each witness names on seeing 0, 1, 2 and so on: a word of digits a witness; "
             "the length of the words is the number of symbols, 2 to 10.",
             Kind::words, books, 0, 0},
            {"lags", "Lags", "How many steps back each witness sees, in the order of the books.",
             Kind::wholeNumbers, lags, 1, 9},
            {"length", "Chain length", "How many symbols follow the prompt.", Kind::wholeNumber,
             "16", 1, 64}};
}

Result<VoteRule> voteRule(const SettingValues& values, const std::vector<int>& weights) {
    const std::vector<std::string> books = values.words("books");
    const std::vector<int> lags = values.wholes("lags");
    VoteRule rule;
    rule.length = values.whole("length");
    rule.nSymbols = static_cast<int>(books.front().size());
    if (rule.nSymbols < 2 || rule.nSymbols > mostSymbols)
        return badSetting(
            "books",
            fmt::format("\"{}\" has {} digits", books.front().substr(0, 40), books.front().size()),
            fmt::format("give words of 2 to {} digits", mostSymbols));
    if (books.size() > mostWitnesses)
        return badSetting("books", fmt::format("{} witnesses are too many", books.size()),
                          fmt::format("give 1 to {} words", mostWitnesses));
    const auto counted = [&](const char* name, std::size_t count) -> Result<void> {
        if (count == books.size()) return {};
        return badSetting(
            name, fmt::format("there are {} numbers for {} code books", count, books.size()),
            fmt::format("give {} numbers, or as many books", books.size()));
    };
    if (auto fine = counted("lags", lags.size()); !fine) return tl::unexpected(fine.error());
    if (!weights.empty())
        if (auto fine = counted("weights", weights.size()); !fine)
            return tl::unexpected(fine.error());
    for (std::size_t i = 0; i < books.size(); ++i) {
        auto book = bookFrom(books[i], books.front().size());
        if (!book) return tl::unexpected(book.error());
        rule.witnesses.push_back({lags[i], weights.empty() ? 1 : weights[i], std::move(*book)});
    }
    const double prompts = std::pow(rule.nSymbols, rule.promptLength());
    if (prompts < fewestPrompts)
        return badSetting("lags",
                          fmt::format("{} symbols and a longest lag of {} make only {} prompts",
                                      rule.nSymbols, rule.promptLength(), prompts),
                          fmt::format("take more symbols or a longer lag, for at least {} prompts",
                                      fewestPrompts));
    return rule;
}

std::unique_ptr<Task> makeVoteChain(TaskInfo info, VoteRule rule) {
    return std::make_unique<VoteChain>(std::move(info), std::move(rule));
}

}  // namespace headloom
