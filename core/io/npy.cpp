#include "core/io/containers.h"
#include "core/io/inflate.h"
#include "core/io/zip.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>

namespace headloom {

namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::uint64_t longestHeader = 4096;  ///< of a plain type: a few dozen bytes

/// What a header says, and where the data starts.
struct NpyHeader {
    std::string descr;
    bool fortranOrder = false;
    std::vector<std::int64_t> shape;
    std::uint64_t dataStart = 0;
};

/// Reads the Python literal {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }.
class LiteralReader {
  public:
    explicit LiteralReader(std::string_view text) : rest_(text) {}

    bool read(NpyHeader& header) {
        bool descr = false, order = false, shape = false;
        if (!take('{')) return false;
        while (!take('}')) {
            const auto key = quoted();
            if (!key || !take(':')) return false;
            if (*key == "descr")
                descr = !std::exchange(descr, true) && readDescr(header);
            else if (*key == "fortran_order")
                order = !std::exchange(order, true) && readBoolean(header.fortranOrder);
            else if (*key == "shape")
                shape = !std::exchange(shape, true) && readTuple(header.shape);
            else
                return false;
            if (!take(',') && !peek('}')) return false;
        }
        skipSpace();
        return rest_.empty() && descr && order && shape;
    }

  private:
    void skipSpace() {
        rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r\n"), rest_.size()));
    }
    bool peek(char c) {
        skipSpace();
        return !rest_.empty() && rest_.front() == c;
    }
    bool take(char c) {
        if (!peek(c)) return false;
        rest_.remove_prefix(1);
        return true;
    }
    bool takeWord(std::string_view word) {
        skipSpace();
        if (!rest_.starts_with(word)) return false;
        rest_.remove_prefix(word.size());
        return true;
    }
    std::optional<std::string_view> quoted() {
        const char mark = peek('\'') ? '\'' : '"';
        if (!take(mark)) return std::nullopt;
        const std::size_t end = rest_.find(mark);
        if (end == std::string_view::npos) return std::nullopt;
        const std::string_view text = rest_.substr(0, end);
        rest_.remove_prefix(end + 1);
        return text;
    }
    /// A structured type is a list; it is named as such later.
    bool readDescr(NpyHeader& header) {
        if (peek('[')) {
            header.descr = "[...]";
            const std::size_t end = rest_.rfind(']');
            if (end == std::string_view::npos) return false;
            rest_.remove_prefix(end + 1);
            return true;
        }
        const auto text = quoted();
        if (text) header.descr = *text;
        return text.has_value();
    }
    bool readBoolean(bool& value) {
        value = takeWord("True");
        return value || takeWord("False");
    }
    bool readTuple(std::vector<std::int64_t>& sizes) {
        if (!take('(')) return false;
        while (!take(')')) {
            skipSpace();
            std::int64_t size = 0;
            const auto [end, error] =
                std::from_chars(rest_.data(), rest_.data() + rest_.size(), size);
            if (error != std::errc() || size < 0) return false;
            rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
            sizes.push_back(size);
            takeWord("L");  // Python 2
            if (!take(',') && !peek(')')) return false;
        }
        return true;
    }

    std::string_view rest_;
};

Result<NpyHeader> readHeader(std::string_view text, const std::string& where) {
    const auto refuse = [&where](std::string what) {
        return fail(Error::Kind::badFile, where, std::move(what),
                    "the file is damaged: download or save it again");
    };
    if (!text.starts_with(magic)) return refuse("is not a NumPy array");
    if (text.size() < 12)
        return refuse(fmt::format("is cut off in its header, at byte {}", text.size()));
    const int version = text[6];
    if (version < 1 || version > 3)
        return fail(Error::Kind::unsupported, where,
                    fmt::format("is of version {} of NumPy's format", version),
                    "versions 1 to 3 are read");
    std::uint32_t length = 0;
    std::memcpy(&length, text.data() + 8, version == 1 ? 2 : 4);
    const std::uint64_t start = version == 1 ? 10 : 12;
    if (length > longestHeader || length > text.size() - start)
        return refuse(
            fmt::format("its header claims {} bytes, but {} follow", length, text.size() - start));
    NpyHeader header;
    header.dataStart = start + length;
    if (!LiteralReader(text.substr(start, length)).read(header))
        return refuse("its header is not {'descr', 'fortran_order', 'shape'}");
    return header;
}

/// Type and byte order of "<f4". NumPy has no bfloat16: ml_dtypes writes it as raw 2-byte voids.
bool readType(const std::string& descr, TensorEntry& entry) {
    struct Known {
        std::string_view code;
        StoredType type;
    };
    static constexpr Known known[] = {
        {"f8", StoredType::f64},    {"f4", StoredType::f32}, {"f2", StoredType::f16},
        {"V2", StoredType::bf16},   {"i1", StoredType::i8},  {"i2", StoredType::i16},
        {"i4", StoredType::i32},    {"i8", StoredType::i64}, {"u1", StoredType::u8},
        {"u2", StoredType::u16},    {"u4", StoredType::u32}, {"u8", StoredType::u64},
        {"b1", StoredType::boolean}};
    if (descr.size() < 2 || std::string_view("<>|=").find(descr[0]) == std::string_view::npos)
        return false;
    entry.bigEndian = descr[0] == '>';
    for (const Known& one : known)
        if (one.code == std::string_view(descr).substr(1)) {
            entry.type = one.type;
            return true;
        }
    return false;
}

std::vector<std::int64_t> columnMajor(const std::vector<std::int64_t>& shape) {
    std::vector<std::int64_t> strides(shape.size());
    std::int64_t step = 1;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        strides[axis] = step;
        // an overflow is found when the entry is checked, by its shape
        if (__builtin_mul_overflow(step, std::max<std::int64_t>(shape[axis], 1), &step)) step = 1;
    }
    return strides;
}

