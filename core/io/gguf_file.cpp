#include "core/io/gguf_file.h"

#include "core/base/counted.h"
#include "core/base/utf8.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <unordered_set>

namespace headloom {

namespace {

constexpr const char* remedyForDamage = "the file is damaged: download or save it again";
constexpr std::uint64_t standardAlignment = 32;
constexpr std::uint64_t longestKey = 65535, longestTensorName = 64;  // as the format says
constexpr std::uint32_t mostAxes = 4;
constexpr int deepestArray = 8;  // deeper than any writer nests, and shallow enough to recurse
// what a key and a tensor take at least: their lengths, types and counts
constexpr std::uint64_t smallestKey = 8 + 4 + 1, smallestTensor = 8 + 4 + 4 + 8;

constexpr GgufTensorType types[] = {
    {"F32", 1, 4},        {"F16", 1, 2},       {"Q4_0", 32, 18},     {"Q4_1", 32, 20},
    {nullptr, 0, 0},      {nullptr, 0, 0},     {"Q5_0", 32, 22},     {"Q5_1", 32, 24},
    {"Q8_0", 32, 34},     {"Q8_1", 32, 36},    {"Q2_K", 256, 84},    {"Q3_K", 256, 110},
    {"Q4_K", 256, 144},   {"Q5_K", 256, 176},  {"Q6_K", 256, 210},   {"Q8_K", 256, 292},
    {"IQ2_XXS", 256, 66}, {"IQ2_XS", 256, 74}, {"IQ3_XXS", 256, 98}, {"IQ1_S", 256, 50},
    {"IQ4_NL", 32, 18},   {"IQ3_S", 256, 110}, {"IQ2_S", 256, 82},   {"IQ4_XS", 256, 136},
    {"I8", 1, 1},         {"I16", 1, 2},       {"I32", 1, 4},        {"I64", 1, 8},
    {"F64", 1, 8},        {"IQ1_M", 256, 56},  {"BF16", 1, 2},
};

struct Damage {
    std::string where, what;  ///< where within the file: empty, or ", key "x""
};
template <class T>
using Parsed = tl::expected<T, Damage>;

tl::unexpected<Damage> damage(std::string where, std::string what) {
    return tl::unexpected(Damage{std::move(where), std::move(what)});
}

}  // namespace

const GgufTensorType* ggufTensorType(std::uint32_t type) {
    if (type >= std::size(types) || !types[type].name) return nullptr;
    return &types[type];
}

/// Goes through the bytes once. Everything it reads is bounded by what remains.
class GgufParser {
  public:
    GgufParser(const SourceFile& source, GgufFile& file) : text_(source.text()), file_(file) {}

    Parsed<void> parse() {
        at_ = 8;  // after magic and version, which the caller has looked at
        auto nTensors = count(smallestTensor, "tensor");
        if (!nTensors) return tl::unexpected(nTensors.error());
        auto nKeys = count(smallestKey, "key");
        if (!nKeys) return tl::unexpected(nKeys.error());
        file_.keys_.reserve(static_cast<std::size_t>(*nKeys));
        for (std::uint64_t i = 0; i < *nKeys; ++i)
            if (auto fine = key(i); !fine) return fine;
        if (auto fine = readAlignment(); !fine) return fine;
        file_.tensors_.reserve(static_cast<std::size_t>(*nTensors));
        for (std::uint64_t i = 0; i < *nTensors; ++i)
            if (auto fine = tensor(i); !fine) return fine;
        return placeTensors();
    }

  private:
    std::uint64_t left() const { return text_.size() - at_; }

    tl::unexpected<Damage> cutOff(std::string where, std::uint64_t needed) const {
        return damage(std::move(where), fmt::format("needs {} bytes from byte {} on, but the file "
                                                    "ends at {}",
                                                    needed, at_, text_.size()));
    }

