#include "core/tasks/builtin.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace headloom {

namespace {

constexpr int mostNames = 26;      // a to z
constexpr int mostPairNames = 16;  // pairs of them: a vocabulary of 446
constexpr int nDigits = 10;

/// How many tokens a clause "a points to c" has.
enum class Layout {
    fourTokens,  ///< a = c ;
    twoTokens,   ///< a c
    oneToken     ///< "a=c;", a token for each pair
};

/// Where each name's clause starts in a prompt and what it points to; -1: no clause.
struct Clauses {
    std::array<int, mostNames> start, target;
    Clauses() {
        start.fill(-1);
        target.fill(-1);
    }
};

/// What distinguishes the three tasks of this file.
struct Kind {
    const char* id;
    const char* title;
    Layout layout;
    bool direct;  ///< the digit at once instead of one token a hop
};

class PointerChain : public Task {
  public:
    PointerChain(const Kind& kind, const SettingValues& values)
        : kind_(kind),
          nNames_(values.whole("names")),
          nChains_(values.whole("chains")),
          nHops_(values.whole("hops")),
          firstDigit_(nNames_),
          equals_(nNames_ + nDigits),
          semicolon_(equals_ + 1),
          question_(equals_ + 2),
          fullStop_(equals_ + 3),
          firstPair_(equals_ + 4) {
        info_.id = kind.id;
        info_.title = kind.title;
        info_.explanation = explanation();
        info_.vocabulary = Vocabulary(tokenTexts(), kind.direct ? -1 : fullStop_);
        const int clauses = nChains_ * nHops_ * static_cast<int>(clauseLength());
        info_.inputLength = clauses + 2 + (kind.direct ? 0 : nHops_);
        info_.settings = values.all();
        fewPrompts_ = prompts() < fewPrompts;
    }
    const TaskInfo& info() const override { return info_; }

    Example example(Split split, std::uint64_t seed, std::uint64_t index) const override {
        Rng rng = sampleRng(split, seed, index);
        const auto fresh = [&] { return drawPrompt(rng); };
        std::vector<int> prompt = fewPrompts_ ? drawFor(split, fresh) : fresh();
        const Clauses clauses = *parse(prompt);
        return withChain(std::move(prompt), clauses);
    }

    Result<Example> fromPrompt(const std::vector<int>& prompt) const override {
        if (auto fine = checkPrompt(prompt, info_); !fine) return tl::unexpected(fine.error());
        const Result<Clauses> clauses = parse(prompt);
        if (!clauses) return tl::unexpected(clauses.error());
        int hops = 0;
        for (int at = prompt.back(); isName(at); ++hops) {
            if (clauses->start[static_cast<std::size_t>(at)] < 0)
                return badPrompt(
                    fmt::format("the chain stops at {0}, which points nowhere", text(at)),
                    fmt::format("add a clause such as {}", clauseText(at, firstDigit_ + 7)));
            if (hops == nNames_)
                return badPrompt("the chain goes round in circles and never reaches a digit",
                                 "let one of its clauses point to a digit, such as " +
                                     clauseText(nNames_ - 1, firstDigit_ + 7));
            at = clauses->target[static_cast<std::size_t>(at)];
        }
        const int written = kind_.direct ? 0 : hops;
        if (static_cast<int>(prompt.size()) + written > info_.inputLength)
            return badPrompt(
                fmt::format("it has {} tokens and its chain {} steps, but together at most {} fit",
                            prompt.size(), written, info_.inputLength),
                "leave out clauses");
        return withChain(prompt, *clauses);
    }

  private:
    bool isName(int id) const { return id >= 0 && id < nNames_; }
    bool isDigit(int id) const { return id >= firstDigit_ && id < equals_; }
    std::string text(int id) const { return info_.vocabulary.text(id); }
    std::size_t clauseLength() const {
        return kind_.layout == Layout::fourTokens ? 4 : kind_.layout == Layout::twoTokens ? 2 : 1;
    }

    std::string explanation() const {
        const std::string form = kind_.layout == Layout::twoTokens
                                     ? "ac is a step from a to c, and f7 ends a chain"
                                     : "a=c; is a step from a to c, and f=7; ends a chain";
        const std::string begin =
            fmt::format("{} in random order say where each name points: {}. ",
                        capitalised(inWords(nChains_ * nHops_, "clause")), form);
        if (kind_.direct)
            return begin + fmt::format(
                               "After the question mark stands a name, and the model must say the "
                               "digit {} away at once, without writing the way down. Each clause "
                               "is a token of its own, so that one layer can look a name up; "
                               "looking up what it found takes a second look. Which kind gets "
                               "further differs from seed to seed.",
                               inWords(nHops_, "step"));
        return begin +
               "After the question mark stands a name, and the model writes each step down until "
               "it reaches the digit. MHA and IHA get this right equally often; what differs is "
               "how they look: see which tile reads the clause of the step." +
               (kind_.layout == Layout::twoTokens ? " With one layer both fail." : "");
    }

