#include "core/io/tensor_source.h"

#include "core/io/inflate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <limits>

namespace headloom {

namespace {

constexpr std::int64_t mostCount = std::numeric_limits<std::int64_t>::max() / 16;
/// Read in one go between two questions whether to go on: some milliseconds.
constexpr std::int64_t blockElements = std::int64_t{1} << 22;
constexpr const char* remedyForDamage = "the file is damaged: download or save it again";

using Checked = tl::expected<void, std::string>;

tl::unexpected<std::string> wrong(std::string what) {
    return tl::unexpected<std::string>(std::move(what));
}

/// Elements of a shape; none where they are too many for any file. An empty tensor's other axes
/// count as well: a product that overflows is a lie even next to a 0.
std::optional<std::int64_t> countOf(const std::vector<std::int64_t>& shape) {
    std::int64_t all = 1, nonEmpty = 1;
    for (const std::int64_t size : shape) {
        if (size < 0) return std::nullopt;
        all *= size == 0 ? 0 : 1;
        if (__builtin_mul_overflow(nonEmpty, std::max<std::int64_t>(size, 1), &nonEmpty) ||
            nonEmpty > mostCount)
            return std::nullopt;
    }
    return all * nonEmpty;
}

/// Elements between the first and one past the last that strides reach; none where they overflow or
/// step backwards.
std::optional<std::uint64_t> extentOf(const TensorEntry& entry) {
    std::int64_t last = 0;
    for (std::size_t axis = 0; axis < entry.shape.size(); ++axis) {
        std::int64_t reach = 0;
        if (entry.strides[axis] < 0 ||
            __builtin_mul_overflow(entry.shape[axis] - 1, entry.strides[axis], &reach) ||
            __builtin_add_overflow(last, reach, &last) || last > mostCount)
            return std::nullopt;
    }
    return static_cast<std::uint64_t>(last) + 1;
}

/// Bytes that `elements` elements take, from the first one's byte on. mostCount leaves room.
std::uint64_t bytesFor(const TensorEntry& entry, std::uint64_t elements) {
    const BlockSize block = blockOf(entry.type);
    std::uint64_t bytes = (elements + block.elements - 1) / block.elements * block.bytes;
    if (entry.type == StoredType::i8Groups)
        bytes += (elements + entry.groupSize - 1) / entry.groupSize * 4;
    return bytes;
}

Checked checkNumbers(TensorEntry& entry) {
    const auto count = countOf(entry.shape);
    if (!count) return wrong("its shape is too large for any file");
    if (entry.type == StoredType::other) return {};
    const BlockSize block = blockOf(entry.type);
    const bool plain = block.elements == 1 && entry.type != StoredType::i8Groups;
    if (!plain && !entry.strides.empty()) return wrong("is quantised and has strides");
    if (entry.type == StoredType::i8Groups && entry.groupSize == 0)
        return wrong("its groups are empty");
    const auto row = entry.shape.empty() ? 1 : entry.shape.back();
    if (static_cast<std::uint64_t>(row) % block.elements != 0)
        return wrong(
            fmt::format("its rows of {} elements are no whole blocks of {}", row, block.elements));
    std::uint64_t elements = static_cast<std::uint64_t>(*count);
    if (!entry.strides.empty() && *count > 0) {
        if (entry.strides.size() != entry.shape.size())
            return wrong(fmt::format("has {} axes but {} strides", entry.shape.size(),
                                     entry.strides.size()));
        const auto extent = extentOf(entry);
        if (!extent) return wrong("its strides step backwards or beyond any file");
        elements = *extent;
    }
    const std::uint64_t needed = bytesFor(entry, elements);
    const std::uint64_t skip = entry.deflated ? entry.deflated->skip : 0;
    const std::uint64_t there = entry.deflated ? entry.deflated->inflatedBytes : entry.bytes;
    if (skip > there || needed > there - skip)
        return wrong(fmt::format("its type and shape need {} bytes, but {} are stored", needed,
                                 there - std::min(skip, there)));
    if (!entry.deflated) entry.bytes = needed;
    return {};
}

/// What the entry takes of its file is trimmed to what it needs: a view into a large storage is as
/// small as it looks.
Checked check(TensorEntry& entry, const std::vector<SourceFile>& files) {
    assert(entry.file < files.size());
    const std::uint64_t size = files[entry.file].bytes.size();
    if (entry.offset > size || entry.bytes > size - entry.offset)
        return wrong(fmt::format("takes {} bytes from byte {} on, but the file ends at {}",
                                 entry.bytes, entry.offset, size));
    return checkNumbers(entry);
}

/// A result may be this large whatever is stored, and beyond that only so many times larger than
/// what is stored: 4-bit blocks read as float64 grow 15-fold.
constexpr std::uint64_t alwaysFine = std::uint64_t{64} << 20;
constexpr std::uint64_t mostGrowth = 32;

bool isTooLarge(std::uint64_t wanted, std::uint64_t stored) {
    return wanted > alwaysFine && wanted / mostGrowth > stored;
}

}  // namespace

std::int64_t TensorEntry::count() const {
    return countOf(shape).value_or(0);
}

bool TensorEntry::isReadable() const {
    return type != StoredType::other && shape.size() <= static_cast<std::size_t>(Shape::maxRank);
}

template <class Out>
void TensorReader::readAs(std::int64_t first, std::span<Out> out) const {
    assert(first >= 0 && static_cast<std::int64_t>(out.size()) <= count_ - first);
    if (out.empty()) return;
    if (strides_.empty())
        return elements_.decode(static_cast<std::uint64_t>(first), 1, out.size(), out.data());
    // From each place to the end of its innermost row in one go, then on from its index.
    while (!out.empty()) {
        std::int64_t rest = first, at = 0, run = 1, step = 1;
        for (std::size_t axis = shape_.size(); axis-- > 0;) {
            const std::int64_t index = rest % shape_[axis];
            rest /= shape_[axis];
            at += index * strides_[axis];
            if (axis + 1 == shape_.size()) {
                run = shape_[axis] - index;
                step = strides_[axis];
            }
        }
        const auto taken = std::min(out.size(), static_cast<std::size_t>(run));
        elements_.decode(static_cast<std::uint64_t>(at), step, taken, out.data());
        out = out.subspan(taken);
        first += static_cast<std::int64_t>(taken);
    }
}

template void TensorReader::readAs(std::int64_t, std::span<float>) const;
template void TensorReader::readAs(std::int64_t, std::span<double>) const;

Result<std::shared_ptr<const TensorSource>> TensorSource::of(TensorListing listing) {
    std::shared_ptr<TensorSource> source(new TensorSource(std::move(listing)));
    std::vector<TensorEntry>& entries = source->listing_.entries;
    source->byName_.reserve(entries.size());
    for (std::size_t i = 0; i < entries.size(); ++i) {
        if (const auto fine = check(entries[i], source->files()); !fine)
            return fail(Error::Kind::badFile, source->where(entries[i]), fine.error(),
                        remedyForDamage);
        if (!source->byName_.emplace(entries[i].name, i).second)
            return fail(Error::Kind::badFile, source->where(entries[i]), "occurs twice",
                        remedyForDamage);
    }
    return source;
}

const TensorEntry* TensorSource::find(std::string_view name) const {
    const auto found = byName_.find(name);
    return found == byName_.end() ? nullptr : &listing_.entries[found->second];
}

std::string TensorSource::where(const TensorEntry& entry) const {
    return fmt::format("{}, tensor \"{}\"", listing_.files[entry.file].name(), entry.name);
}

std::span<const std::byte> TensorSource::bytes(const TensorEntry& entry) const {
    return listing_.files[entry.file].bytes.subspan(static_cast<std::size_t>(entry.offset),
                                                    static_cast<std::size_t>(entry.bytes));
}

Result<TensorReader> TensorSource::reader(const TensorEntry& entry) const {
    if (entry.type == StoredType::other)
        return fail(Error::Kind::unsupported, where(entry),
                    fmt::format("is of type {}, which is listed but not read", entry.typeName),
                    "convert it to F32, F16 or BF16");
    TensorReader reader;
    reader.shape_ = entry.shape;
    reader.strides_ = entry.strides;
    reader.count_ = entry.count();
    reader.owner_ = listing_.files[entry.file].owner;
    reader.elements_ = {entry.type, bytes(entry).data(), entry.bigEndian, entry.groupSize,
                        static_cast<std::uint64_t>(reader.count_)};
    if (!entry.deflated) return reader;

    const Deflated& deflated = *entry.deflated;
    if (isTooLarge(deflated.inflatedBytes, entry.bytes))
        return fail(Error::Kind::unsupported, where(entry),
                    fmt::format("claims to inflate from {} bytes to {}", entry.bytes,
                                deflated.inflatedBytes),
                    "save it again without compression");
    auto inflated = inflateUpTo(bytes(entry), static_cast<std::size_t>(deflated.inflatedBytes));
    if (!inflated || inflated->size() != deflated.inflatedBytes)
        return fail(Error::Kind::badFile, where(entry),
                    fmt::format("its compressed bytes at {} cannot be inflated", entry.offset),
                    remedyForDamage);
    const auto kept = std::make_shared<const std::vector<std::byte>>(std::move(*inflated));
    reader.elements_.stored = kept->data() + deflated.skip;
    reader.owner_ = kept;
    return reader;
}

Result<Tensor> TensorSource::read(const TensorEntry& entry, DType as,
                                  const std::function<bool()>& goOn) const {
    assert(as != DType::i32);
    if (entry.shape.size() > static_cast<std::size_t>(Shape::maxRank))
        return fail(Error::Kind::unsupported, where(entry),
                    fmt::format("has {} axes", entry.shape.size()),
                    fmt::format("tensors of up to {} axes are read", Shape::maxRank));
    const std::uint64_t wanted = static_cast<std::uint64_t>(entry.count()) * sizeOf(as);
    if (isTooLarge(wanted, entry.bytes))
        return fail(Error::Kind::unsupported, where(entry),
                    fmt::format("would take {} bytes of memory, but only {} are stored", wanted,
                                entry.bytes),
                    "save it without repeated elements");
    const auto elements = reader(entry);
    if (!elements) return tl::unexpected(elements.error());
    const Tensor tensor = Tensor::host(Shape(std::span<const std::int64_t>(entry.shape)), as);
    for (std::int64_t first = 0; first < entry.count(); first += blockElements) {
        if (goOn && !goOn()) return fail(Error::Kind::interrupted, where(entry), "stopped");
        const auto at = static_cast<std::size_t>(first);
        const auto taken = static_cast<std::size_t>(std::min(blockElements, entry.count() - first));
        if (as == DType::f64)
            elements->read(first, tensor.values<double>().subspan(at, taken));
        else
            elements->read(first, tensor.values<float>().subspan(at, taken));
    }
    return tensor;
}

std::shared_ptr<const TensorSource> sourceOfTensors(
    std::vector<std::pair<std::string, Tensor>> tensors,
    std::map<std::string, std::string> metadata) {
    TensorListing listing;
    listing.format = "memory";
    listing.metadata = std::move(metadata);
    for (auto& [name, tensor] : tensors) {
        const auto kept = std::make_shared<const Tensor>(tensor);
        const auto sizes = tensor.shape().sizes();
        TensorEntry entry;
        entry.name = name;
        entry.type = storedTypeNamed(nameOf(tensor.dtype())).value();
        entry.typeName = nameOf(entry.type);
        entry.shape.assign(sizes.begin(), sizes.end());
        entry.file = listing.files.size();
        entry.bytes = tensor.bytes();
        listing.entries.push_back(std::move(entry));
        listing.files.push_back({"memory", {kept->raw(), kept->bytes()}, kept});
    }
    auto source = TensorSource::of(std::move(listing));
    assert(source && "names differ");
    return *source;
}

}  // namespace headloom
