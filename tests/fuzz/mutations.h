#pragma once

#include "tests/fuzz/targets.h"

namespace headloom::testing {

/// Runs a target over its seeds, over every length they can be cut to (at most 256 of them), and
/// over `count` changed ones: bits flipped, numbers replaced by the largest and the smallest,
/// pieces removed, repeated and exchanged. The same ones every time. Gives the number of runs.
int runMutations(const FuzzTarget& target, int count);

}  // namespace headloom::testing
