#pragma once

#include <string_view>
#include <vector>

namespace headloom {

/// The files of assets/architectures, by name. Written by the build.
std::vector<std::string_view> builtinArchitectureTexts();
/// Those of its folder attention.
std::vector<std::string_view> builtinAttentionTexts();

}  // namespace headloom
