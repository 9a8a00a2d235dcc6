#include "views/theme/colour_table.h"

#include <QFile>
#include <QList>

#include <algorithm>
#include <cmath>

namespace headloom {
namespace {

struct Lab {
    double l, a, b;
};

double toLinear(int channel) {
    const double c = channel / 255.0;
    return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
}

int toSrgb(double linear) {
    const double c = std::clamp(linear, 0.0, 1.0);
    const double s = c <= 0.0031308 ? 12.92 * c : 1.055 * std::pow(c, 1.0 / 2.4) - 0.055;
    return static_cast<int>(std::lround(s * 255.0));
}

/// Matrices of https://bottosson.github.io/posts/oklab/ (public domain).
Lab toLab(QRgb colour) {
    const double r = toLinear(qRed(colour));
    const double g = toLinear(qGreen(colour));
    const double b = toLinear(qBlue(colour));
    const double l = std::cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
    const double m = std::cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
    const double s = std::cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
    return {0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
            1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
            0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s};
}

QRgb fromLab(const Lab& lab) {
    const auto cube = [](double x) { return x * x * x; };
    const double l = cube(lab.l + 0.3963377774 * lab.a + 0.2158037573 * lab.b);
    const double m = cube(lab.l - 0.1055613458 * lab.a - 0.0638541728 * lab.b);
    const double s = cube(lab.l - 0.0894841775 * lab.a - 1.2914855480 * lab.b);
    return qRgb(toSrgb(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
                toSrgb(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
                toSrgb(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s));
}

bool isHexDigit(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

}  // namespace

ColourTable ColourTable::from(const std::vector<QRgb>& colours) {
    Q_ASSERT(colours.size() >= 2);
    ColourTable table;
    if (colours.size() == table.entries.size()) {
        std::copy(colours.begin(), colours.end(), table.entries.begin());
        return table;
    }
    std::vector<Lab> labs;
    for (QRgb colour : colours) labs.push_back(toLab(colour));
    for (std::size_t i = 0; i < table.entries.size(); ++i) {
        const double position = static_cast<double>(i) * static_cast<double>(labs.size() - 1) / 255;
        const auto low = std::min(static_cast<std::size_t>(position), labs.size() - 2);
        const double t = position - static_cast<double>(low);
        const Lab& a = labs[low];
        const Lab& b = labs[low + 1];
        table.entries[i] =
            fromLab({a.l + (b.l - a.l) * t, a.a + (b.a - a.a) * t, a.b + (b.b - a.b) * t});
    }
    return table;
}

double okLightness(QRgb colour) {
    return toLab(colour).l;
}

Result<ColourTable> parseColourTable(const QByteArray& text, const QString& where) {
    std::vector<QRgb> colours;
    int number = 0;
    for (const QByteArray& raw : text.split('\n')) {
        ++number;
        const QByteArray line = raw.trimmed();
        if (line.isEmpty() || line.startsWith('#')) continue;
        const bool isColour = line.size() == 6 && std::all_of(line.begin(), line.end(), isHexDigit);
        if (!isColour || colours.size() == 256) {
            return fail(Error::Kind::badFile,
                        QStringLiteral("%1, line %2").arg(where).arg(number).toStdString(),
                        "expected one colour as six hexadecimal digits and at most 256 of them",
                        "write each colour as rrggbb on a line of its own");
        }
        colours.push_back(0xff000000u | line.toUInt(nullptr, 16));
    }
    if (colours.size() < 2) {
        return fail(Error::Kind::badFile, where.toStdString(), "fewer than two colours",
                    "give at least the colours of zero and of the maximum");
    }
    return ColourTable::from(colours);
}

ColourTable builtInColourTable(const QString& name) {
    QFile file(QStringLiteral(":/palettes/%1.txt").arg(name));
    const bool opened = file.open(QIODevice::ReadOnly);
    Q_ASSERT(opened);
    const auto table = opened ? parseColourTable(file.readAll(), name)
                              : fail(Error::Kind::notFound, name.toStdString(), "no such palette");
    Q_ASSERT(table);
    return table ? *table : ColourTable::from({0xff000000u, 0xffffffffu});
}

}  // namespace headloom
