#pragma once

#include "core/session/arm_changes.h"
#include "core/session/filter_training.h"

namespace headloom {

/// Arms of the lesson on graph filters: MHA and IHA with two heads, and MHA with as many heads as
/// there are filters, which has no floor.
std::vector<ArmInfo> filterArms(const TaskSettings& settings);

/// The recipe of an arm on a filter bank as set (graphFilterChoices). Of the changes, heads,
/// pseudo, the attention kind, learning rate, batch, steps and the start of the mixing have a
/// meaning here. Errors: unknown arm or setting; an impossible filter; a change that has no
/// meaning.
Result<FilterRecipe> filterRecipe(const TaskSettings& settings, const std::string& arm,
                                  const ArmChanges& changes);

}  // namespace headloom
