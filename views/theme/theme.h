#pragma once

#include "views/theme/colour_table.h"
#include "views/theme/colours.h"

#include <QFont>
#include <QObject>

namespace headloom {

/// What a piece of text is for; size and weight follow.
enum class TextRole {
    body,         ///< 13 px
    strong,       ///< 13 px, semi-bold: names of things
    title,        ///< 14 px, semi-bold: headings of columns
    small,        ///< 12 px: captions, axis labels
    smallStrong,  ///< 12 px, semi-bold: numbers in the corner of a tile
    tiny,         ///< 11 px: numbers inside cells
    token,        ///< 14 px, monospaced: tokens in the prompt
    tokenSmall    ///< 12 px, monospaced: tokens on axes
};

/// Which table shows shares (values from zero up). Signed values always use purple-white-green.
enum class SharePalette { standard, cividis };

/// How the window looks: colours, fonts, sizes, colour tables. The program makes one and hands it
/// to every widget that draws; each connects `changed` to its update.
class Theme : public QObject {
    Q_OBJECT
  public:
    explicit Theme(ThemeKind kind = ThemeKind::dark, QObject* parent = nullptr);

    ThemeKind kind() const { return kind_; }
    void setKind(ThemeKind kind);
    /// Factor on every length and font, clamped to 0.75..3. Independent of the screen's own
    /// device-pixel ratio.
    double scale() const { return scale_; }
    void setScale(double scale);
    SharePalette sharePalette() const { return sharePalette_; }
    void setSharePalette(SharePalette palette);

    const ThemeColours& colours() const { return colours_; }
    /// Zero is dark in the dark theme and light in the light one.
    const ColourTable& shares() const { return shares_; }
    const ColourTable& diverging() const { return diverging_; }

    /// Inter or JetBrains Mono, with DejaVu where they are missing.
    QFont font(TextRole role) const;
    /// A design length in logical pixels at the present scale.
    double px(double design) const { return design * scale_; }
    int pixels(double design) const { return qRound(design * scale_); }
    /// Corner radius of cards and buttons: 6 design pixels.
    double radius() const { return px(6); }

  signals:
    /// Anything above is different: repaint, and lay out again.
    void changed();

  private:
    void rebuild();

    ThemeKind kind_;
    double scale_ = 1;
    SharePalette sharePalette_ = SharePalette::standard;
    ThemeColours colours_;
    ColourTable shares_, diverging_;
};

}  // namespace headloom
