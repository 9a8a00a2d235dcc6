#pragma once

#include "core/base/error.h"

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

namespace headloom {

/// Writes the pieces one after another to a temporary file beside `path`, flushes it to the disk
/// and renames it: whoever reads `path`, also after a crash, finds the old file or the new one,
/// whole. A symbolic link keeps pointing at the file that is replaced.
Result<void> writeFileAtomically(const std::filesystem::path& path,
                                 const std::vector<std::span<const std::byte>>& pieces);
Result<void> writeFileAtomically(const std::filesystem::path& path, std::string_view text);

}  // namespace headloom
