#include "core/tasks/builtin.h"
#include "core/tasks/vote_chain.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace headloom {

// The books were drawn for chains that do not repeat themselves, before any training. No two sets
// of weights that name different symbols have the same sum, so there are no ties.
TaskChoices fourWitnessesChoices() {
    TaskChoices choices;
    choices.settings = voteSettings("031254 341250 542301 324501", "2,3,4,5");
    choices.settings.insert(choices.settings.begin() + 2,
                            {"weights", "Weights",
                             "How much the word of each witness counts, in the order of the books; "
                             "of symbols with equal weight the smallest is written.",
                             TaskSetting::Kind::wholeNumbers, "8,6,5,4", 1, 1000});
    return choices;
}

Result<std::unique_ptr<Task>> makeFourWitnesses(const SettingValues& values) {
    const std::vector<int> weights = values.wholes("weights");
    auto rule = voteRule(values, weights);
    if (!rule) return tl::unexpected(rule.error());
    const auto nWitnesses = static_cast<int>(rule->witnesses.size());
    TaskInfo info;
    info.id = "four-witnesses";
    info.title = "Four witnesses";
    info.settings = values.all();
    info.explanation = fmt::format(
        "{} are given and {} follow. Each is decided by {}: they saw the symbols {} steps before "
        "it, "
        "each turns what it saw into another symbol by a code book of its own, and the symbol with "
        "the most weight ({}) is written. One position must fetch several things and keep them "
        "apart: "
        "two ordinary heads cannot do so for four witnesses and two interleaved heads can; four "
        "ordinary heads mostly can as well.",
        capitalised(inWords(rule->promptLength(), "symbol")), inWords(rule->length),
        inWords(nWitnesses, "witness"), fmt::join(values.wholes("lags"), ", "),
        fmt::join(weights, ", "));
    return makeVoteChain(std::move(info), std::move(*rule));
}

}  // namespace headloom