    template <class T>
    Parsed<T> number(const std::string& where) {
        if (left() < sizeof(T)) return cutOff(where, sizeof(T));
        T value;
        std::memcpy(&value, text_.data() + at_, sizeof(T));
        at_ += sizeof(T);
        return value;
    }

    /// How many things follow, each of which takes `smallest` bytes or more.
    Parsed<std::uint64_t> count(std::uint64_t smallest, const char* thing) {
        auto n = number<std::uint64_t>({});
        if (n && *n > left() / smallest)
            return damage({}, fmt::format("claims {}, but only {} follow", counted(*n, thing),
                                          counted(left(), "byte")));
        return n;
    }

    Parsed<std::string_view> string(const std::string& where, std::uint64_t longest) {
        const std::uint64_t begin = at_;
        const auto length = number<std::uint64_t>(where);
        if (!length) return tl::unexpected(length.error());
        if (*length > left() || *length > longest)
            return damage(
                where,
                fmt::format("claims {} of text at byte {}, but {}", counted(*length, "byte"), begin,
                            *length > left() ? fmt::format("only {} follow", left())
                                             : fmt::format("{} are allowed", longest)));
        const std::string_view text = text_.substr(at_, static_cast<std::size_t>(*length));
        at_ += *length;
        return text;
    }

    Parsed<GgufType> type(const std::string& where) {
        const auto number32 = number<std::uint32_t>(where);
        if (!number32) return tl::unexpected(number32.error());
        if (*number32 >= nGgufTypes)
            return damage(
                where, fmt::format("has the unknown value type {} at byte {}", *number32, at_ - 4));
        return static_cast<GgufType>(*number32);
    }

    Parsed<GgufValue> value(const std::string& where, GgufType type, int depth) {
        if (type == GgufType::array) return array(where, depth);
        const std::uint64_t begin = at_;
        if (type == GgufType::text) {
            const auto text = string(where, text_.size());
            if (!text) return tl::unexpected(text.error());
        } else {
            const std::uint64_t size = smallestSizeOf(type);
            if (left() < size) return cutOff(where, size);
            at_ += size;
        }
        return GgufValue(type, text_.substr(begin, at_ - begin));
    }

    Parsed<GgufValue> array(const std::string& where, int depth) {
        if (depth >= deepestArray)
            return damage(
                where, fmt::format("nests arrays more than {} deep at byte {}", deepestArray, at_));
        const auto element = type(where);
        if (!element) return tl::unexpected(element.error());
        const auto n = number<std::uint64_t>(where);
        if (!n) return tl::unexpected(n.error());
        if (*n > left() / smallestSizeOf(*element))
            return damage(where, fmt::format("claims {} from byte {} on, but only {} follow",
                                             counted(*n, "value"), at_, counted(left(), "byte")));
        const std::uint64_t begin = at_;
        if (*element != GgufType::text && *element != GgufType::array)
            at_ += *n * smallestSizeOf(*element);
        else
            for (std::uint64_t i = 0; i < *n; ++i)
                if (auto each = value(where, *element, depth + 1); !each) return each;
        return GgufValue(*element, *n, text_.substr(begin, at_ - begin));
    }

    Parsed<void> key(std::uint64_t index) {
        const auto name = string(fmt::format(", key {}", index), longestKey);
        if (!name) return tl::unexpected(name.error());
        const std::string where = fmt::format(", key \"{}\"", visible(*name));
        const auto valueType = type(where);
        if (!valueType) return tl::unexpected(valueType.error());
        const auto read = value(where, *valueType, 0);
        if (!read) return tl::unexpected(read.error());
        if (!file_.byName_.emplace(*name, file_.keys_.size()).second)
            return damage(where, "occurs twice");
        file_.keys_.push_back({*name, *read});
        return {};
    }

