#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace headloom {

/// How many bytes llama2.c's version 0, which has no magic number, asks for where a file begins
/// with seven plausible numbers; none: it does not.
std::optional<std::uint64_t> bytesOfHeadlessLlama2c(std::string_view text);
/// Whether it is one: a file of exactly that size.
bool isHeadlessLlama2c(std::string_view text);

}  // namespace headloom
