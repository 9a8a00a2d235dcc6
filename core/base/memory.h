#pragma once

#include "core/base/error.h"

#include <string>

namespace headloom {

/// Refuses what this machine's memory cannot hold, or cannot now. To be asked before large
/// allocations whose size a user chose: the system grants memory first and ends the program later,
/// when it is written to. `what` names the thing, `remedy` what to do instead.
Result<void> checkMemory(double bytes, const std::string& what, const std::string& remedy);

}  // namespace headloom