/// The entry without its place.
Result<TensorEntry> entryOf(const NpyHeader& header, const std::string& name,
                            const std::string& where) {
    TensorEntry entry;
    entry.name = name;
    entry.typeName = header.descr;
    entry.shape = header.shape;
    if (header.descr.find('O') != std::string::npos)
        return fail(Error::Kind::unsupported, where, "holds Python objects, which are a program",
                    "save it with a numeric type");
    if (!readType(header.descr, entry)) entry.type = StoredType::other;
    if (header.fortranOrder && header.shape.size() > 1) entry.strides = columnMajor(header.shape);
    return entry;
}

Result<TensorEntry> memberEntry(const SourceFile& file, const ZipMember& member) {
    const std::string where = fmt::format("{}, \"{}\"", file.name(), member.name);
    if (!member.readable)
        return fail(Error::Kind::unsupported, where, "is encrypted or packed in an unusual way",
                    "save it again with numpy.savez");
    const auto stored = file.bytes.subspan(static_cast<std::size_t>(member.offset),
                                           static_cast<std::size_t>(member.storedBytes));
    std::string_view text = file.text().substr(member.offset, member.storedBytes);
    std::optional<std::vector<std::byte>> inflated;
    if (member.deflated) {
        const std::uint64_t most = std::min(member.contentBytes, longestHeader + 12);
        inflated = inflateUpTo(stored, static_cast<std::size_t>(most));
        if (!inflated)
            return fail(Error::Kind::badFile, where, "its compressed bytes cannot be inflated",
                        "the file is damaged: download or save it again");
        text = {reinterpret_cast<const char*>(inflated->data()), inflated->size()};
    }
    const auto header = readHeader(text, where);
    if (!header) return tl::unexpected(header.error());
    constexpr std::size_t ending = 4;  // ".npy"
    auto entry = entryOf(*header, member.name.substr(0, member.name.size() - ending), where);
    if (!entry) return tl::unexpected(entry.error());
    entry->offset = member.offset;
    entry->bytes = member.storedBytes;
    if (member.deflated) {
        entry->deflated = Deflated{member.contentBytes, header->dataStart};
    } else {
        entry->offset += header->dataStart;
        entry->bytes -= header->dataStart;
    }
    return entry;
}

}  // namespace

Result<TensorListing> listNpy(const SourceFile& file) {
    const auto header = readHeader(file.text(), file.name());
    if (!header) return tl::unexpected(header.error());
    auto entry = entryOf(*header, file.path.stem().string(), file.name());
    if (!entry) return tl::unexpected(entry.error());
    entry->offset = header->dataStart;
    entry->bytes = file.bytes.size() - header->dataStart;
    TensorListing listing;
    listing.format = "NumPy array";
    listing.files = {file};
    listing.entries.push_back(std::move(*entry));
    return listing;
}

Result<TensorListing> listNpz(const SourceFile& file, const std::vector<ZipMember>& members) {
    TensorListing listing;
    listing.format = "NumPy archive";
    listing.files = {file};
    for (const ZipMember& member : members) {
        if (!member.name.ends_with(".npy")) {
            listing.warnings.push_back(
                fmt::format("\"{}\" is no array and was skipped", member.name));
            continue;
        }
        auto entry = memberEntry(file, member);
        if (!entry) return tl::unexpected(entry.error());
        listing.entries.push_back(std::move(*entry));
    }
    return listing;
}

}  // namespace headloom
