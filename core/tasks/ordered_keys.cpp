#include "core/tasks/prompt_task.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace headloom {

namespace {

constexpr const char* places[] = {"first", "second", "third", "fourth"};
constexpr int mostQuestions = static_cast<int>(std::size(places));

/// Pairs of a key and a value, each a sum of two tokens, then one position that asks for several
/// keys at once: a sum of tokens that stand for a key at a place, "b1+a2". Tokens: the values, then
/// the keys, then the keys at the first place, at the second, and so on.
class OrderedKeys : public PromptTask {
  public:
    explicit OrderedKeys(const SettingValues& values)
        : nKeys_(values.whole("keys")),
          nValues_(values.whole("values")),
          nPairs_(values.whole("pairs")),
          nQuestions_(values.whole("questions")) {
        info_.id = "ordered-keys";
        info_.title = "Ordered keys";
        info_.explanation = fmt::format(
            "{} of a key and its value are given in random order, key and value summed at one "
            "position. The last position asks for {} at once, each with its place in the order, "
            "and names {} there. One row has to fetch several things separately, so heads are "
            "what is scarce: as many ordinary heads as keys do it, two do not. Two interleaved "
            "heads may, but only where their pseudo-heads part ways, which depends on the start.",
            capitalised(inWords(nPairs_, "pair")), inWords(nQuestions_, "key"),
            nQuestions_ == 1 ? "its value" : "their values in that order");
        std::vector<std::string> tokens = characterRange('0', nValues_);
        for (const std::string& key : characterRange('a', nKeys_)) tokens.push_back(key);
        for (int place = 0; place < nQuestions_; ++place)
            for (const std::string& key : characterRange('a', nKeys_))
                tokens.push_back(fmt::format("{}{}", key, place + 1));
        info_.vocabulary = Vocabulary(std::move(tokens), -1, std::max(2, nQuestions_));
        info_.nClasses = nValues_;
        info_.nSlots = nQuestions_;
        for (int place = 0; place < nQuestions_ && nQuestions_ > 1; ++place)
            info_.slotNames.push_back(fmt::format("{} key", places[place]));
        info_.inputLength = nPairs_ + 1;
        info_.generated = false;
        info_.settings = values.all();
    }

  private:
    bool isValue(int token) const { return token < nValues_; }
    bool isKey(int token) const { return token >= nValues_ && token < nValues_ + nKeys_; }
    bool isQuestion(int token) const { return token >= nValues_ + nKeys_; }
    int keyOf(int token) const { return (token - nValues_) % nKeys_; }
    int placeOf(int token) const { return (token - nValues_) / nKeys_ - 1; }
    std::string textOfKey(int key) const { return info_.vocabulary.text(nValues_ + key); }

    /// The key and the value of a pair, whichever was typed first; no key: it is not a pair.
    struct Pair {
        int key = -1, value = -1;
    };
    Pair pairAt(int position) const {
        const std::vector<int> parts = info_.vocabulary.parts(position);
        if (parts.size() != 2) return {};
        for (const int key : {0, 1})
            if (isKey(parts[static_cast<std::size_t>(key)]) &&
                isValue(parts[static_cast<std::size_t>(1 - key)]))
                return {keyOf(parts[static_cast<std::size_t>(key)]),
                        parts[static_cast<std::size_t>(1 - key)]};
        return {};
    }

    std::vector<int> draw(Rng& rng) const override {
        std::vector<int> keys(static_cast<std::size_t>(nKeys_));
        std::iota(keys.begin(), keys.end(), 0);
        shuffle(keys, rng);
        keys.resize(static_cast<std::size_t>(nPairs_));
        std::vector<int> tokens, asked;
        for (const int key : keys)
            tokens.push_back(info_.vocabulary.sumOf({nValues_ + key, below(rng, nValues_)}));
        shuffle(keys, rng);
        for (int place = 0; place < nQuestions_; ++place)
            asked.push_back(nValues_ + nKeys_ * (place + 1) +
                            keys[static_cast<std::size_t>(place)]);
        tokens.push_back(info_.vocabulary.sumOf(asked));
        return tokens;
    }

    std::string such() const {
        const auto text = [this](std::initializer_list<int> ids) {
            return info_.vocabulary.text(info_.vocabulary.sumOf(ids));
        };
        std::string question;
        for (int place = 0; place < nQuestions_; ++place)
            question +=
                fmt::format("{}{}{}", place > 0 ? "+" : "", textOfKey(place % 2), place + 1);
        return fmt::format("write pairs, then one question, such as {} {} {}", text({nValues_, 0}),
                           text({nValues_ + 1, 1}), question);
    }

