#include "core/tasks/prompt_task.h"

#include <fmt/format.h>

#include <numeric>

namespace headloom {

namespace {

class KeyRetrieval : public PromptTask {
  public:
    explicit KeyRetrieval(const SettingValues& values)
        : nKeys_(values.whole("keys")),
          nValues_(values.whole("values")),
          nPairs_(values.whole("pairs")),
          nQuestions_(values.whole("questions")),
          firstPair_(nKeys_ + nValues_) {
        info_.id = "key-retrieval";
        info_.title = "Many keys";
        info_.explanation = fmt::format(
            "{} of a key and its value are given in random order, a token each, then {} from among "
            "them, all visible at once; each of these names its value. One position asks for one "
            "thing, so one ordinary head suffices and interleaving brings nothing but cost: an "
            "example of where it does not help.",
            capitalised(inWords(nPairs_, "pair")), inWords(nQuestions_, "key"));
        std::vector<std::string> tokens = characterRange('a', nKeys_);
        for (std::string& value : characterRange('0', nValues_)) tokens.push_back(std::move(value));
        for (int key = 0; key < nKeys_; ++key)
            for (int value = 0; value < nValues_; ++value)
                tokens.push_back(fmt::format("{}={};", tokens[static_cast<std::size_t>(key)],
                                             tokens[static_cast<std::size_t>(nKeys_ + value)]));
        info_.vocabulary = Vocabulary(std::move(tokens));
        info_.inputLength = nPairs_ + nQuestions_;
        info_.generated = false;
        info_.settings = values.all();
    }

  private:
    bool isPair(int token) const { return token >= firstPair_; }
    int keyOf(int pair) const { return (pair - firstPair_) / nValues_; }
    int valueOf(int pair) const { return nKeys_ + (pair - firstPair_) % nValues_; }

    std::vector<int> draw(Rng& rng) const override {
        std::vector<int> keys(static_cast<std::size_t>(nKeys_));
        std::iota(keys.begin(), keys.end(), 0);
        shuffle(keys, rng);
        keys.resize(static_cast<std::size_t>(nPairs_));
        std::vector<int> tokens;
        for (const int key : keys)
            tokens.push_back(firstPair_ + key * nValues_ + below(rng, nValues_));
        shuffle(keys, rng);
        tokens.insert(tokens.end(), keys.begin(), keys.begin() + nQuestions_);
        return tokens;
    }

    Result<void> check(const std::vector<int>& prompt) const override {
        const std::string remedy = fmt::format(
            "write pairs, then keys that are among them, such as {}{}ba",
            info_.vocabulary.text(firstPair_), info_.vocabulary.text(firstPair_ + nValues_ + 1));
        if (static_cast<int>(prompt.size()) > info_.inputLength)
            return badPrompt(fmt::format("it has {} tokens, but at most {} fit", prompt.size(),
                                         info_.inputLength),
                             "leave out pairs or keys");
        std::vector<char> known(static_cast<std::size_t>(nKeys_));
        std::size_t at = 0;
        for (; at < prompt.size() && isPair(prompt[at]); ++at) {
            char& seen = known[static_cast<std::size_t>(keyOf(prompt[at]))];
            if (seen)
                return badPrompt(
                    fmt::format("{} has two values", info_.vocabulary.text(keyOf(prompt[at]))),
                    "give each key one value");
            seen = 1;
        }
        if (at == prompt.size()) return badPrompt("it asks for no key", remedy);
        for (; at < prompt.size(); ++at) {
            const std::string text = info_.vocabulary.text(prompt[at]);
            if (prompt[at] >= nKeys_)
                return badPrompt(fmt::format("token {} ({}) is not a key", at, text), remedy);
            if (!known[static_cast<std::size_t>(prompt[at])])
                return badPrompt(fmt::format("{} has no value", text), remedy);
        }
        return {};
    }

    Example answered(std::vector<int> prompt, bool labels) const override {
        Example example = blank(std::move(prompt), labels);
        std::vector<std::size_t> pairOf(static_cast<std::size_t>(nKeys_));
        for (std::size_t row = 0; row < example.tokens.size(); ++row) {
            const int token = example.tokens[row];
            if (isPair(token)) {
                pairOf[static_cast<std::size_t>(keyOf(token))] = row;
                continue;
            }
            const std::size_t at = pairOf[static_cast<std::size_t>(token)];
            example.targets[row] = valueOf(example.tokens[at]);
            if (!labels) continue;
            example.evidence[row] = {static_cast<int>(at)};
            example.steps[row] = fmt::format("{} is {}", info_.vocabulary.text(token),
                                             info_.vocabulary.text(example.targets[row]));
        }
        return example;
    }

    int nKeys_, nValues_, nPairs_, nQuestions_, firstPair_;
};

}  // namespace

TaskChoices keyRetrievalChoices() {
    using Kind = TaskSetting::Kind;
    return {{{"keys", "Keys", "How many different keys there are.", Kind::wholeNumber, "16", 4, 26},
             {"values", "Values", "How many different values there are.", Kind::wholeNumber, "8", 2,
              10},
             {"pairs", "Pairs", "How many keys get a value in a prompt.", Kind::wholeNumber, "8", 2,
              26},
             {"questions", "Questions", "How many of them are asked for, one a position.",
              Kind::wholeNumber, "4", 1, 26}},
            {}};
}

Result<std::unique_ptr<Task>> makeKeyRetrieval(const SettingValues& values) {
    const int keys = values.whole("keys"), pairs = values.whole("pairs"),
              questions = values.whole("questions");
    if (pairs > keys)
        return badSetting("pairs",
                          fmt::format("{} pairs need as many keys, but there are {}", pairs, keys),
                          fmt::format("give 2 to {}, or more keys", keys));
    if (questions > pairs)
        return badSetting(
            "questions",
            fmt::format("{} keys cannot be asked for among {} pairs", questions, pairs),
            fmt::format("give 1 to {}, or more pairs", pairs));
    return std::make_unique<KeyRetrieval>(values);
}

}  // namespace headloom
