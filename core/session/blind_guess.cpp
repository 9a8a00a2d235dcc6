#include "core/session/blind_guess.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

namespace headloom {

BlindGuess blindGuess(const Task& task, int examples) {
    const auto slots = static_cast<std::size_t>(task.info().nSlots);
    std::vector<std::map<int, std::int64_t>> counts(slots);
    std::int64_t all = 0;
    for (int index = 0; index < examples; ++index) {
        const Example example =
            task.unlabelled(Split::heldOut, heldOutSeed, static_cast<std::uint64_t>(index));
        for (std::size_t i = 0; i < example.targets.size(); ++i) {
            if (example.targets[i] < 0) continue;
            ++counts[i % slots][example.targets[i]];
            ++all;
        }
    }
    BlindGuess guess;
    if (all == 0) return guess;
    for (const auto& answers : counts) {
        std::int64_t commonest = 0, given = 0;
        for (const auto& [answer, times] : answers) {
            commonest = std::max(commonest, times);
            given += times;
        }
        guess.accuracy += static_cast<double>(commonest) / static_cast<double>(all);
        for (const auto& [answer, times] : answers)
            guess.loss -= static_cast<double>(times) / static_cast<double>(all) *
                          std::log(static_cast<double>(times) / static_cast<double>(given));
    }
    return guess;
}

}  // namespace headloom
