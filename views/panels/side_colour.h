#pragma once

#include "views/theme/theme.h"
#include "views/viewmodels/map_ref.h"

class QLabel;

namespace headloom {

class ExploreViewModel;

/// Blue for a column whose model has ordinary heads, orange where heads interleave. Two columns of
/// one kind share its colour; their names, their places and their marks tell them apart.
QColor sideColour(const ExploreViewModel& model, const Theme& theme, Side side);

/// Colours a label as its column; follows the model only when called again.
void colourLabel(QLabel* label, const ExploreViewModel& model, Side side);

/// The sign before a column's model: a square on the left, a diamond on the right.
QString sideMark(Side side);

}  // namespace headloom
