#pragma once

#include <QString>

#include <vector>

namespace headloom {

/// A tick and its label.
struct PlotTick {
    double value = 0;
    QString label;
    friend bool operator==(const PlotTick&, const PlotTick&) = default;
};

/// One axis of a plot as numbers: from values to the share of its length and back.
struct PlotAxis {
    double low = 0, high = 1;
    bool logarithmic = false;  ///< needs low > 0

    /// 0 at `low`, 1 at `high`; not clamped. On a logarithmic axis, values at or below zero lie at
    /// minus infinity.
    double share(double value) const;
    double value(double share) const;
    /// Round values within the axis: 1, 2 or 5 times a power of ten, at most about `most`.
    std::vector<PlotTick> ticks(int most) const;
};

/// The smallest axis of round ends that holds `low` and `high`; where they are one value, a little
/// around it.
PlotAxis roundAxis(double low, double high, bool logarithmic);

/// A value of an axis in as few characters as tell it: "1200", "0.25", "3e-05".
QString plotNumber(double value);

}  // namespace headloom
