#pragma once

#include "views/theme/theme.h"

#include <QIcon>

namespace headloom {

/// Small pictures on buttons, drawn as paths so that they are sharp at every scale and follow the
/// theme's colours.
enum class Glyph { first, back, play, pause, forward, last, edit, open, fresh, swap };

/// In the text colour, faint where disabled; redraw when the theme changes.
QIcon glyphIcon(Glyph glyph, const Theme& theme);

}  // namespace headloom
