#pragma once

#include <QString>

#include <algorithm>
#include <cmath>
#include <vector>

namespace headloom {

enum class ScaleCurve {
    linear,
    squareRoot,  ///< lifts small shares
    logarithmic  ///< four decades below the maximum; anything smaller looks like zero
};

/// How values become colours, for every map that shares it.
struct ColourScale {
    ScaleCurve curve = ScaleCurve::linear;
    bool perMap = false;      ///< every tile runs up to its own largest value
    bool hideSink = false;    ///< key 0 is greyed and does not set the maximum; display only
    float sharedMaximum = 0;  ///< one maximum over several sheets; 0: the largest on the sheet
    bool operator==(const ColourScale&) const = default;
};

/// One tile's way from a value to an index of a colour table.
struct ValueMapping {
    static constexpr float logDecades = 4;

    float maximum = 0;  ///< value (magnitude where signed) of the last colour; 0: all is zero
    ScaleCurve curve = ScaleCurve::linear;
    bool isSigned = false;
    bool operator==(const ValueMapping&) const = default;

    /// Share of the way from zero to the maximum, in 0..1, by magnitude where signed.
    float fractionOf(float value) const {
        if (!(maximum > 0)) return 0;
        const float size = isSigned ? std::fabs(value) : value;
        const float share = std::clamp(size / maximum, 0.0f, 1.0f);
        if (curve == ScaleCurve::linear) return share;
        if (curve == ScaleCurve::squareRoot) return std::sqrt(share);
        return share > 0 ? std::max(0.0f, 1.0f + std::log10(share) / logDecades) : 0.0f;
    }
    /// 0..255; signed values 1..255 with zero at 128. The value must not be NaN.
    int indexOf(float value) const {
        const float fraction = fractionOf(value);
        if (!isSigned) return static_cast<int>(fraction * 255.0f + 0.5f);
        const int steps = static_cast<int>(fraction * 127.0f + 0.5f);
        return value < 0 ? 128 - steps : 128 + steps;
    }
};

struct ScaleTick {
    double position = 0;  ///< along the bar: 0 at its start (most negative or zero) to 1
    double value = 0;
    QString label;
};

/// Round numbers along the bar, with both ends always among them; at most `most` (at least 2).
std::vector<ScaleTick> ticksOf(const ValueMapping& mapping, int most);

}  // namespace headloom
