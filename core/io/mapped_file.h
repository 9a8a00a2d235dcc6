#pragma once

#include "core/base/error.h"

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>

namespace headloom {

/// A file's bytes, mapped read-only: listing a large file reads only the pages it touches. The
/// mapping lives as long as the last shared_ptr.
class MappedFile {
  public:
    /// Errors: missing, a folder or device, unreadable. An empty file gives an empty span.
    static Result<std::shared_ptr<const MappedFile>> open(const std::filesystem::path& path);
    ~MappedFile();
    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;

    std::span<const std::byte> bytes() const { return {data_, size_}; }

  private:
    MappedFile(const std::byte* data, std::size_t size) : data_(data), size_(size) {}

    const std::byte* data_;
    std::size_t size_;
};

}  // namespace headloom
