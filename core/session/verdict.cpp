#include "core/session/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace headloom {

namespace {

double mean(const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double least(const std::vector<double>& values) {
    return *std::min_element(values.begin(), values.end());
}

double most(const std::vector<double>& values) {
    return *std::max_element(values.begin(), values.end());
}

std::string text(double score, ScoreMeaning meaning) {
    return meaning == ScoreMeaning::exact ? fmt::format("{:.3f}", score)
                                          : fmt::format("{:.3g}", score);
}

std::string range(const ArmResult& arm, ScoreMeaning meaning) {
    const std::string from = text(least(arm.scores), meaning), to = text(most(arm.scores), meaning);
    return from == to ? from : from + " to " + to;
}

/// The worst seed of `better` is ahead of the best seed of `other`.
bool everySeedBeats(const ArmResult& better, const ArmResult& other, ScoreMeaning meaning) {
    return meaning == ScoreMeaning::exact ? least(better.scores) > most(other.scores)
                                          : most(better.scores) < least(other.scores);
}

/// How two arms stand; `better` has the better mean.
std::string standing(const ArmResult& better, const ArmResult& other, ScoreMeaning meaning) {
    const std::string first = range(better, meaning), second = range(other, meaning);
    std::string said;
    if (better.scores.size() < 2 || other.scores.size() < 2)
        said = fmt::format("{} {} against {} {}: one seed says little", better.name, first,
                           other.name, second);
    else if (everySeedBeats(better, other, meaning))
        said = fmt::format("every seed of {} ({}) beats every seed of {} ({})", better.name, first,
                           other.name, second);
    else
        said = fmt::format("{} ({}) and {} ({}): ranges overlap", better.name, first, other.name,
                           second);
    if (!better.seconds.empty() && !other.seconds.empty() && mean(other.seconds) > 0)
        said += fmt::format("; it takes {:.2f} times the seconds ({:.1f} s against {:.1f} s)",
                            mean(better.seconds) / mean(other.seconds), mean(better.seconds),
                            mean(other.seconds));
    return said;
}

}  // namespace

std::string verdictOn(const std::vector<ArmResult>& arms, ScoreMeaning meaning) {
    std::vector<const ArmResult*> finished;
    for (const ArmResult& arm : arms)
        if (!arm.scores.empty()) finished.push_back(&arm);
    if (finished.size() < 2) return {};
    std::stable_sort(finished.begin(), finished.end(),
                     [meaning](const ArmResult* a, const ArmResult* b) {
                         const double first = mean(a->scores), second = mean(b->scores);
                         return meaning == ScoreMeaning::exact ? first > second : first < second;
                     });
    std::string verdict;
    for (std::size_t i = 1; i < finished.size(); ++i)
        verdict += (i > 1 ? "\n" : "") + standing(*finished[0], *finished[i], meaning) + ".";
    return verdict;
}

}  // namespace headloom
