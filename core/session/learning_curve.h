#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace headloom {

/// Mean training loss over the steps since the point before.
struct LossPoint {
    std::int64_t step = 0;
    double seconds = 0;  ///< CPU time of this run until then, evaluations included
    double loss = 0;     ///< mean cross-entropy in nats; of a filter the relative squared error
};

/// What held-out examples said, fed the true tokens.
struct ScorePoint {
    std::int64_t step = 0;
    double seconds = 0;
    double accuracy = 0, exact = 0;  ///< shares, 0..1
    std::optional<double> error;     ///< of a filter, instead: relative squared error
};

/// How one model learns, from the first step on.
struct LearningCurve {
    std::vector<LossPoint> losses;
    std::vector<ScorePoint> scores;

    /// Forgets what came after `step`.
    void rewindTo(std::int64_t step) {
        std::erase_if(losses, [step](const LossPoint& point) { return point.step > step; });
        std::erase_if(scores, [step](const ScorePoint& point) { return point.step > step; });
    }
};

}  // namespace headloom
