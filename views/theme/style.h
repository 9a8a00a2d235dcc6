#pragma once

#include "views/theme/theme.h"

#include <QPalette>
#include <QString>

class QApplication;

namespace headloom {

/// The palette for everything a style sheet does not reach.
QPalette paletteOf(const Theme& theme);

/// The application's style sheet. Beside the plain widgets it knows these dynamic properties:
///   QFrame   card="true"      panel ground, quiet border, rounded; card="open": outlined
///   QFrame   bar="true"       a strip of the window's ground; bar="line": with a line below
///   QFrame   segments="true"  the ground of a row of segment buttons
///   QLabel   role="title" | "strong" | "soft" | "faint" | "small" | "accent" | "mha" | "iha"
///            | "danger" | "token"
///   QAbstractButton  look="chip" | "quiet" | "primary" | "segment"; chip and segment may be
///   checked QAbstractButton  evidence="true" on a chip: ringed in the accent; narrow="true" on a
///   segment: of a row of many
///   QTableView  dense="true": many numbers beside each other
/// After changing a property at run time call `repolish`.
QString styleSheetOf(const Theme& theme);

/// Style, palette, font and style sheet of the whole application. Call again whenever the theme
/// says it changed.
void dress(QApplication& application, const Theme& theme);

/// Makes a widget notice that a property which the style sheet reads has changed.
void repolish(QWidget* widget);

}  // namespace headloom
