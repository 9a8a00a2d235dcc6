#pragma once

#include "core/base/error.h"
#include "core/io/source_file.h"

#include <cstdint>
#include <string>
#include <vector>

namespace headloom {

/// One file in a zip archive. Its data lies within the archive; that was checked.
struct ZipMember {
    std::string name;
    std::uint64_t offset = 0;        ///< of the stored data in the archive
    std::uint64_t storedBytes = 0;   ///< in the archive
    std::uint64_t contentBytes = 0;  ///< once unpacked, as declared
    bool deflated = false;
    bool readable = true;  ///< neither encrypted nor packed in another way
};

/// Reads the directory at the archive's end, which alone is to be trusted: PyTorch leaves the sizes
/// before the data 0. ZIP64 included. Refused: archives cut off, names that occur twice (which of
/// the two counts differs between readers), directories that do not fit the file.
Result<std::vector<ZipMember>> listZip(const SourceFile& file);

/// The bytes of a member: in place where stored, else unpacked, up to `most` bytes. More than that,
/// or damage, is an error.
Result<SourceFile> contentsOf(const SourceFile& file, const ZipMember& member, std::uint64_t most);

}  // namespace headloom
