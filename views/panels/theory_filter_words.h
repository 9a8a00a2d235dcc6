#pragma once

#include "views/viewmodels/theory_filter_model.h"

namespace headloom {

/// How far the training of too few heads is, or what came of it, with what the rank allows.
QString trainedWords(const TheoryFilterModel& model);
/// The rule of restarts, and the commands that give the same numbers.
QString trainingTip(const TheoryFilterModel& model);

}  // namespace headloom
