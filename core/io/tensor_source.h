#pragma once

#include "core/base/error.h"
#include "core/io/source_file.h"
#include "core/io/stored_type.h"
#include "core/tensor/tensor.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace headloom {

/// Where the elements of a tensor lie in bytes that are deflated (zip's method 8).
struct Deflated {
    std::uint64_t inflatedBytes = 0;  ///< as declared: inflating never gives more
    std::uint64_t skip = 0;           ///< inflated bytes before the tensor's first element
};

/// One tensor as a file lists it.
struct TensorEntry {
    std::string name;
    StoredType type = StoredType::other;
    std::string typeName;               ///< as the file spells it
    std::vector<std::int64_t> shape;    ///< outermost first, none negative; any number of axes
    std::vector<std::int64_t> strides;  ///< elements per step of each axis; empty: row-major
    std::size_t file = 0;               ///< index in TensorSource::files()
    std::uint64_t offset = 0;           ///< of its bytes in that file
    std::uint64_t bytes = 0;            ///< stored in that file
    bool bigEndian = false;
    std::uint64_t groupSize = 0;  ///< of StoredType::i8Groups
    std::optional<Deflated> deflated;

    /// Product of the shape; that it fits is checked when the source is made.
    std::int64_t count() const;
    /// "other" is not, and neither is a shape of more axes than Shape holds (a TensorReader reads
    /// those).
    bool isReadable() const;
};

/// What a container's reader finds. Unchecked: TensorSource::of checks it.
struct TensorListing {
    std::string format;  ///< for the report: "safetensors, 2 shards"
    std::vector<SourceFile> files;
    std::vector<TensorEntry> entries;
    std::map<std::string, std::string> metadata;
    std::vector<std::string> warnings;
};

/// The elements of one tensor in row-major order, decoded as they are asked for. Lives on its own:
/// it keeps the bytes.
class TensorReader {
  public:
    std::int64_t count() const { return count_; }
    /// Elements first .. first + out.size() - 1, which must exist. Integers are rounded to the
    /// nearest number of the type; false is 0 and true 1.
    void read(std::int64_t first, std::span<float> out) const { readAs(first, out); }
    void read(std::int64_t first, std::span<double> out) const { readAs(first, out); }

  private:
    friend class TensorSource;
    template <class Out>
    void readAs(std::int64_t first, std::span<Out> out) const;

    StoredElements elements_;
    std::vector<std::int64_t> shape_, strides_;
    std::int64_t count_ = 0;
    std::shared_ptr<const void> owner_;
};

/// A checkpoint as a list of tensors, whatever its container: a file, or a set of shards. Immutable
/// and safe to share between threads. Nothing is read before it is asked for; everything an entry
/// says has been checked against the bytes that exist.
class TensorSource {
  public:
    /// Checks every entry (its bytes exist and suffice for type, shape and strides; names differ).
    /// Errors name file, tensor and offset.
    static Result<std::shared_ptr<const TensorSource>> of(TensorListing listing);

    /// What the container is, in words: "safetensors, 2 shards".
    const std::string& format() const { return listing_.format; }
    /// In the order of the container.
    const std::vector<TensorEntry>& entries() const { return listing_.entries; }
    /// Null where there is none.
    const TensorEntry* find(std::string_view name) const;
    /// safetensors' __metadata__, GGUF's keys, nanoGPT's model_args, llama2.c's header.
    const std::map<std::string, std::string>& metadata() const { return listing_.metadata; }
    /// Sentences for the report: objects skipped, prefixes removed, metadata that is no text.
    const std::vector<std::string>& warnings() const { return listing_.warnings; }
    const std::vector<SourceFile>& files() const { return listing_.files; }

    /// The bytes of an entry of this source as stored, in place. Not aligned: copy, never cast.
    std::span<const std::byte> bytes(const TensorEntry& entry) const;
    /// A contiguous host copy, float32 or float64. Refused: types that are not read, more axes than
    /// a Shape has, and a result far larger than what is stored (a repeated or deflated tensor of a
    /// hostile file). `goOn` is asked between blocks; false ends it as interrupted.
    Result<Tensor> read(const TensorEntry& entry, DType as,
                        const std::function<bool()>& goOn = {}) const;
    /// For going through a tensor block by block without a copy of the whole.
    Result<TensorReader> reader(const TensorEntry& entry) const;

    TensorSource(const TensorSource&) = delete;
    TensorSource& operator=(const TensorSource&) = delete;

  private:
    explicit TensorSource(TensorListing listing) : listing_(std::move(listing)) {}
    std::string where(const TensorEntry& entry) const;

    TensorListing listing_;
    std::unordered_map<std::string_view, std::size_t> byName_;
};

/// Opens a checkpoint: safetensors, GGUF, PyTorch's zip form, npy, npz or llama2.c, told apart by
/// content; a folder or an index file opens as the set of its shards. What is something else (a Git
/// LFS pointer, a web page, a TorchScript archive, ONNX) is named as that.
Result<std::shared_ptr<const TensorSource>> openTensorSource(const std::filesystem::path& path);
/// The same from bytes; a set of shards needs a path.
Result<std::shared_ptr<const TensorSource>> openTensorSource(const SourceFile& file);

/// Host tensors as a source.
std::shared_ptr<const TensorSource> sourceOfTensors(
    std::vector<std::pair<std::string, Tensor>> tensors,
    std::map<std::string, std::string> metadata = {});

}  // namespace headloom
