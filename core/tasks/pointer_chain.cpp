#include "core/tasks/builtin.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

namespace headloom {

namespace {

constexpr int nNames = 16;
constexpr int nDigits = 10;
constexpr int firstDigit = nNames;
constexpr int equals = firstDigit + nDigits;
constexpr int semicolon = equals + 1;
constexpr int question = equals + 2;
constexpr int fullStop = equals + 3;

constexpr int nChains = 3;
constexpr int nHops = 4;
constexpr int clauseLength = 4;
constexpr int longestInput = nChains * nHops * clauseLength + 2 + nHops;  // 54

bool isName(int id) {
    return id >= 0 && id < nNames;
}
bool isDigit(int id) {
    return id >= firstDigit && id < equals;
}

/// Where each name's clause starts in a prompt and what it points to; -1: no clause.
struct Clauses {
    std::array<int, nNames> start, target;
};

/// Appends the chain that starts at the prompt's last token; the clauses lead to a digit.
Example withChain(std::vector<int> tokens, const Clauses& clauses, const Vocabulary& vocabulary) {
    Example example;
    example.promptLength = static_cast<int>(tokens.size());
    std::vector<int> hops;  // starts of the clauses that state the steps
    for (int at = tokens.back(); isName(at);) {
        const auto name = static_cast<std::size_t>(at);
        hops.push_back(clauses.start[name]);
        at = clauses.target[name];
        tokens.push_back(at);
    }
    tokens.push_back(fullStop);
    const std::size_t rows = tokens.size() - 1;
    example.inputLength = static_cast<int>(rows);
    example.targets.assign(rows, -1);
    example.evidence.resize(rows);
    example.steps.resize(rows);
    auto row = static_cast<std::size_t>(example.promptLength) - 1;
    for (std::size_t hop = 0; hop < hops.size(); ++hop, ++row) {
        example.targets[row] = tokens[row + 1];
        example.evidence[row].resize(clauseLength);
        std::iota(example.evidence[row].begin(), example.evidence[row].end(), hops[hop]);
        example.steps[row] =
            fmt::format("hop {} of {}: {}={}", hop + 1, hops.size(), vocabulary.text(tokens[row]),
                        vocabulary.text(tokens[row + 1]));
    }
    example.targets[row] = fullStop;
    example.steps[row] = "end";
    example.tokens = std::move(tokens);
    return example;
}

class PointerChain : public Task {
  public:
    PointerChain() {
        info_.id = "pointer-chain";
        info_.title = "Follow the chain";
        info_.explanation =
            "Twelve clauses in random order say where each name points: a=c; is a step from a to "
            "c, and f=7; ends a chain. After the question mark stands a name, and the model "
            "writes each step down until it reaches the digit. MHA and IHA get this right equally "
            "often; what differs is how they look: see which tile reads the clause of the step.";
        std::vector<std::string> tokens = characterRange('a', nNames);
        for (std::string& digit : characterRange('0', nDigits)) tokens.push_back(std::move(digit));
        for (const char* mark : {"=", ";", "?", "."}) tokens.emplace_back(mark);
        info_.vocabulary = Vocabulary(std::move(tokens), fullStop);
        info_.inputLength = longestInput;
    }
    const TaskInfo& info() const override { return info_; }

    Example example(Split split, std::uint64_t seed, std::uint64_t index) const override {
        Rng rng = sampleRng(split, seed, index);
        const auto shuffle = [&rng](auto& list) {
            for (std::size_t i = list.size() - 1; i > 0; --i)
                std::swap(list[i], list[rng.below(static_cast<std::uint32_t>(i + 1))]);
        };
        // the first twelve of the shuffled names are chains of four, each ending in a digit
        std::array<int, nNames> names;
        std::iota(names.begin(), names.end(), 0);
        shuffle(names);
        std::array<int, nChains * nHops> order;
        std::iota(order.begin(), order.end(), 0);
        shuffle(order);

        Clauses clauses;
        clauses.start.fill(-1);
        std::vector<int> tokens;
        for (const int at : order) {
            const int name = names[static_cast<std::size_t>(at)];
            const bool last = at % nHops == nHops - 1;
            const int target = last ? firstDigit + static_cast<int>(rng.below(nDigits))
                                    : names[static_cast<std::size_t>(at) + 1];
            clauses.start[static_cast<std::size_t>(name)] = static_cast<int>(tokens.size());
            clauses.target[static_cast<std::size_t>(name)] = target;
            tokens.insert(tokens.end(), {name, equals, target, semicolon});
        }
        tokens.push_back(question);
        tokens.push_back(names[rng.below(nChains) * nHops]);
        return withChain(std::move(tokens), clauses, info_.vocabulary);
    }

    Result<Example> fromPrompt(const std::vector<int>& prompt) const override {
        if (auto fine = checkPrompt(prompt, info_); !fine) return tl::unexpected(fine.error());
        const Result<Clauses> clauses = parse(prompt);
        if (!clauses) return tl::unexpected(clauses.error());
        std::size_t hops = 0;
        for (int at = prompt.back(); isName(at); ++hops) {
            if (clauses->start[static_cast<std::size_t>(at)] < 0)
                return badPrompt(
                    fmt::format("the chain stops at {0}, which points nowhere", text(at)),
                    fmt::format("add a clause such as {0}=7;", text(at)));
            if (hops == nNames)
                return badPrompt("the chain goes round in circles and never reaches a digit",
                                 "let one of its clauses point to a digit, such as f=7;");
            at = clauses->target[static_cast<std::size_t>(at)];
        }
        if (prompt.size() + hops > static_cast<std::size_t>(longestInput))
            return badPrompt(
                fmt::format("it has {} tokens and its chain {} steps, but together at most {} fit",
                            prompt.size(), hops, longestInput),
                "leave out clauses");
        return withChain(prompt, *clauses, info_.vocabulary);
    }

  private:
    std::string text(int id) const { return info_.vocabulary.text(id); }

    Result<Clauses> parse(const std::vector<int>& prompt) const {
        const std::string remedy = "write clauses and a question, such as a=c;c=7;?a";
        const std::size_t size = prompt.size();
        if (size < 2 || prompt[size - 2] != question || !isName(prompt[size - 1]))
            return badPrompt("it does not end with a question mark and a name", remedy);
        Clauses clauses;
        clauses.start.fill(-1);
        std::size_t at = 0;
        for (; at + 2 < size; at += clauseLength) {
            const bool whole =
                at + clauseLength + 2 <= size && isName(prompt[at]) && prompt[at + 1] == equals &&
                (isName(prompt[at + 2]) || isDigit(prompt[at + 2])) && prompt[at + 3] == semicolon;
            if (!whole)
                return badPrompt(fmt::format("token {} ({}) does not begin a clause name=target;",
                                             at, text(prompt[at])),
                                 remedy);
            const auto name = static_cast<std::size_t>(prompt[at]);
            if (clauses.start[name] >= 0)
                return badPrompt(fmt::format("{} has two clauses", text(prompt[at])),
                                 "let each name point to one place");
            clauses.start[name] = static_cast<int>(at);
            clauses.target[name] = prompt[at + 2];
        }
        return clauses;
    }

    TaskInfo info_;
};

}  // namespace

std::unique_ptr<Task> makePointerChain() {
    return std::make_unique<PointerChain>();
}

}  // namespace headloom
