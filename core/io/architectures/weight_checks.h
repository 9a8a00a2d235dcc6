#pragma once

#include "core/models/weights.h"

#include <functional>
#include <string>
#include <vector>

namespace headloom {

/// What is wrong with numbers as such, one sentence a tensor: NaN and infinities (and the heads
/// they are in), matrices that are all zero, and sizes that no training gives, as numbers have
/// whose bytes were read in the wrong order. `cancelled` is polled between tensors; true leaves the
/// others out.
std::vector<std::string> checkNumbers(const Weights& weights,
                                      const std::function<bool()>& cancelled = {});

}  // namespace headloom
