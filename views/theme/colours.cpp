#include "views/theme/colours.h"

#include <algorithm>
#include <cmath>

namespace headloom {
namespace {

ThemeColours dark() {
    ThemeColours c;
    c.window = QColor(0x14, 0x16, 0x1a);
    c.panel = QColor(0x1b, 0x1e, 0x24);
    c.raised = QColor(0x26, 0x2a, 0x32);
    c.hover = QColor(0x31, 0x36, 0x40);
    c.border = QColor(0x2a, 0x2f, 0x38);
    c.borderStrong = QColor(0x45, 0x4c, 0x59);
    c.text = QColor(0xe9, 0xec, 0xf1);
    c.textSoft = QColor(0x9b, 0xa4, 0xb2);
    c.textFaint = QColor(0x6a, 0x72, 0x80);
    c.accent = QColor(0xe8, 0xb3, 0x4b);
    c.onAccent = QColor(0x1a, 0x14, 0x06);
    c.accentWash = QColor(0x3a, 0x31, 0x1e);
    c.mha = QColor(0x6c, 0xa8, 0xe0);
    c.iha = QColor(0xe8, 0x8a, 0x52);
    c.danger = QColor(0xf2, 0x77, 0x7a);
    c.outline = QColor(0xf2, 0xf4, 0xf8);
    c.masked = QColor(0x22, 0x25, 0x2c);
    c.sink = QColor(0x2d, 0x32, 0x3d);
    c.notANumber = QColor(0x2f, 0xc4, 0xb2);
    c.hatchGround = QColor(0x19, 0x1b, 0x20);
    c.hatchLine = QColor(0x36, 0x3b, 0x46);
    c.cellLine = QColor(0x1b, 0x1e, 0x24);
    return c;
}

ThemeColours light() {
    ThemeColours c;
    c.window = QColor(0xf4, 0xf5, 0xf8);
    c.panel = QColor(0xff, 0xff, 0xff);
    c.raised = QColor(0xee, 0xf0, 0xf4);
    c.hover = QColor(0xe2, 0xe6, 0xec);
    c.border = QColor(0xdf, 0xe3, 0xe9);
    c.borderStrong = QColor(0xb4, 0xbc, 0xc8);
    c.text = QColor(0x17, 0x1b, 0x22);
    c.textSoft = QColor(0x5a, 0x64, 0x72);
    c.textFaint = QColor(0x7e, 0x87, 0x94);
    c.accent = QColor(0xa8, 0x74, 0x00);
    c.onAccent = QColor(0xff, 0xff, 0xff);
    c.accentWash = QColor(0xfb, 0xf1, 0xd9);
    c.mha = QColor(0x25, 0x69, 0xb0);
    c.iha = QColor(0xb9, 0x54, 0x15);
    c.danger = QColor(0xb4, 0x23, 0x2c);
    c.outline = QColor(0x10, 0x14, 0x1a);
    c.masked = QColor(0xee, 0xf0, 0xf3);
    c.sink = QColor(0xdd, 0xe1, 0xe8);
    c.notANumber = QColor(0xc2, 0x3b, 0x8e);
    c.hatchGround = QColor(0xf6, 0xf7, 0xf9);
    c.hatchLine = QColor(0xcf, 0xd5, 0xde);
    c.cellLine = QColor(0xff, 0xff, 0xff);
    return c;
}

double linearised(double channel) {
    return channel <= 0.04045 ? channel / 12.92 : std::pow((channel + 0.055) / 1.055, 2.4);
}

}  // namespace

ThemeColours coloursOf(ThemeKind kind) {
    return kind == ThemeKind::dark ? dark() : light();
}

double luminance(const QColor& colour) {
    return 0.2126 * linearised(colour.redF()) + 0.7152 * linearised(colour.greenF()) +
           0.0722 * linearised(colour.blueF());
}

double contrast(const QColor& a, const QColor& b) {
    const double la = luminance(a), lb = luminance(b);
    return (std::max(la, lb) + 0.05) / (std::min(la, lb) + 0.05);
}

QColor readableOn(const QColor& ground) {
    const QColor ink(0x10, 0x13, 0x18), paper(0xf7, 0xf8, 0xfa);
    return contrast(ground, ink) >= contrast(ground, paper) ? ink : paper;
}

QColor blend(const QColor& under, const QColor& over, double share) {
    const auto mix = [share](float from, float to) {
        return static_cast<float>(from + (to - from) * share);
    };
    return QColor::fromRgbF(mix(under.redF(), over.redF()), mix(under.greenF(), over.greenF()),
                            mix(under.blueF(), over.blueF()));
}

}  // namespace headloom
