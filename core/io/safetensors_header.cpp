#include "core/io/safetensors_header.h"

#include "core/base/counted.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <limits>
#include <unordered_set>

namespace headloom {

namespace {

using nlohmann::json;

/// Follows the parser through {"__metadata__": {string: string}, name: {dtype, shape,
/// data_offsets}} and stops it at the first thing that is not that.
class HeaderReader final : public json::json_sax_t {
  public:
    SafetensorsHeader header;
    std::string failure;      ///< what is wrong; empty: nothing so far
    std::string tensor;       ///< the entry being read
    std::string firstPassed;  ///< metadata that is no text
    std::size_t nPassed = 0;

    bool start_object(std::size_t) override {
        if (passOver()) return ++depthPassed_;
        switch (at_) {
            case At::start:
                at_ = At::root;
                return true;
            case At::rootValue:
                if (key_ == "__metadata__") {
                    at_ = At::metadata;
                } else {
                    at_ = At::entry;
                    entry_ = {};
                    entry_.name = tensor = key_;
                    hasType_ = hasShape_ = hasOffsets_ = false;
                }
                return true;
            default:
                return unexpected("an object");
        }
    }
    bool key(std::string& name) override {
        if (depthPassed_ > 0) return true;
        key_ = name;
        switch (at_) {
            case At::root:
                at_ = At::rootValue;
                return names_.insert(name).second || twice();
            case At::metadata:
                at_ = At::metadataValue;
                return !header.metadata.contains(name) || twice();
            case At::entry:
                return entryKey();
            default:
                return unexpected("a key");
        }
    }
    bool string(std::string& text) override {
        if (depthPassed_ > 0) return true;
        if (at_ == At::metadataValue) {
            header.metadata.emplace(key_, text);
            at_ = At::metadata;
            return true;
        }
        if (at_ == At::dtype) {
            entry_.dtype = text;
            at_ = At::entry;
            return true;
        }
        return unexpected("a string");
    }
    bool number_unsigned(std::uint64_t number) override {
        if (passOver()) return true;
        if (at_ == At::shape) {
            if (number > std::numeric_limits<std::int64_t>::max())
                return refuse(fmt::format("a size of {} is too large", number));
            entry_.shape.push_back(static_cast<std::int64_t>(number));
            return true;
        }
        if (at_ == At::offsets) {
            if (nOffsets_ == 2) return refuse("\"data_offsets\" has more than two numbers");
            (nOffsets_++ == 0 ? entry_.begin : entry_.end) = number;
            return true;
        }
        return unexpected("a number");
    }
    bool start_array(std::size_t) override {
        if (passOver()) return ++depthPassed_;
        if (at_ == At::shapeValue) {
            at_ = At::shape;
            return true;
        }
        if (at_ == At::offsetsValue) {
            at_ = At::offsets;
            nOffsets_ = 0;
            return true;
        }
        return unexpected("a list");
    }
    bool end_array() override {
        if (depthPassed_ > 0) return leavePassed();
        if (at_ == At::offsets && nOffsets_ != 2)
            return refuse("\"data_offsets\" must be two numbers");
        at_ = At::entry;
        return true;
    }
    bool end_object() override {
        if (depthPassed_ > 0) return leavePassed();
        if (at_ == At::entry) {
            const char* missing = !hasType_      ? "dtype"
                                  : !hasShape_   ? "shape"
                                  : !hasOffsets_ ? "data_offsets"
                                                 : nullptr;
            if (missing) return refuse(fmt::format("\"{}\" is missing", missing));
            header.entries.push_back(std::move(entry_));
            tensor.clear();
        }
        at_ = at_ == At::root ? At::end : At::root;
        return true;
    }
    bool null() override {
        if (passOver()) return true;
        if (at_ != At::rootValue || key_ != "__metadata__") return unexpected("null");
        header.warnings.push_back("its metadata is null, not an object, and was left out");
        at_ = At::root;
        return true;
    }
    bool boolean(bool) override { return passOver() || unexpected("true or false"); }
    bool number_integer(std::int64_t) override {
        return passOver() || unexpected("a negative number");
    }
    bool number_float(double, const std::string&) override {
        return passOver() || unexpected("a number that is not a whole one");
    }
    bool binary(json::binary_t&) override { return unexpected("binary data"); }
    bool parse_error(std::size_t position, const std::string&, const json::exception&) override {
        return refuse(fmt::format("the header is not valid JSON at its byte {}",
                                  position == 0 ? 0 : position - 1));
    }

  private:
    enum class At {
        start,
        root,
        rootValue,
        metadata,
        metadataValue,
        entry,
        dtype,
        shapeValue,
        shape,
        offsetsValue,
        offsets,
        end
    };

