#pragma once

#include "core/base/error.h"
#include "core/io/gguf_value.h"
#include "core/io/source_file.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace headloom {

struct GgufKey {
    std::string_view name;
    GgufValue value;
};

struct GgufTensor {
    std::string_view name;
    std::vector<std::int64_t> shape;  ///< outermost first, the reverse of the file's order
    std::uint32_t type = 0;           ///< as the file numbers it
    std::uint64_t offset = 0;         ///< of its first byte in the file
    std::uint64_t bytes = 0;          ///< of an unknown type: as far as the next tensor
};

/// A type of GGUF's tensors: `block` elements in `bytes` bytes.
struct GgufTensorType {
    const char* name;
    std::uint64_t block, bytes;
};
/// None for a number that this program does not know.
const GgufTensorType* ggufTensorType(std::uint32_t type);

/// The header of a GGUF file, version 2 or 3: keys and where the tensors lie. Parsed from one end
/// to the other and checked as ggml does; values and names stay in the file.
class GgufFile {
  public:
    /// Errors name file, key or tensor and byte. No count or length of the file makes it allocate
    /// more than the file itself is long, times a small constant.
    static Result<GgufFile> parse(const SourceFile& file);

    const SourceFile& source() const { return source_; }
    std::uint32_t version() const { return version_; }
    const std::vector<GgufKey>& keys() const { return keys_; }
    /// Null where there is none.
    const GgufValue* find(std::string_view key) const;
    /// In the order of the file.
    const std::vector<GgufTensor>& tensors() const { return tensors_; }

  private:
    friend class GgufParser;

    SourceFile source_;
    std::uint32_t version_ = 0;
    std::vector<GgufKey> keys_;
    std::unordered_map<std::string_view, std::size_t> byName_;
    std::vector<GgufTensor> tensors_;
};

}  // namespace headloom
