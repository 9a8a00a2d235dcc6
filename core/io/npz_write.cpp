#include "core/io/npz_write.h"

#include "core/io/atomic_file.h"

#include <fmt/format.h>
#include <zip.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string_view>

namespace headloom {

namespace {

constexpr std::size_t alignment = 64;  ///< of the data behind a header, as numpy.save pads it

/// Magic, version, length and the Python literal that describes the array.
std::string npyHeader(const Tensor& tensor) {
    const char* type = tensor.dtype() == DType::f64   ? "<f8"
                       : tensor.dtype() == DType::f32 ? "<f4"
                                                      : "<i4";
    std::string shape;
    for (const std::int64_t size : tensor.shape().sizes()) shape += fmt::format("{}, ", size);
    std::string literal =
        fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", type, shape);
    constexpr std::size_t before = 10;
    const std::size_t whole = (before + literal.size() + 1 + alignment - 1) / alignment * alignment;
    literal.resize(whole - before - 1, ' ');
    literal += '\n';
    const auto length = static_cast<unsigned>(literal.size());
    std::string header = "\x93NUMPY";
    for (const unsigned byte : {1u, 0u, length & 0xff, length >> 8})
        header += static_cast<char>(byte);
    return header + literal;
}

struct SourceFree {
    void operator()(zip_source_t* source) const { zip_source_free(source); }
};
using Source = std::unique_ptr<zip_source_t, SourceFree>;
struct ArchiveDiscard {
    void operator()(zip_t* archive) const { zip_discard(archive); }
};
using Archive = std::unique_ptr<zip_t, ArchiveDiscard>;

/// Adds bytes that outlive the archive. False where that fails.
bool add(zip_t* archive, const std::string& name, const std::string& bytes) {
    Source source(zip_source_buffer(archive, bytes.data(), bytes.size(), 0));
    if (!source) return false;
    const zip_int64_t index = zip_file_add(archive, name.c_str(), source.get(), ZIP_FL_ENC_UTF_8);
    if (index < 0) return false;
    source.release();  // the archive's now
    const auto member = static_cast<zip_uint64_t>(index);
    // no clock: the same tensors make the same file
    return zip_set_file_compression(archive, member, ZIP_CM_STORE, 0) == 0 &&
           zip_file_set_dostime(archive, member, 0, (1 << 5) | 1, 0) == 0;
}

/// All that a zip source holds.
std::string contentsOf(zip_source_t* source) {
    zip_stat_t stat;
    if (zip_source_stat(source, &stat) != 0 || zip_source_open(source) != 0) return {};
    std::string bytes(static_cast<std::size_t>(stat.size), '\0');
    const zip_int64_t read = zip_source_read(source, bytes.data(), bytes.size());
    zip_source_close(source);
    bytes.resize(static_cast<std::size_t>(std::max<zip_int64_t>(read, 0)));
    return bytes;
}

/// The archive's bytes; empty where it cannot be made.
std::string zipped(const std::vector<std::pair<std::string, std::string>>& members) {
    const Source target(zip_source_buffer_create(nullptr, 0, 0, nullptr));
    if (!target) return {};
    zip_source_keep(target.get());  // read once the archive is closed
    Archive archive(zip_open_from_source(target.get(), ZIP_CREATE | ZIP_TRUNCATE, nullptr));
    if (!archive) {
        zip_source_free(target.get());
        return {};
    }
    for (const auto& [name, bytes] : members)
        if (!add(archive.get(), name, bytes)) return {};
    if (zip_close(archive.get()) != 0) return {};
    archive.release();
    return contentsOf(target.get());
}

}  // namespace

Result<void> writeNpz(const std::filesystem::path& path,
                      const std::vector<std::pair<std::string, Tensor>>& tensors,
                      const std::string& note) {
    std::vector<std::pair<std::string, std::string>> members;
    std::set<std::string_view> names;
    for (const auto& [name, tensor] : tensors) {
        if (!names.insert(name).second)
            return fail(Error::Kind::badInput, path.string(),
                        fmt::format("\"{}\" would occur twice", name),
                        "give every tensor a name of its own");
        std::string bytes = npyHeader(tensor);
        bytes.append(reinterpret_cast<const char*>(tensor.raw()), tensor.bytes());
        members.emplace_back(name + ".npy", std::move(bytes));
    }
    members.emplace_back("note.txt", note);
    const std::string archive = zipped(members);
    if (archive.empty())
        return fail(Error::Kind::ioFailure, path.string(), "the archive could not be put together",
                    "write a .safetensors instead");
    return writeFileAtomically(path, archive);
}

}  // namespace headloom
