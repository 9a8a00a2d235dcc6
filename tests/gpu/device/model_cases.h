#pragma once

#include "core/models/config.h"

#include <cstdint>
#include <string>
#include <vector>

namespace headloom::device {

/// A whole model to be run on two backends.
struct ModelCase {
    std::string name;
    ModelConfig config;
    std::int64_t batch = 1, tokens = 1;
    int steps = 10;  ///< of AdamW
};

/// Every kind of attention and the switches of other people's models, at sizes that divide no
/// block of threads.
std::vector<ModelCase> smallModels();

}  // namespace headloom::device