    /// Metadata that is no text is common in files whose tensors are fine. True where that was met.
    bool passOver() {
        if (depthPassed_ > 0) return true;
        if (at_ != At::metadataValue) return false;
        if (nPassed++ == 0) firstPassed = key_;
        at_ = At::metadata;
        return true;
    }
    bool leavePassed() {
        --depthPassed_;
        return true;
    }
    bool entryKey() {
        const auto once = [this](bool& seen, At next) {
            at_ = next;
            return !std::exchange(seen, true) || twice();
        };
        if (key_ == "dtype") return once(hasType_, At::dtype);
        if (key_ == "shape") return once(hasShape_, At::shapeValue);
        if (key_ == "data_offsets") return once(hasOffsets_, At::offsetsValue);
        return refuse(fmt::format("\"{}\" is not a field of the format", key_));
    }
    bool refuse(std::string what) {
        failure = std::move(what);
        return false;
    }
    bool twice() { return refuse(fmt::format("the key \"{}\" occurs twice", key_)); }
    bool unexpected(const char* found) {
        switch (at_) {
            case At::start:
                return refuse(fmt::format("the header is {}, not an object", found));
            case At::rootValue:
                return refuse(fmt::format("\"{}\" is {}, not an object", key_, found));
            default:
                return refuse(fmt::format("\"{}\" holds {}", key_, found));
        }
    }

    At at_ = At::start;
    std::string key_;
    std::unordered_set<std::string> names_;
    SafetensorsEntry entry_;
    bool hasType_ = false, hasShape_ = false, hasOffsets_ = false;
    int nOffsets_ = 0;
    std::size_t depthPassed_ = 0;  ///< within a value that is passed over
};

constexpr const char* remedyForDamage = "the file is damaged: download or save it again";

tl::unexpected<Error> damaged(const std::string& file, const std::string& tensor,
                              std::string what) {
    return fail(Error::Kind::badFile,
                tensor.empty() ? file : fmt::format("{}, tensor \"{}\"", file, tensor),
                std::move(what), remedyForDamage);
}

/// Bytes of an entry by type and shape; a failure says why there is no such number.
tl::expected<std::uint64_t, std::string> bytesOf(const SafetensorsEntry& entry,
                                                 std::uint64_t bitsEach) {
    std::uint64_t bits = bitsEach;
    for (const std::int64_t size : entry.shape)
        if (__builtin_mul_overflow(bits, static_cast<std::uint64_t>(size), &bits))
            return tl::unexpected<std::string>("its shape is too large for any file");
    if (bits % 8 != 0) return tl::unexpected<std::string>("its elements do not fill whole bytes");
    return bits / 8;
}

}  // namespace

std::optional<std::uint64_t> bitsOfSafetensorsType(std::string_view dtype) {
    struct Type {
        std::string_view name;
        std::uint64_t bits;
    };
    static constexpr Type types[] = {
        {"F32", 32},        {"F64", 64},        {"F16", 16},    {"BF16", 16},   {"I32", 32},
        {"I64", 64},        {"BOOL", 8},        {"U8", 8},      {"I8", 8},      {"I16", 16},
        {"U16", 16},        {"U32", 32},        {"U64", 64},    {"C64", 64},    {"F4", 4},
        {"F6_E2M3", 6},     {"F6_E3M2", 6},     {"F8_E5M2", 8}, {"F8_E4M3", 8}, {"F8_E8M0", 8},
        {"F8_E4M3FNUZ", 8}, {"F8_E5M2FNUZ", 8},
    };
    for (const Type& type : types)
        if (type.name == dtype) return type.bits;
    return std::nullopt;
}

Result<SafetensorsHeader> parseSafetensorsHeader(std::string_view text, const std::string& file) {
    // The format pads with spaces only, and JSON would allow more white space around.
    const std::size_t last = text.find_last_not_of(' ');
    if (text.empty() || text.front() != '{' || text[last] != '}')
        return damaged(file, {}, "its header is not one JSON object padded with spaces");
    HeaderReader reader;
    if (!json::sax_parse(text.begin(), text.end(), &reader))
        return damaged(file, reader.tensor, reader.failure);
    if (reader.nPassed > 0)
        reader.header.warnings.push_back(
            fmt::format("left out of its metadata, as not text: {}, \"{}\" first",
                        counted(reader.nPassed, "value"), reader.firstPassed));
    return std::move(reader.header);
}

Result<void> checkSafetensorsLayout(std::vector<SafetensorsEntry>& entries, std::uint64_t dataBytes,
                                    const std::string& file) {
    std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) {
        return std::tie(a.begin, a.end, a.name) < std::tie(b.begin, b.end, b.name);
    });
    std::uint64_t expected = 0;
    for (const SafetensorsEntry& entry : entries) {
        if (entry.end < entry.begin)
            return damaged(file, entry.name,
                           fmt::format("ends at byte {} of the data, before its begin at {}",
                                       entry.end, entry.begin));
        if (entry.begin != expected)
            return damaged(file, entry.name,
                           fmt::format("begins at byte {} of the data, but {} is the next free one",
                                       entry.begin, expected));
        if (entry.end > dataBytes)
            return damaged(file, entry.name,
                           fmt::format("ends at byte {} of the data, but the file is cut off at {}",
                                       entry.end, dataBytes));
        if (const auto bits = bitsOfSafetensorsType(entry.dtype)) {
            const auto needed = bytesOf(entry, *bits);
            if (!needed) return damaged(file, entry.name, needed.error());
            if (*needed != entry.end - entry.begin)
                return damaged(
                    file, entry.name,
                    fmt::format("its type and shape need {} bytes, but its offsets {} to "
                                "{} span {}",
                                *needed, entry.begin, entry.end, entry.end - entry.begin));
        }
        expected = entry.end;
    }
    if (expected != dataBytes)
        return damaged(file, {},
                       fmt::format("{} bytes follow the last tensor", dataBytes - expected));
    return {};
}

}  // namespace headloom
