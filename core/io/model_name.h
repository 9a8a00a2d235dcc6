#pragma once

#include <filesystem>
#include <string>

namespace headloom {

/// What to call a checkpoint that does not name itself: its file's name without the ending, or its
/// folder's, where programs call the file alike in every folder ("model.safetensors").
std::string modelName(const std::filesystem::path& path);

}  // namespace headloom
