#pragma once

#include "tests/gpu/device/device.h"

#include <cstdint>

namespace headloom::device {

struct CheckOptions {
    bool operators = true;  ///< else whole models alone
    bool small = false;     ///< no model of class size, which costs seconds; few steps
    std::uint64_t seed = 1;
};

/// The conformance check and its gradients, whole models (check_models.h), and memory that there is
/// not. Prints a line a group. True: all passed.
bool check(Device& device, const CheckOptions& options);

}  // namespace headloom::device
