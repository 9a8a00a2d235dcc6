#include "core/tasks/builtin.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace headloom {

namespace {

constexpr int nSymbols = 6;
constexpr int promptLength = 5;
constexpr int chainLength = 16;
constexpr int nPrompts = 6 * 6 * 6 * 6 * 6;

/// A witness saw the symbol `lag` back and names another one; its word has a weight. The books were
/// drawn for chains that do not repeat themselves, before any training. No two sets of weights
/// that name different symbols have the same sum, so there are no ties.
struct Witness {
    int lag, weight;
    std::array<int, nSymbols> book;  ///< what it names on seeing 0..5
};
constexpr std::array<Witness, 4> witnesses = {{{2, 8, {0, 3, 1, 2, 5, 4}},
                                               {3, 6, {3, 4, 1, 2, 5, 0}},
                                               {4, 5, {5, 4, 2, 3, 0, 1}},
                                               {5, 4, {3, 2, 4, 5, 0, 1}}}};

/// What a witness names at the end of `tokens`.
int wordOf(const Witness& witness, const std::vector<int>& tokens) {
    const int seen = tokens[tokens.size() - static_cast<std::size_t>(witness.lag)];
    return witness.book[static_cast<std::size_t>(seen)];
}

/// The symbol that gets the most weight at the end of `tokens`.
int verdict(const std::vector<int>& tokens) {
    std::array<int, nSymbols> votes{};
    for (const Witness& witness : witnesses)
        votes[static_cast<std::size_t>(wordOf(witness, tokens))] += witness.weight;
    return static_cast<int>(std::max_element(votes.begin(), votes.end()) - votes.begin());
}

/// "8 + 5": the weights of those who named `symbol`.
std::string weightsFor(int symbol, const std::vector<int>& tokens) {
    std::string text;
    for (const Witness& witness : witnesses)
        if (wordOf(witness, tokens) == symbol)
            text += (text.empty() ? "" : " + ") + std::to_string(witness.weight);
    return text;
}

/// A fifth of the prompts, by a hash that knows nothing of their digits (SplitMix64's finaliser).
bool isHeldOut(int prompt) {
    auto hash = static_cast<std::uint64_t>(prompt) + 0x9e3779b97f4a7c15;
    hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9;
    hash = (hash ^ (hash >> 27)) * 0x94d049bb133111eb;
    return (hash ^ (hash >> 31)) % 5 == 0;
}

Example withChain(std::vector<int> tokens, bool labels) {
    Example example;
    example.promptLength = promptLength;
    example.inputLength = promptLength + chainLength - 1;
    const auto rows = static_cast<std::size_t>(example.inputLength);
    example.targets.assign(rows, -1);
    example.evidence.resize(labels ? rows : 0);
    example.steps.resize(labels ? rows : 0);
    for (int step = 1; step <= chainLength; ++step) {
        const std::size_t row = tokens.size() - 1;
        const int next = verdict(tokens);
        example.targets[row] = next;
        if (labels) {
            for (auto witness = witnesses.rbegin(); witness != witnesses.rend(); ++witness)
                example.evidence[row].push_back(static_cast<int>(tokens.size()) - witness->lag);
            example.steps[row] = fmt::format("symbol {} of {}: {} has {} of 23", step, chainLength,
                                             next, weightsFor(next, tokens));
        }
        tokens.push_back(next);
    }
    example.tokens = std::move(tokens);
    return example;
}

class FourWitnesses : public Task {
  public:
    FourWitnesses() {
        info_.id = "four-witnesses";
        info_.title = "Four witnesses";
        info_.explanation =
            "Five symbols are given and sixteen follow. Four witnesses decide each: they saw the "
            "symbols 2, 3, 4 and 5 steps before it, each turns what it saw into another symbol by "
            "a code book of its own, and the symbol with the most weight (8, 6, 5, 4) is written. "
            "One position must fetch four things and keep them apart, which two ordinary heads "
            "cannot do and two interleaved heads can; four ordinary heads mostly can as well.";
        info_.vocabulary = Vocabulary(characterRange('0', nSymbols));
        info_.inputLength = promptLength + chainLength - 1;
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
        if (prompt.size() != promptLength)
            return badPrompt(fmt::format("it has {} symbols, but the witnesses need {}",
                                         prompt.size(), promptLength),
                             "type 5 symbols out of 0 1 2 3 4 5, such as 02513");
        return withChain(prompt, true);
    }

  private:
    static std::vector<int> drawPrompt(Split split, std::uint64_t seed, std::uint64_t index) {
        Rng rng = sampleRng(split, seed, index);
        int prompt;
        do {
            prompt = static_cast<int>(rng.below(nPrompts));
        } while (isHeldOut(prompt) != (split == Split::heldOut));
        std::vector<int> tokens(promptLength);
        for (int& token : tokens) {
            token = prompt % nSymbols;
            prompt /= nSymbols;
        }
        return tokens;
    }

    TaskInfo info_;
};

}  // namespace

std::unique_ptr<Task> makeFourWitnesses() {
    return std::make_unique<FourWitnesses>();
}

}  // namespace headloom
