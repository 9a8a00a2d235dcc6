#include "views/viewmodels/learning_series.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace headloom {

namespace {

struct Reading {
    double x, y;
};

double scoreOf(const ScorePoint& point, CurveValue value) {
    if (value == CurveValue::error) return point.error.value_or(0);
    return value == CurveValue::exact ? point.exact : point.accuracy;
}

/// One run's curve.
struct Track {
    std::vector<Reading> readings;
    bool ended = false;
};

Track trackOf(const LiveRun& run, CurveValue value, CurveAxis axis) {
    Track track;
    track.ended = run.state == RunState::finished || run.state == RunState::goalReached ||
                  run.state == RunState::failed;
    const auto x = [axis](const auto& point) {
        return axis == CurveAxis::step ? static_cast<double>(point.step) : point.seconds;
    };
    if (value == CurveValue::loss)
        for (const LossPoint& point : run.curve.losses)
            track.readings.push_back({x(point), point.loss});
    else
        for (const ScorePoint& point : run.curve.scores)
            track.readings.push_back({x(point), scoreOf(point, value)});
    return track;
}

/// The value at x, between two readings on a straight line; before the first: none.
double read(const Track& track, double x) {
    const auto after = std::lower_bound(track.readings.begin(), track.readings.end(), x,
                                        [](const Reading& one, double at) { return one.x < at; });
    if (after == track.readings.end()) return track.readings.back().y;
    if (after == track.readings.begin())
        return after->x > x ? std::numeric_limits<double>::quiet_NaN() : after->y;
    const Reading& before = *(after - 1);
    const double share = (x - before.x) / std::max(after->x - before.x, 1e-12);
    return before.y + share * (after->y - before.y);
}

LearningSeries merged(const std::vector<Track>& tracks) {
    LearningSeries series;
    series.seeds = static_cast<int>(tracks.size());
    double end = std::numeric_limits<double>::infinity();
    double last = 0;
    std::set<double> places;
    for (const Track& track : tracks) {
        if (!track.ended) end = std::min(end, track.readings.back().x);
        last = std::max(last, track.readings.back().x);
        for (const Reading& reading : track.readings) places.insert(reading.x);
    }
    for (const double x : places) {
        if (x > std::min(end, last)) break;
        SeriesPoint point{x, 0, std::numeric_limits<double>::infinity(),
                          -std::numeric_limits<double>::infinity()};
        for (const Track& track : tracks) {
            const double y = read(track, x);
            point.mean += y / static_cast<double>(tracks.size());
            point.low = std::min(point.low, y);
            point.high = std::max(point.high, y);
        }
        if (std::isfinite(point.mean)) series.points.push_back(point);
    }
    return series;
}

}  // namespace

const SeriesPoint* LearningSeries::at(double x) const {
    const auto after =
        std::upper_bound(points.begin(), points.end(), x,
                         [](double place, const SeriesPoint& point) { return place < point.x; });
    return after == points.begin() ? nullptr : &*(after - 1);
}

std::vector<LearningSeries> learningSeries(const LivePicture& picture, int arms, CurveValue value,
                                           CurveAxis axis) {
    std::vector<LearningSeries> all;
    for (int arm = 0; arm < arms; ++arm) {
        std::vector<Track> tracks;
        for (const LiveRun& run : picture.runs) {
            if (run.arm != arm) continue;
            Track track = trackOf(run, value, axis);
            if (!track.readings.empty()) tracks.push_back(std::move(track));
        }
        LearningSeries series = tracks.empty() ? LearningSeries{} : merged(tracks);
        series.arm = arm;
        all.push_back(std::move(series));
    }
    return all;
}

}  // namespace headloom
