#pragma once

#include "core/session/live_training.h"

#include <vector>

namespace headloom {

/// What a learning curve is drawn of, and along what.
enum class CurveValue { loss, accuracy, exact, error };
enum class CurveAxis { step, second };

/// Mean over the seeds and the range they span; one seed: all three alike.
struct SeriesPoint {
    double x = 0;  ///< updates or CPU seconds
    double mean = 0, low = 0, high = 0;
    friend bool operator==(const SeriesPoint&, const SeriesPoint&) = default;
};

/// One arm's curve; rising in x.
struct LearningSeries {
    int arm = 0;
    int seeds = 0;  ///< that have begun
    std::vector<SeriesPoint> points;
    /// The point at or before x; null where the series begins later.
    const SeriesPoint* at(double x) const;
};

/// One series an arm. By step the seeds meet at the same steps; by second each seed is read at the
/// same times, between its points on a straight line. A series ends where its first unfinished seed
/// is; a seed that has ended keeps its last value while others go on.
std::vector<LearningSeries> learningSeries(const LivePicture& picture, int arms, CurveValue value,
                                           CurveAxis axis);

}  // namespace headloom
