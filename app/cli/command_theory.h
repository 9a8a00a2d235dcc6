#pragma once

#include "app/cli/command.h"

namespace headloom::cli {

// The parts of "theory", one file each.
void addTheoryPolynomial(CLI::App& theory, Work& work);
void addTheoryCpm3(CLI::App& theory, Work& work);
void addTheoryContainment(CLI::App& theory, Work& work);
void addTheoryLookBack(CLI::App& theory, Work& work);
void addTheoryCost(CLI::App& theory, Work& work);
void addTheoryErrata(CLI::App& theory, Work& work);

}  // namespace headloom::cli
