#include "views/plots/plot_axis.h"

#include <QLocale>

#include <algorithm>
#include <cmath>
#include <limits>

namespace headloom {

namespace {

/// The smallest of 1, 2, 5 times a power of ten that is at least `least`.
double roundStep(double least) {
    const double power = std::pow(10.0, std::floor(std::log10(least)));
    for (const double factor : {1.0, 2.0, 5.0})
        if (factor * power >= least * (1 - 1e-9)) return factor * power;
    return 10 * power;
}

/// "10⁴", as small digits of the font, which every picture has.
QString raised(int exponent) {
    static const QString digits = QStringLiteral("⁰¹²³⁴⁵⁶⁷⁸⁹");
    QString text = QStringLiteral("10");
    if (exponent < 0) text += QChar(0x207B);
    for (const QChar digit : QString::number(std::abs(exponent)))
        text += digits[digit.digitValue()];
    return text;
}

}  // namespace

double PlotAxis::share(double value) const {
    if (!logarithmic) return (value - low) / (high - low);
    if (value <= 0) return -std::numeric_limits<double>::infinity();
    return std::log(value / low) / std::log(high / low);
}

double PlotAxis::value(double share) const {
    return logarithmic ? low * std::pow(high / low, share) : low + share * (high - low);
}

std::vector<PlotTick> PlotAxis::ticks(int most) const {
    std::vector<PlotTick> ticks;
    const auto add = [&](double value) {
        const double at = share(value);
        if (at >= -1e-9 && at <= 1 + 1e-9) ticks.push_back({value, plotNumber(value)});
    };
    most = std::max(2, most);
    if (!logarithmic) {
        const double step = roundStep((high - low) / most);
        const auto first = static_cast<std::int64_t>(std::ceil(low / step - 1e-9));
        for (std::int64_t i = first; static_cast<double>(i) * step <= high + step * 1e-9; ++i)
            add(static_cast<double>(i) * step);
        return ticks;
    }
    // 1 and 3 times a power of ten lie about equally far apart on this axis.
    const int from = static_cast<int>(std::floor(std::log10(low)));
    const int to = static_cast<int>(std::ceil(std::log10(high)));
    const int decades = std::max(1, to - from);
    const int every = std::max(1, static_cast<int>(std::ceil(static_cast<double>(decades) / most)));
    for (int power = from; power <= to; power += every) {
        add(std::pow(10.0, power));
        if (decades * 2 > most + 1) continue;
        add(3 * std::pow(10.0, power));
    }
    return ticks;
}

PlotAxis roundAxis(double low, double high, bool logarithmic) {
    if (!(high > low)) {
        high = low == 0 ? 1 : low + std::abs(low) * 0.5;
        low = low == 0 ? 0 : low - std::abs(low) * 0.5;
    }
    if (logarithmic) {
        low = std::max(low, high * 1e-12);
        const double power = std::pow(10.0, std::floor(std::log10(low)));
        return {low >= 3 * power ? 3 * power : power, high, true};
    }
    const double step = roundStep((high - low) / 5);
    return {std::floor(low / step + 1e-9) * step, std::ceil(high / step - 1e-9) * step, false};
}

QString plotNumber(double value) {
    const QString text = QString::number(std::abs(value) < 1e-12 ? 0.0 : value, 'g', 4);
    const auto e = text.indexOf(QLatin1Char('e'));
    if (e < 0) {
        if (std::abs(value) < 1000 || text.contains(QLatin1Char('.'))) return text;
        return QLocale(QLocale::English).toString(text.toInt());  // as every count is written
    }
    const QString factor = text.left(e), power = raised(text.mid(e + 1).toInt());
    if (factor == QLatin1String("1")) return power;
    if (factor == QLatin1String("-1")) return QLatin1Char('-') + power;
    return factor + QChar(0xB7) + power;
}

}  // namespace headloom