    Parsed<void> readAlignment() {
        const GgufValue* given = file_.find("general.alignment");
        if (!given) return {};
        const auto integer = given->integer();
        if (given->type() != GgufType::u32 || !integer || *integer <= 0 ||
            (*integer & (*integer - 1)) != 0)
            return damage(", key \"general.alignment\"",
                          fmt::format("is {} ({}), but must be a power of two (u32)",
                                      visible(given->line()), nameOf(given->type())));
        alignment_ = static_cast<std::uint64_t>(*integer);
        return {};
    }

    Parsed<void> tensor(std::uint64_t index) {
        GgufTensor tensor;
        const auto name = string(fmt::format(", tensor {}", index), longestTensorName);
        if (!name) return tl::unexpected(name.error());
        tensor.name = *name;
        const std::string where = whereOf(tensor);
        if (!names_.insert(*name).second) return damage(where, "occurs twice");
        const auto axes = number<std::uint32_t>(where);
        if (!axes) return tl::unexpected(axes.error());
        if (*axes > mostAxes)
            return damage(where, fmt::format("has {} axes, but {} are allowed", *axes, mostAxes));
        for (std::uint32_t axis = 0; axis < *axes; ++axis) {
            const auto size = number<std::uint64_t>(where);
            if (!size) return tl::unexpected(size.error());
            if (*size > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
                return damage(where, fmt::format("has an axis of {} elements", *size));
            tensor.shape.insert(tensor.shape.begin(), static_cast<std::int64_t>(*size));
        }
        const auto typeNumber = number<std::uint32_t>(where);
        if (!typeNumber) return tl::unexpected(typeNumber.error());
        tensor.type = *typeNumber;
        const auto offset = number<std::uint64_t>(where);
        if (!offset) return tl::unexpected(offset.error());
        tensor.offset = *offset;
        file_.tensors_.push_back(std::move(tensor));
        return {};
    }

    static std::string whereOf(const GgufTensor& tensor) {
        return fmt::format(", tensor \"{}\"", visible(tensor.name));
    }

    /// Bytes by type and shape.
    Parsed<std::uint64_t> sizeOfTensor(const GgufTensor& tensor, const GgufTensorType& type) const {
        std::uint64_t elements = 1;
        for (const std::int64_t size : tensor.shape)
            if (__builtin_mul_overflow(elements, static_cast<std::uint64_t>(size), &elements))
                return damage(whereOf(tensor), "its shape is too large for any file");
        const std::uint64_t row =
            tensor.shape.empty() ? 1 : static_cast<std::uint64_t>(tensor.shape.back());
        if (row % type.block != 0)
            return damage(whereOf(tensor),
                          fmt::format("its rows of {} elements are no whole blocks of {} ({})", row,
                                      type.block, type.name));
        std::uint64_t bytes = 0;
        if (__builtin_mul_overflow(elements / type.block, type.bytes, &bytes))
            return damage(whereOf(tensor), "its shape is too large for any file");
        return bytes;
    }

    /// The next multiple of the alignment; sizes and offsets stay below the file's size, so that
    /// nothing overflows.
    std::uint64_t aligned(std::uint64_t offset) const {
        return (offset + alignment_ - 1) / alignment_ * alignment_;
    }

    /// Turns offsets from the data's begin into places in the file, and checks that tensors follow
    /// each other without holes or overlaps.
    Parsed<void> placeTensors() {
        std::vector<GgufTensor>& tensors = file_.tensors_;
        if (tensors.empty()) return {};  // a vocabulary alone: no data, and no padding before it
        const std::uint64_t begin = aligned(at_);
        if (begin > text_.size())
            return damage(
                {}, fmt::format("its data would begin at byte {}, but the file ends at {}", begin,
                                text_.size()));
        const std::uint64_t there = text_.size() - begin;
        std::uint64_t expected = 0;
        for (std::size_t i = 0; i < tensors.size(); ++i) {
            GgufTensor& tensor = tensors[i];
            // where the tensor before is of an unknown type, only that it does not step back
            const bool afterUnknown = i > 0 && !ggufTensorType(tensors[i - 1].type);
            if (tensor.offset % alignment_ != 0 ||
                (afterUnknown ? tensor.offset < expected : tensor.offset != expected))
                return damage(whereOf(tensor),
                              fmt::format("begins at byte {} of the data, but {} is the next free "
                                          "multiple of {}",
                                          tensor.offset, expected, alignment_));
            if (auto fine = measure(i, there); !fine) return fine;
            if (tensor.offset > there || tensor.bytes > there - tensor.offset)
                return damage(
                    whereOf(tensor),
                    fmt::format("takes {} bytes from byte {} of the data on, but the file "
                                "ends at its byte {}",
                                tensor.bytes, tensor.offset, there));
            expected = aligned(tensor.offset + tensor.bytes);
        }
        for (GgufTensor& tensor : tensors) tensor.offset += begin;
        return {};
    }

    Parsed<void> measure(std::size_t index, std::uint64_t there) {
        GgufTensor& tensor = file_.tensors_[index];
        if (const GgufTensorType* type = ggufTensorType(tensor.type)) {
            const auto bytes = sizeOfTensor(tensor, *type);
            if (!bytes) return tl::unexpected(bytes.error());
            tensor.bytes = *bytes;
            return {};
        }
        const bool last = index + 1 == file_.tensors_.size();
        const std::uint64_t next = last ? there : file_.tensors_[index + 1].offset;
        tensor.bytes = next > tensor.offset ? next - tensor.offset : 0;
        return {};
    }

    std::string_view text_;
    GgufFile& file_;
    std::uint64_t at_ = 0;
    std::uint64_t alignment_ = standardAlignment;
    std::unordered_set<std::string_view> names_;
};

namespace {

Result<std::uint32_t> versionOf(const SourceFile& file) {
    const auto refuse = [&file](Error::Kind kind, std::string what, std::string remedy) {
        return fail(kind, file.name(), std::move(what), std::move(remedy));
    };
    if (!file.text().starts_with("GGUF"))
        return refuse(Error::Kind::badFile, "is not a GGUF file", "name a file that ends in .gguf");
    if (file.bytes.size() < 8)
        return refuse(Error::Kind::badFile, "is cut off in its header", remedyForDamage);
    std::uint32_t version = 0;
    std::memcpy(&version, file.bytes.data() + 4, 4);
    // Version 3 read in the wrong order is 0x03000000.
    if (version != 0 && (version & 0xFFFF) == 0)
        return refuse(Error::Kind::unsupported, "is a big-endian GGUF file",
                      "convert it to little-endian with gguf-py's gguf_convert_endian.py");
    if (version == 1)
        return refuse(Error::Kind::unsupported,
                      "is a GGUF file of version 1, which nobody writes "
                      "any more",
                      "convert the model again with a current converter");
    if (version == 0)
        return refuse(Error::Kind::badFile, "is a GGUF file of version 0, which does not exist",
                      remedyForDamage);
    if (version > 3)
        return refuse(Error::Kind::unsupported,
                      fmt::format("is a GGUF file of version {}, but 2 and 3 are read", version),
                      "use a newer Headloom, or convert it to version 3");
    return version;
}

}  // namespace

Result<GgufFile> GgufFile::parse(const SourceFile& source) {
    const auto version = versionOf(source);
    if (!version) return tl::unexpected(version.error());
    GgufFile file;
    file.source_ = source;
    file.version_ = *version;
    if (const auto fine = GgufParser(source, file).parse(); !fine)
        return fail(Error::Kind::badFile, source.name() + fine.error().where, fine.error().what,
                    remedyForDamage);
    return file;
}

const GgufValue* GgufFile::find(std::string_view key) const {
    const auto found = byName_.find(key);
    return found == byName_.end() ? nullptr : &keys_[found->second].value;
}

}  // namespace headloom
