#include "core/io/zip.h"

#include "core/io/inflate.h"

#include <fmt/format.h>

#include <cstring>
#include <optional>
#include <unordered_set>

namespace headloom {

namespace {

constexpr std::uint64_t none = ~std::uint64_t{0};
constexpr std::uint32_t in64 = 0xffffffffu;  ///< "the number stands in the ZIP64 field"
constexpr std::uint32_t localMagic = 0x04034b50, centralMagic = 0x02014b50, endMagic = 0x06054b50,
                        end64Magic = 0x06064b50, locator64Magic = 0x07064b50;
constexpr std::uint64_t localBytes = 30, centralBytes = 46, endBytes = 22, end64Bytes = 56,
                        locator64Bytes = 20;

std::uint16_t u16At(std::string_view text, std::uint64_t at) {
    std::uint16_t number = 0;
    std::memcpy(&number, text.data() + at, 2);
    return number;
}
std::uint32_t u32At(std::string_view text, std::uint64_t at) {
    std::uint32_t number = 0;
    std::memcpy(&number, text.data() + at, 4);
    return number;
}
std::uint64_t u64At(std::string_view text, std::uint64_t at) {
    std::uint64_t number = 0;
    std::memcpy(&number, text.data() + at, 8);
    return number;
}

/// Whether `bytes` bytes from `at` on exist.
bool holds(std::string_view text, std::uint64_t at, std::uint64_t bytes) {
    return at <= text.size() && bytes <= text.size() - at;
}

tl::unexpected<Error> damaged(const SourceFile& file, std::string what) {
    return fail(Error::Kind::badFile, file.name(), std::move(what),
                "the file is damaged: download or save it again");
}

struct Directory {
    std::uint64_t offset = 0, bytes = 0, members = 0;
};

/// The end record is the last thing in the file but for a comment of up to 64 KiB.
std::uint64_t findEnd(std::string_view text) {
    if (text.size() < endBytes) return none;
    const std::uint64_t last = text.size() - endBytes;
    const std::uint64_t first = last - std::min<std::uint64_t>(last, 0xffff);
    for (std::uint64_t at = last + 1; at-- > first;)
        if (u32At(text, at) == endMagic && at + endBytes + u16At(text, at + 20) == text.size())
            return at;
    return none;
}

Result<Directory> findDirectory(const SourceFile& file) {
    const std::string_view text = file.text();
    const std::uint64_t end = findEnd(text);
    if (end == none)
        return fail(Error::Kind::badFile, file.name(),
                    fmt::format("is cut off: a zip archive ends with its directory, and after {} "
                                "bytes there is none",
                                text.size()),
                    "download or save it again");
    Directory directory = {u32At(text, end + 16), u32At(text, end + 12), u16At(text, end + 10)};
    std::uint64_t limit = end;
    if (end >= locator64Bytes && u32At(text, end - locator64Bytes) == locator64Magic) {
        const std::uint64_t at = u64At(text, end - locator64Bytes + 8);
        if (!holds(text, at, end64Bytes) || u32At(text, at) != end64Magic)
            return damaged(file, fmt::format("its ZIP64 record is not at byte {}", at));
        directory = {u64At(text, at + 48), u64At(text, at + 40), u64At(text, at + 32)};
        limit = at;
    }
    if (directory.offset > limit || directory.bytes > limit - directory.offset)
        return damaged(file, fmt::format("its directory of {} bytes at byte {} reaches beyond {}",
                                         directory.bytes, directory.offset, limit));
    if (directory.members > directory.bytes / centralBytes)
        return damaged(file, fmt::format("its directory of {} bytes cannot hold {} members",
                                         directory.bytes, directory.members));
    return directory;
}

/// The numbers of one central entry that may be moved to its ZIP64 field.
struct Sizes {
    std::uint64_t content = 0, stored = 0, local = 0;
};

/// Replaces what is marked as being in the ZIP64 field; false where it is not there.
bool resolve64(std::string_view extra, Sizes& sizes) {
    std::vector<std::uint64_t*> wanted;
    for (std::uint64_t* number : {&sizes.content, &sizes.stored, &sizes.local})
        if (*number == in64) wanted.push_back(number);
    if (wanted.empty()) return true;
    while (extra.size() >= 4) {
        const std::uint16_t kind = u16At(extra, 0), length = u16At(extra, 2);
        if (!holds(extra, 4, length)) return false;
        if (kind == 1) {
            if (length < 8 * wanted.size()) return false;
            for (std::size_t i = 0; i < wanted.size(); ++i) *wanted[i] = u64At(extra, 4 + 8 * i);
            return true;
        }
        extra.remove_prefix(4 + std::size_t{length});
    }
    return false;
}

/// Where the data behind a local header starts; none where there is no such header.
std::optional<std::uint64_t> dataStart(std::string_view text, std::uint64_t local) {
    if (!holds(text, local, localBytes) || u32At(text, local) != localMagic) return std::nullopt;
    return local + localBytes + u16At(text, local + 26) + u16At(text, local + 28);
}

/// Reads the central entry at `at` and moves on behind it.
Result<ZipMember> readMember(const SourceFile& file, std::uint64_t& at, std::uint64_t end) {
    const std::string_view text = file.text().substr(0, end);
    if (!holds(text, at, centralBytes) || u32At(text, at) != centralMagic)
        return damaged(file, fmt::format("its directory has no entry at byte {}", at));
    const std::uint64_t name = u16At(text, at + 28), extra = u16At(text, at + 30),
                        comment = u16At(text, at + 32);
    if (!holds(text, at + centralBytes, name + extra + comment))
        return damaged(file, fmt::format("the entry at byte {} of its directory is cut off", at));
    ZipMember member;
    member.name = text.substr(at + centralBytes, name);
    const std::uint16_t flags = u16At(text, at + 8), method = u16At(text, at + 10);
    constexpr std::uint16_t encrypted = 1 | 1 << 6 | 1 << 13;
    member.readable = (flags & encrypted) == 0 && (method == 0 || method == 8);
    member.deflated = method == 8;
    Sizes sizes = {u32At(text, at + 24), u32At(text, at + 20), u32At(text, at + 42)};
    if (!resolve64(text.substr(at + centralBytes + name, extra), sizes))
        return damaged(file, fmt::format("\"{}\" lacks its ZIP64 sizes", member.name));
    member.contentBytes = sizes.content;
    member.storedBytes = sizes.stored;
    const auto start = dataStart(file.text(), sizes.local);
    if (!start)
        return damaged(file, fmt::format("\"{}\" is not at byte {}", member.name, sizes.local));
    member.offset = *start;
    if (!holds(file.text(), member.offset, member.storedBytes))
        return damaged(
            file, fmt::format("\"{}\" takes {} bytes from byte {} on, but the file ends "
                              "at {}",
                              member.name, member.storedBytes, member.offset, file.bytes.size()));
    if (method == 0 && member.storedBytes != member.contentBytes)
        return damaged(file, fmt::format("\"{}\" is stored in {} bytes but has {}", member.name,
                                         member.storedBytes, member.contentBytes));
    at += centralBytes + name + extra + comment;
    return member;
}

}  // namespace

Result<std::vector<ZipMember>> listZip(const SourceFile& file) {
    const auto directory = findDirectory(file);
    if (!directory) return tl::unexpected(directory.error());
    std::vector<ZipMember> members;
    std::unordered_set<std::string> names;
    std::uint64_t at = directory->offset;
    for (std::uint64_t i = 0; i < directory->members; ++i) {
        auto member = readMember(file, at, directory->offset + directory->bytes);
        if (!member) return tl::unexpected(member.error());
        if (!names.insert(member->name).second)
            return damaged(file, fmt::format("\"{}\" occurs twice in its directory", member->name));
        members.push_back(std::move(*member));
    }
    return members;
}

Result<SourceFile> contentsOf(const SourceFile& file, const ZipMember& member, std::uint64_t most) {
    const std::string where = fmt::format("{}, \"{}\"", file.name(), member.name);
    if (!member.readable)
        return fail(Error::Kind::unsupported, where, "is encrypted or packed in an unusual way",
                    "pack the archive again with plain zip");
    if (member.contentBytes > most)
        return fail(Error::Kind::unsupported, where,
                    fmt::format("has {} bytes, above the limit of {}", member.contentBytes, most),
                    "save it again without compression");
    const auto stored = file.bytes.subspan(static_cast<std::size_t>(member.offset),
                                           static_cast<std::size_t>(member.storedBytes));
    if (!member.deflated) return SourceFile{where, stored, file.owner};
    auto inflated = inflateUpTo(stored, static_cast<std::size_t>(member.contentBytes));
    if (!inflated || inflated->size() != member.contentBytes)
        return fail(Error::Kind::badFile, where, "its compressed bytes cannot be inflated",
                    "the file is damaged: download or save it again");
    const auto kept = std::make_shared<const std::vector<std::byte>>(std::move(*inflated));
    return SourceFile{where, *kept, kept};
}

}  // namespace headloom