    Result<void> check(const std::vector<int>& prompt) const override {
        if (static_cast<int>(prompt.size()) > info_.inputLength)
            return badPrompt(fmt::format("it has {} positions, but at most {} fit", prompt.size(),
                                         info_.inputLength),
                             "leave out pairs");
        std::vector<char> known(static_cast<std::size_t>(nKeys_));
        for (std::size_t at = 0; at + 1 < prompt.size(); ++at) {
            const Pair pair = pairAt(prompt[at]);
            if (pair.key < 0)
                return badPrompt(fmt::format("position {} ({}) is not a key and its value", at,
                                             info_.vocabulary.text(prompt[at])),
                                 such());
            char& seen = known[static_cast<std::size_t>(pair.key)];
            if (seen)
                return badPrompt(fmt::format("{} has two values", textOfKey(pair.key)),
                                 "give each key one value");
            seen = 1;
        }
        std::vector<char> asked(static_cast<std::size_t>(nQuestions_));
        for (const int part : info_.vocabulary.parts(prompt.back())) {
            if (!isQuestion(part)) return badPrompt("it does not end with a question", such());
            if (!known[static_cast<std::size_t>(keyOf(part))])
                return badPrompt(fmt::format("{} has no value", textOfKey(keyOf(part))), such());
            asked[static_cast<std::size_t>(placeOf(part))] += 1;
        }
        for (std::size_t place = 0; place < asked.size(); ++place)
            if (asked[place] != 1)
                return badPrompt(
                    fmt::format("it asks for {} {} key", asked[place] == 0 ? "no" : "more than one",
                                places[place]),
                    such());
        return {};
    }

    Example answered(std::vector<int> prompt, bool labels) const override {
        Example example = blank(std::move(prompt), labels);
        const auto slots = static_cast<std::size_t>(nQuestions_);
        const std::size_t last = example.tokens.size() - 1;
        example.targets.assign(example.tokens.size() * slots, -1);
        std::vector<std::size_t> pairOf(static_cast<std::size_t>(nKeys_));
        for (std::size_t row = 0; row < last; ++row)
            pairOf[static_cast<std::size_t>(pairAt(example.tokens[row]).key)] = row;
        std::vector<std::string> said(slots);
        for (const int part : info_.vocabulary.parts(example.tokens[last])) {
            const std::size_t at = pairOf[static_cast<std::size_t>(keyOf(part))];
            const auto place = static_cast<std::size_t>(placeOf(part));
            const int value = pairAt(example.tokens[at]).value;
            example.targets[last * slots + place] = value;
            if (!labels) continue;
            example.evidence[last].push_back(static_cast<int>(at));
            said[place] = fmt::format("{} is {}", textOfKey(keyOf(part)), value);
        }
        if (!labels) return example;
        // one key may be asked for at two places
        std::vector<int>& evidence = example.evidence[last];
        std::sort(evidence.begin(), evidence.end());
        evidence.erase(std::unique(evidence.begin(), evidence.end()), evidence.end());
        for (const std::string& part : said)
            example.steps[last] += (example.steps[last].empty() ? "" : ", ") + part;
        return example;
    }

    int nKeys_, nValues_, nPairs_, nQuestions_;
};

}  // namespace

TaskChoices orderedKeysChoices() {
    using Kind = TaskSetting::Kind;
    return {{{"keys", "Keys", "How many different keys there are.", Kind::wholeNumber, "16", 4, 26},
             {"values", "Values", "How many different values there are.", Kind::wholeNumber, "8", 2,
              10},
             {"pairs", "Pairs", "How many keys get a value in a prompt.", Kind::wholeNumber, "8", 2,
              26},
             {"questions", "Questions", "How many keys the last position asks for at once.",
              Kind::wholeNumber, "4", 1, mostQuestions}},
            {{"two-keys",
              "as many keys as heads",
              {{"keys", "8"}, {"pairs", "4"}, {"questions", "2"}}}}};
}

Result<std::unique_ptr<Task>> makeOrderedKeys(const SettingValues& values) {
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
    return std::make_unique<OrderedKeys>(values);
}

}  // namespace headloom
