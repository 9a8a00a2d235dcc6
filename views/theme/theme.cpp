#include "views/theme/theme.h"

#include <algorithm>

namespace headloom {
namespace {

struct Face {
    double size;  ///< design pixels
    QFont::Weight weight;
    bool mono;
};

Face faceOf(TextRole role) {
    switch (role) {
        case TextRole::body:
            return {13, QFont::Normal, false};
        case TextRole::strong:
            return {13, QFont::DemiBold, false};
        case TextRole::title:
            return {14, QFont::DemiBold, false};
        case TextRole::small:
            return {12, QFont::Normal, false};
        case TextRole::smallStrong:
            return {12, QFont::DemiBold, false};
        case TextRole::tiny:
            return {11, QFont::Normal, false};
        case TextRole::token:
            return {14, QFont::Normal, true};
        case TextRole::tokenSmall:
            return {12, QFont::Normal, true};
    }
    return {13, QFont::Normal, false};
}

}  // namespace

Theme::Theme(ThemeKind kind, QObject* parent) : QObject(parent), kind_(kind) {
    rebuild();
}

void Theme::setKind(ThemeKind kind) {
    if (kind == kind_) return;
    kind_ = kind;
    rebuild();
    emit changed();
}

void Theme::setScale(double scale) {
    const double clamped = std::clamp(scale, 0.75, 3.0);
    if (clamped == scale_) return;
    scale_ = clamped;
    emit changed();
}

void Theme::setSharePalette(SharePalette palette) {
    if (palette == sharePalette_) return;
    sharePalette_ = palette;
    rebuild();
    emit changed();
}

QFont Theme::font(TextRole role) const {
    const Face face = faceOf(role);
    QFont font;
    font.setFamilies(face.mono ? QStringList{"JetBrains Mono", "DejaVu Sans Mono"}
                               : QStringList{"Inter", "DejaVu Sans"});
    font.setStyleHint(face.mono ? QFont::Monospace : QFont::SansSerif);
    font.setPixelSize(std::max(1, pixels(face.size)));
    font.setWeight(face.weight);
    return font;
}

void Theme::rebuild() {
    const bool isDark = kind_ == ThemeKind::dark;
    colours_ = coloursOf(kind_);
    if (sharePalette_ == SharePalette::standard) {
        shares_ = builtInColourTable(isDark ? QStringLiteral("inferno") : QStringLiteral("ink"));
    } else {
        shares_ = builtInColourTable(QStringLiteral("cividis"));
        if (!isDark) std::reverse(shares_.entries.begin(), shares_.entries.end());
    }
    diverging_ =
        builtInColourTable(isDark ? QStringLiteral("prgn-dark") : QStringLiteral("prgn-light"));
}

}  // namespace headloom
