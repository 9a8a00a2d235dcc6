#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace headloom {

/// "1 head", "3 heads".
std::string counted(std::uint64_t count, std::string_view noun);

}  // namespace headloom
