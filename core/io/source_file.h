#pragma once

#include "core/base/error.h"

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>

namespace headloom {

/// A file's bytes, mapped or in memory, and what keeps them alive.
struct SourceFile {
    std::filesystem::path path;  ///< for sentences
    std::span<const std::byte> bytes;
    std::shared_ptr<const void> owner;

    /// Maps a file read-only.
    static Result<SourceFile> open(const std::filesystem::path& path);

    std::string name() const { return path.string(); }
    std::string_view text() const {
        return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
    }
};

}  // namespace headloom
