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

std::string range(const ArmResult& arm) {
    const std::string from = fmt::format("{:.3f}", least(arm.exact));
    const std::string to = fmt::format("{:.3f}", most(arm.exact));
    return from == to ? from : from + " to " + to;
}

/// How two arms stand; `better` has the higher mean.
std::string standing(const ArmResult& better, const ArmResult& other) {
    std::string said;
    if (better.exact.size() < 2 || other.exact.size() < 2)
        said = fmt::format("{} {} against {} {}: one seed says little", better.name, range(better),
                           other.name, range(other));
    else if (least(better.exact) > most(other.exact))
        said = fmt::format("every seed of {} ({}) beats every seed of {} ({})", better.name,
                           range(better), other.name, range(other));
    else
        said = fmt::format("{} ({}) and {} ({}): ranges overlap", better.name, range(better),
                           other.name, range(other));
    if (!better.seconds.empty() && !other.seconds.empty() && mean(other.seconds) > 0)
        said += fmt::format("; it takes {:.2f} times the seconds ({:.1f} s against {:.1f} s)",
                            mean(better.seconds) / mean(other.seconds), mean(better.seconds),
                            mean(other.seconds));
    return said;
}

}  // namespace

std::string verdictOn(const std::vector<ArmResult>& arms) {
    std::vector<const ArmResult*> finished;
    for (const ArmResult& arm : arms)
        if (!arm.exact.empty()) finished.push_back(&arm);
    if (finished.size() < 2) return {};
    std::stable_sort(finished.begin(), finished.end(), [](const ArmResult* a, const ArmResult* b) {
        return mean(a->exact) > mean(b->exact);
    });
    std::string verdict;
    for (std::size_t i = 1; i < finished.size(); ++i)
        verdict += (i > 1 ? "\n" : "") + standing(*finished[0], *finished[i]) + ".";
    return verdict;
}

}  // namespace headloom
