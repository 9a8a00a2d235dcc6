#include "core/session/kept_moments.h"

#include <algorithm>

namespace headloom {

KeptMoments::KeptMoments(int runs, std::size_t limitBytes)
    : runs_(static_cast<std::size_t>(runs)), limit_(limitBytes) {}

void KeptMoments::keep(int run, std::shared_ptr<const LearningMoment> moment) {
    bytes_ += moment->bytes();
    runs_[static_cast<std::size_t>(run)].push_back(std::move(moment));
    thin();
}

void KeptMoments::rewindTo(int run, std::int64_t step) {
    Run& moments = runs_[static_cast<std::size_t>(run)];
    while (!moments.empty() && moments.back()->step() > step) drop(moments, moments.size() - 1);
}

std::vector<std::int64_t> KeptMoments::steps(int run) const {
    std::vector<std::int64_t> steps;
    for (const auto& moment : runs_[static_cast<std::size_t>(run)]) steps.push_back(moment->step());
    return steps;
}

std::shared_ptr<const LearningMoment> KeptMoments::at(int run, std::int64_t step) const {
    for (const auto& moment : runs_[static_cast<std::size_t>(run)])
        if (moment->step() == step) return moment;
    return nullptr;
}

void KeptMoments::drop(Run& run, std::size_t index) {
    bytes_ -= run[index]->bytes();
    run.erase(run.begin() + static_cast<std::ptrdiff_t>(index));
}

void KeptMoments::thin() {
    while (bytes_ > limit_) {
        Run& longest =
            *std::max_element(runs_.begin(), runs_.end(),
                              [](const Run& a, const Run& b) { return a.size() < b.size(); });
        // Nothing is left but each run's newest moment: without it there is nothing to go back to.
        if (longest.size() < 2) return;
        std::size_t closest = 0;
        for (std::size_t i = 1; i + 1 < longest.size(); ++i) {
            const auto gap = [&longest](std::size_t at) {
                return longest[at + 1]->step() - longest[at - 1]->step();
            };
            if (closest == 0 || gap(i) < gap(closest)) closest = i;
        }
        drop(longest, closest);
    }
}

}  // namespace headloom
