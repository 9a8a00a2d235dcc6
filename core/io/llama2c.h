#pragma once

#include <string_view>

namespace headloom {

/// Whether this is llama2.c's version 0, which has no magic number: seven plausible numbers, and a
/// file of exactly the size that they ask for.
bool isHeadlessLlama2c(std::string_view text);

}  // namespace headloom
