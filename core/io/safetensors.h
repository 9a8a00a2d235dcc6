#pragma once

#include "core/base/error.h"
#include "core/io/source_file.h"
#include "core/tensor/tensor.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headloom {

/// One tensor as a file lists it.
struct SafetensorsEntry {
    std::string name;
    std::string dtype;  ///< as written: "F32", or a type this program does not know
    std::vector<std::int64_t> shape;
    std::uint64_t begin = 0, end = 0;  ///< bytes, from the start of the data
};

/// A safetensors file (format of huggingface/safetensors): 8 bytes of header length, a JSON header,
/// the data. Memory-mapped; every rule of the format is checked when it is opened, so that a listed
/// entry can be trusted: its bytes exist, belong to it alone, and fit its type and shape. Types and
/// ranks that this program does not compute with are listed but not read.
class SafetensorsFile {
  public:
    /// Errors name the file, the tensor and the offset. What is something else altogether (an empty
    /// file, a Git LFS pointer, a web page, a PyTorch or GGUF file) is named as that.
    static Result<SafetensorsFile> open(const std::filesystem::path& path);
    static Result<SafetensorsFile> of(const SourceFile& file);

    const std::filesystem::path& path() const { return file_.path; }
    /// In the order of the data.
    const std::vector<SafetensorsEntry>& entries() const { return entries_; }
    const SafetensorsEntry* find(std::string_view name) const;
    const std::map<std::string, std::string>& metadata() const { return metadata_; }
    /// Sentences about metadata that is no text; files have it whose tensors are fine.
    const std::vector<std::string>& warnings() const { return warnings_; }

    /// The bytes of an entry of this file, in place. Not aligned: copy, never cast.
    std::span<const std::byte> bytes(const SafetensorsEntry& entry) const;
    /// Where the data starts in the file.
    std::uint64_t dataStart() const { return dataStart_; }
    /// A host copy as float32 or float64, of every type that has a StoredType. `goOn` is asked
    /// between blocks; false ends it as interrupted.
    Result<Tensor> read(const SafetensorsEntry& entry, DType as,
                        const std::function<bool()>& goOn = {}) const;

  private:
    SourceFile file_;
    std::size_t dataStart_ = 0;
    std::vector<SafetensorsEntry> entries_;
    std::map<std::string, std::string> metadata_;
    std::vector<std::string> warnings_;
};

/// Writes host tensors atomically. Wide types come first, then names in order, and the header is
/// padded to 8 bytes, so that the data is aligned and equal contents give equal bytes.
Result<void> writeSafetensors(const std::filesystem::path& path,
                              std::vector<std::pair<std::string, Tensor>> tensors,
                              const std::map<std::string, std::string>& metadata = {});

}  // namespace headloom
