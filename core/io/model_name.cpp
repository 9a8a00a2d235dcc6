#include "core/io/model_name.h"

#include <algorithm>
#include <array>

namespace headloom {

std::string modelName(const std::filesystem::path& path) {
    constexpr std::array<const char*, 5> common = {"model", "pytorch_model",
                                                   "model.safetensors.index",
                                                   "pytorch_model.bin.index", "consolidated"};
    std::error_code ignored;
    const std::filesystem::path whole = std::filesystem::absolute(path, ignored).lexically_normal();
    if (std::filesystem::is_directory(path, ignored))
        return (whole.has_filename() ? whole : whole.parent_path()).filename().string();
    const std::string stem = path.stem().string();
    const bool isCommon = std::find(common.begin(), common.end(), stem) != common.end();
    return isCommon && whole.parent_path().has_filename() ? whole.parent_path().filename().string()
                                                          : stem;
}

}  // namespace headloom
