#pragma once

#include "core/base/error.h"

#include <string>

namespace headloom {

/// "name: value cannot be had; use least to most." where it is outside.
Result<void> checkRange(const std::string& name, int value, int least, int most);
Result<void> checkRange(const std::string& name, double value, double least, double most);

}  // namespace headloom
