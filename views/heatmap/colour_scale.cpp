#include "views/heatmap/colour_scale.h"

#include <algorithm>
#include <cmath>

namespace headloom {
namespace {

/// 1, 2 or 5 times a power of ten, at least as large as `rough`.
double roundStep(double rough) {
    const double power = std::pow(10.0, std::floor(std::log10(rough)));
    for (double factor : {1.0, 2.0, 5.0}) {
        if (factor * power >= rough * (1 - 1e-9)) return factor * power;
    }
    return 10 * power;
}

QString labelOf(double value) {
    if (value == 0) return QStringLiteral("0");
    const double size = std::fabs(value);
    if (size < 0.001 || size >= 10000) return QString::number(value, 'g', 2);
    return QString::number(value, 'g', size >= 1 ? 3 : 2);
}

/// Magnitudes from zero to the maximum, both included.
std::vector<double> magnitudes(const ValueMapping& mapping, int most) {
    const double maximum = mapping.maximum;
    std::vector<double> values{0};
    if (mapping.curve == ScaleCurve::logarithmic) {
        // whole decades are what a reader counts in; zero stands for everything below them
        for (int decade = 3; decade >= 1; --decade) {
            if (most > 4 || decade == 2) values.push_back(maximum * std::pow(10.0, -decade));
        }
    } else {
        const double step = roundStep(maximum / std::max(1, most - 1));
        // the maximum itself follows, and a tick right beside it would only be in its way
        for (int i = 1; i * step < maximum - 0.4 * step; ++i) values.push_back(i * step);
    }
    values.push_back(maximum);
    return values;
}

}  // namespace

std::vector<ScaleTick> ticksOf(const ValueMapping& mapping, int most) {
    if (!(mapping.maximum > 0)) return {{mapping.isSigned ? 0.5 : 0.0, 0, QStringLiteral("0")}};
    std::vector<ScaleTick> ticks;
    if (!mapping.isSigned) {
        for (double value : magnitudes(mapping, std::max(2, most))) {
            ticks.push_back({mapping.fractionOf(static_cast<float>(value)), value, labelOf(value)});
        }
        return ticks;
    }
    const std::vector<double> sizes = magnitudes(mapping, std::max(2, (most + 1) / 2));
    for (auto size = sizes.rbegin(); size != sizes.rend(); ++size) {
        if (*size == 0) continue;
        const double half = mapping.fractionOf(static_cast<float>(*size)) / 2;
        ticks.push_back({0.5 - half, -*size, QStringLiteral("−") + labelOf(*size)});
    }
    for (double size : sizes) {
        const double half = mapping.fractionOf(static_cast<float>(size)) / 2;
        ticks.push_back({0.5 + half, size, labelOf(size)});
    }
    return ticks;
}

}  // namespace headloom
