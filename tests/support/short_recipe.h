#pragma once

#include "core/session/recipe.h"

namespace headloom::testing {

/// Twelve steps of IHA on the four witnesses, evaluated twice on the way.
inline Recipe shortRecipe(std::uint64_t seed) {
    Recipe recipe = makeRecipe("four-witnesses", "iha", seed).value();
    recipe.settings.steps = 12;
    recipe.settings.batch = 4;
    recipe.settings.warmupSteps = 3;
    recipe.settings.evaluateEvery = 5;
    recipe.settings.evaluateExamples = 10;
    return recipe;
}

}  // namespace headloom::testing
