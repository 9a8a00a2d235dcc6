#include "core/tasks/builtin.h"
#include "core/tasks/vote_chain.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace headloom {

// The tables are the most varied of 3,000 random draws: of their chains every symbol takes about a
// sixth, and the second half of a chain has 5.97 of the 6 symbols on average. No model was trained
// before they were chosen.
TaskChoices voteAutomatonChoices() {
    return {voteSettings("324510 153240 213450 521043", "1,2,3,4"), {}};
}

Result<std::unique_ptr<Task>> makeVoteAutomaton(const SettingValues& values) {
    auto rule = voteRule(values, {});
    if (!rule) return tl::unexpected(rule.error());
    TaskInfo info;
    info.id = "vote-automaton";
    info.title = "Vote automaton";
    info.settings = values.all();
    info.explanation = fmt::format(
        "{} are given and {} follow. The symbols {} steps before vote on the next one: each turns "
        "into another symbol by the fixed table of its place, every vote counts the same, and the "
        "symbol with the most votes is written, of equals the smallest. It is the four witnesses "
        "without weights, so ties are common and the last symbol votes too. MHA comes closer to "
        "IHA here than on the witnesses.",
        capitalised(inWords(rule->promptLength(), "symbol")), inWords(rule->length),
        fmt::join(values.wholes("lags"), ", "));
    return makeVoteChain(std::move(info), std::move(*rule));
}

}  // namespace headloom
