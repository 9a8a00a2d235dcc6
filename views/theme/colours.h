#pragma once

#include <QColor>

namespace headloom {

enum class ThemeKind { dark, light };

/// Every colour the window uses, by what it means. Blue always says MHA, orange always IHA, and
/// the accent only "the evidence, and what is selected".
struct ThemeColours {
    QColor window;                  ///< the ground behind everything
    QColor panel;                   ///< cards, bars, menus
    QColor raised;                  ///< chips and buttons on a panel
    QColor hover;                   ///< a raised thing under the pointer
    QColor border;                  ///< quiet lines between things
    QColor borderStrong;            ///< frames of fields and buttons, scroll bar handles
    QColor text;                    ///< what is read
    QColor textSoft;                ///< captions and units
    QColor textFaint;               ///< what is disabled or still to come
    QColor accent;                  ///< the evidence, and what is selected
    QColor onAccent;                ///< text on a ground of accent
    QColor accentWash;              ///< a faint ground of accent
    QColor mha, iha;                ///< the two kinds of attention
    QColor danger;                  ///< an error, a wrong symbol
    QColor outline;                 ///< the current row and the head that is open
    QColor masked;                  ///< cells no query may see
    QColor sink;                    ///< the first token's column while it is hidden
    QColor notANumber;              ///< cells that are not finite
    QColor hatchGround, hatchLine;  ///< rows that have not happened yet
    QColor cellLine;                ///< between the cells of a map, when they are large
};

ThemeColours coloursOf(ThemeKind kind);

/// WCAG relative luminance, 0 (black) to 1 (white).
double luminance(const QColor& colour);
/// WCAG contrast ratio, 1 to 21.
double contrast(const QColor& a, const QColor& b);
/// Near-black or near-white, whichever reads better on this ground.
QColor readableOn(const QColor& ground);
/// `share` of `over` mixed into `under` in sRGB; share in 0..1.
QColor blend(const QColor& under, const QColor& over, double share);

}  // namespace headloom
