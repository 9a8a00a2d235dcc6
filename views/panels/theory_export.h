#pragma once

#include "views/viewmodels/exportable.h"

namespace headloom {

class Theme;
class TheoryPart;

/// A part as it stands: its pictures on white below each other with the words that are said of
/// them and the settings, or its numbers as CSV. `window` is the theme that the part is seen in.
Exportable exportableOf(const TheoryPart& part, const Theme& window);

}  // namespace headloom