    std::vector<std::string> tokenTexts() const {
        std::vector<std::string> tokens = characterRange('a', nNames_);
        for (std::string& digit : characterRange('0', nDigits)) tokens.push_back(std::move(digit));
        for (const char* mark : {"=", ";", "?", "."}) tokens.emplace_back(mark);
        if (kind_.layout != Layout::oneToken) return tokens;
        for (int source = 0; source < nNames_; ++source)
            for (int target = 0; target < equals_; ++target)
                tokens.push_back(fmt::format("{}={};", tokens[static_cast<std::size_t>(source)],
                                             tokens[static_cast<std::size_t>(target)]));
        return tokens;
    }

    /// How many prompts there are, about.
    double prompts() const {
        double count = std::pow(nDigits, nChains_);
        for (int i = 0; i < nChains_ * nHops_; ++i) count *= (nNames_ - i) * (i + 1);
        return count;
    }

    std::vector<int> clause(int source, int target) const {
        switch (kind_.layout) {
            case Layout::fourTokens:
                return {source, equals_, target, semicolon_};
            case Layout::twoTokens:
                return {source, target};
            case Layout::oneToken:
                return {firstPair_ + source * equals_ + target};
        }
        return {};
    }
    std::string clauseText(int source, int target) const {
        return info_.vocabulary.decode(clause(source, target));
    }

    std::vector<int> drawPrompt(Rng& rng) const {
        // the first of the shuffled names are the chains, one after the other
        std::vector<int> names(static_cast<std::size_t>(nNames_));
        std::iota(names.begin(), names.end(), 0);
        shuffle(names, rng);
        std::vector<int> order(static_cast<std::size_t>(nChains_ * nHops_));
        std::iota(order.begin(), order.end(), 0);
        shuffle(order, rng);

        std::vector<int> tokens;
        for (const int at : order) {
            const bool last = at % nHops_ == nHops_ - 1;
            const int target = last ? firstDigit_ + static_cast<int>(rng.below(nDigits))
                                    : names[static_cast<std::size_t>(at) + 1];
            for (const int token : clause(names[static_cast<std::size_t>(at)], target))
                tokens.push_back(token);
        }
        tokens.push_back(question_);
        const auto chain = static_cast<int>(rng.below(static_cast<std::uint32_t>(nChains_)));
        tokens.push_back(names[static_cast<std::size_t>(chain * nHops_)]);
        return tokens;
    }

    /// Source and target of the clause that starts at `at`; -1: there is none.
    std::pair<int, int> clauseAt(const std::vector<int>& prompt, std::size_t at) const {
        constexpr std::pair<int, int> none = {-1, -1};
        if (at + clauseLength() + 2 > prompt.size()) return none;
        if (kind_.layout == Layout::oneToken) {
            if (prompt[at] < firstPair_) return none;
            return {(prompt[at] - firstPair_) / equals_, (prompt[at] - firstPair_) % equals_};
        }
        const bool marked = kind_.layout == Layout::fourTokens;
        if (marked && (prompt[at + 1] != equals_ || prompt[at + 3] != semicolon_)) return none;
        const int source = prompt[at], target = prompt[at + (marked ? 2 : 1)];
        if (!isName(source) || !(isName(target) || isDigit(target))) return none;
        return {source, target};
    }

    Result<Clauses> parse(const std::vector<int>& prompt) const {
        const std::string remedy = fmt::format("write clauses and a question, such as {}{}?a",
                                               clauseText(0, 2), clauseText(2, firstDigit_ + 7));
        const std::size_t size = prompt.size();
        if (size < 2 || prompt[size - 2] != question_ || !isName(prompt[size - 1]))
            return badPrompt("it does not end with a question mark and a name", remedy);
        Clauses clauses;
        for (std::size_t at = 0; at + 2 < size; at += clauseLength()) {
            const auto [source, target] = clauseAt(prompt, at);
            if (source < 0)
                return badPrompt(
                    fmt::format("token {} ({}) does not begin a clause {}", at, text(prompt[at]),
                                kind_.layout == Layout::twoTokens ? "of a name and its target"
                                                                  : "name=target;"),
                    remedy);
            const auto name = static_cast<std::size_t>(source);
            if (clauses.start[name] >= 0)
                return badPrompt(fmt::format("{} has two clauses", text(source)),
                                 "let each name point to one place");
            clauses.start[name] = static_cast<int>(at);
            clauses.target[name] = target;
        }
        return clauses;
    }

    /// Appends the chain that starts at the prompt's last token; the clauses lead to a digit.
    Example withChain(std::vector<int> tokens, const Clauses& clauses) const {
        Example example;
        example.promptLength = static_cast<int>(tokens.size());
        struct Hop {
            int from, to, clause;
        };
        std::vector<Hop> hops;
        for (int at = tokens.back(); isName(at); at = hops.back().to) {
            const auto name = static_cast<std::size_t>(at);
            hops.push_back({at, clauses.target[name], clauses.start[name]});
        }
        if (kind_.direct) {
            tokens.push_back(hops.back().to);
        } else {
            for (const Hop& hop : hops) tokens.push_back(hop.to);
            tokens.push_back(fullStop_);
        }
        const std::size_t rows = tokens.size() - 1;
        example.inputLength = static_cast<int>(rows);
        example.targets.assign(rows, -1);
        example.evidence.resize(rows);
        example.steps.resize(rows);
        auto row = static_cast<std::size_t>(example.promptLength) - 1;
        const auto wayOf = [&](const Hop& hop) { return text(hop.from) + "=" + text(hop.to); };
        const auto mark = [&](const Hop& hop) {
            for (std::size_t i = 0; i < clauseLength(); ++i)
                example.evidence[row].push_back(hop.clause + static_cast<int>(i));
        };
        if (kind_.direct) {
            example.targets[row] = hops.back().to;
            std::string way;
            for (const Hop& hop : hops) {
                mark(hop);
                way += (way.empty() ? "" : " ") + wayOf(hop);
            }
            std::sort(example.evidence[row].begin(), example.evidence[row].end());
            example.steps[row] = fmt::format("{} hops at once: {}", hops.size(), way);
        } else {
            for (std::size_t hop = 0; hop < hops.size(); ++hop, ++row) {
                example.targets[row] = hops[hop].to;
                mark(hops[hop]);
                example.steps[row] =
                    fmt::format("hop {} of {}: {}", hop + 1, hops.size(), wayOf(hops[hop]));
            }
            example.targets[row] = fullStop_;
            example.steps[row] = "end";
        }
        example.tokens = std::move(tokens);
        return example;
    }

    Kind kind_;
    int nNames_, nChains_, nHops_;
    int firstDigit_, equals_, semicolon_, question_, fullStop_, firstPair_;
    bool fewPrompts_ = false;
    TaskInfo info_;
};

TaskChoices choicesWith(const char* names, const char* chains, const char* hops, double most) {
    using Type = TaskSetting::Kind;
    return {{{"names", "Names", "How many names there are to choose from.", Type::wholeNumber,
              names, 4, most},
             {"chains", "Chains",
              "How many chains the clauses make; chains times hops names are "
              "needed.",
              Type::wholeNumber, chains, 1, most},
             {"hops", "Hops a chain",
              "How many clauses lead from a chain's first name to its "
              "digit.",
              Type::wholeNumber, hops, 1, most}},
            {}};
}

Result<std::unique_ptr<Task>> makeKind(const Kind& kind, const SettingValues& values) {
    const int most = kind.layout == Layout::oneToken ? mostPairNames : mostNames;
    const int names = values.whole("names"), chains = values.whole("chains"),
              hops = values.whole("hops");
    if (chains * hops > names)
        return badSetting(
            "names",
            fmt::format("{} chains of {} hops need {} names, but there are {}", chains, hops,
                        chains * hops, names),
            chains * hops > most
                ? "use fewer chains or hops"
                : fmt::format("give {} or more, or fewer chains or hops", chains * hops));
    return std::make_unique<PointerChain>(kind, values);
}

}  // namespace

TaskChoices pointerChainChoices() {
    return choicesWith("16", "3", "4", mostNames);
}
Result<std::unique_ptr<Task>> makePointerChain(const SettingValues& values) {
    return makeKind({"pointer-chain", "Follow the chain", Layout::fourTokens, false}, values);
}

TaskChoices pointerChain2Choices() {
    return choicesWith("10", "2", "3", mostNames);
}
Result<std::unique_ptr<Task>> makePointerChain2(const SettingValues& values) {
    return makeKind(
        {"pointer-chain-2", "Follow the chain, two tokens a clause", Layout::twoTokens, false},
        values);
}

// A token for each pair: few names keep the vocabulary small.
TaskChoices directHopsChoices() {
    return choicesWith("6", "2", "2", mostPairNames);
}
Result<std::unique_ptr<Task>> makeDirectHops(const SettingValues& values) {
    return makeKind({"direct-hops", "Straight to the digit", Layout::oneToken, true}, values);
}

}  // namespace headloom
