#include "core/io/llama2c.h"

#include "core/io/containers.h"

#include <fmt/format.h>

#include <array>
#include <cstring>

namespace headloom {

namespace {

constexpr std::uint64_t headerWithMagic = 256;
constexpr std::uint64_t headerWithout = 28;
constexpr std::uint32_t magicNumber = 0x616b3432;  // "ak42"

constexpr std::int32_t largest = 1 << 22;  ///< of any size; keeps every product below 2^64

/// The seven numbers of every version, in their order.
struct Dimensions {
    std::int32_t dim = 0, hidden = 0, layers = 0, heads = 0, kvHeads = 0, vocab = 0, context = 0;

    /// Each positive, no larger than a real model's by far, and the heads divide.
    bool arePlausible() const {
        for (const std::int32_t size : {dim, hidden, layers, heads, kvHeads, vocab, context})
            if (size <= 0 || size > largest) return false;
        return layers <= 4096 && heads <= 4096 && dim % heads == 0 && heads % kvHeads == 0;
    }
    std::int64_t headSize() const { return dim / heads; }
    std::int64_t kvDim() const { return headSize() * kvHeads; }
};

struct Header {
    int version = 0;
    Dimensions sizes;
    bool tied = true;
    std::uint64_t groupSize = 0;
    std::uint64_t bytes = headerWithout;
};

std::int32_t intAt(std::string_view text, std::size_t at) {
    std::int32_t number = 0;
    std::memcpy(&number, text.data() + at, 4);
    return number;
}

Dimensions dimensionsAt(std::string_view text, std::size_t at) {
    std::array<std::int32_t, 7> all;
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = intAt(text, at + 4 * i);
    return {all[0], all[1], all[2], all[3], all[4], all[5], all[6]};
}

/// Version 0 says "untied" with a negative vocabulary. The text holds 28 bytes.
Header headlessHeader(std::string_view text) {
    Header header;
    header.sizes = dimensionsAt(text, 0);
    header.tied = header.sizes.vocab > 0;
    // no std::abs: the smallest number has no opposite
    if (header.sizes.vocab < 0 && header.sizes.vocab >= -largest)
        header.sizes.vocab = -header.sizes.vocab;
    return header;
}

/// Lists the tensors in file order and counts the bytes they take.
class Layout {
  public:
    explicit Layout(const Header& header) : header_(header), at_(header.bytes) {
        if (header.version == 0)
            listVersion0();
        else
            listLater();
    }
    std::vector<TensorEntry> entries;
    std::uint64_t end() const { return at_; }

  private:
    using Shape = std::vector<std::int64_t>;

    void listVersion0() {
        const Dimensions& d = header_.sizes;
        weight("tok_embeddings.weight", {d.vocab, d.dim});
        perLayer("attention_norm", {d.dim}, false);
        attention();
        perLayer("ffn_norm", {d.dim}, false);
        feedForward();
        plain("norm.weight", {d.dim});
        at_ += static_cast<std::uint64_t>(d.context) * static_cast<std::uint64_t>(d.headSize()) *
               4;  // the cosines and sines of RoPE, which its readers compute
        if (!header_.tied) weight("output.weight", {d.vocab, d.dim});
    }
    void listLater() {
        const Dimensions& d = header_.sizes;
        perLayer("attention_norm", {d.dim}, false);
        perLayer("ffn_norm", {d.dim}, false);
        plain("norm.weight", {d.dim});
        weight("tok_embeddings.weight", {d.vocab, d.dim});
        attention();
        feedForward();
        if (!header_.tied) weight("output.weight", {d.vocab, d.dim});
    }
    void attention() {
        const Dimensions& d = header_.sizes;
        perLayer("attention.wq", {d.dim, d.dim});
        perLayer("attention.wk", {d.kvDim(), d.dim});
        perLayer("attention.wv", {d.kvDim(), d.dim});
        perLayer("attention.wo", {d.dim, d.dim});
    }
    void feedForward() {
        const Dimensions& d = header_.sizes;
        perLayer("feed_forward.w1", {d.hidden, d.dim});
        perLayer("feed_forward.w2", {d.dim, d.hidden});
        perLayer("feed_forward.w3", {d.hidden, d.dim});
    }
    void perLayer(const char* name, const Shape& shape, bool isWeight = true) {
        for (int layer = 0; layer < header_.sizes.layers; ++layer) {
            const std::string full = fmt::format("layers.{}.{}.weight", layer, name);
            isWeight ? weight(full, shape) : plain(full, shape);
        }
    }
    void plain(const std::string& name, const Shape& shape) { add(name, shape, StoredType::f32); }
    /// What version 2 quantises.
    void weight(const std::string& name, const Shape& shape) {
        add(name, shape, header_.version == 2 ? StoredType::i8Groups : StoredType::f32);
    }
    void add(const std::string& name, const Shape& shape, StoredType type) {
        TensorEntry entry;
        entry.name = name;
        entry.type = type;
        entry.typeName = nameOf(type);
        entry.shape = shape;
        entry.offset = at_;
        const auto count = static_cast<std::uint64_t>(entry.count());
        entry.bytes = count * 4;
        if (type == StoredType::i8Groups) {
            entry.groupSize = header_.groupSize;
            entry.bytes = count + (count + header_.groupSize - 1) / header_.groupSize * 4;
        }
        at_ += entry.bytes;
        entries.push_back(std::move(entry));
    }

    const Header& header_;
    std::uint64_t at_;
};

/// Bytes of the whole file without listing it: a hostile header must not cost 4096 layers of names.
std::uint64_t bytesOf(const Header& header) {
    const auto& d = header.sizes;
    const auto weightBytes = [&](std::uint64_t count) {
        return header.version == 2 ? count + (count + header.groupSize - 1) / header.groupSize * 4
                                   : count * 4;
    };
    const auto size = [](std::int64_t number) { return static_cast<std::uint64_t>(number); };
    const std::uint64_t dim = size(d.dim), kv = size(d.kvDim()), hidden = size(d.hidden);
    std::uint64_t bytes = header.bytes + dim * 4;
    bytes += size(d.layers) * (2 * dim * 4 + 2 * weightBytes(dim * dim) +
                               2 * weightBytes(kv * dim) + 3 * weightBytes(hidden * dim));
    bytes += weightBytes(size(d.vocab) * dim) * (header.tied ? 1 : 2);
    if (header.version == 0) bytes += size(d.context) * size(d.headSize()) * 4;
    return bytes;
}

tl::unexpected<Error> refuse(const SourceFile& file, std::string what) {
    return fail(Error::Kind::badFile, file.name(), std::move(what),
                "the file is damaged: download or save it again");
}

/// Versions 1 and 2.
Result<Header> headerWithMagicOf(const SourceFile& file) {
    const std::string_view text = file.text();
    if (text.size() < headerWithMagic)
        return refuse(file, fmt::format("is cut off in the header of llama2.c, at byte {} of {}",
                                        text.size(), headerWithMagic));
    Header header;
    header.version = intAt(text, 4);
    if (header.version != 1 && header.version != 2)
        return fail(Error::Kind::unsupported, file.name(),
                    fmt::format("is of version {} of llama2.c's form", header.version),
                    "versions 0, 1 and 2 are read");
    header.sizes = dimensionsAt(text, 8);
    header.tied = text[36] != 0;
    header.bytes = headerWithMagic;
    if (header.version == 2) {
        const std::int32_t group = intAt(text, 37);
        if (group <= 0) return refuse(file, fmt::format("its group size is {}", group));
        header.groupSize = static_cast<std::uint64_t>(group);
    }
    return header;
}

std::map<std::string, std::string> metadataOf(const Header& header) {
    const Dimensions& d = header.sizes;
    std::map<std::string, std::string> metadata = {
        {"version", fmt::to_string(header.version)},
        {"dim", fmt::to_string(d.dim)},
        {"hidden_dim", fmt::to_string(d.hidden)},
        {"n_layers", fmt::to_string(d.layers)},
        {"n_heads", fmt::to_string(d.heads)},
        {"n_kv_heads", fmt::to_string(d.kvHeads)},
        {"vocab_size", fmt::to_string(d.vocab)},
        {"max_seq_len", fmt::to_string(d.context)},
        {"shared_classifier", header.tied ? "true" : "false"}};
    if (header.version == 2) metadata["group_size"] = fmt::to_string(header.groupSize);
    return metadata;
}

}  // namespace

std::optional<std::uint64_t> bytesOfHeadlessLlama2c(std::string_view text) {
    if (text.size() < headerWithout) return std::nullopt;
    const Header header = headlessHeader(text);
    return header.sizes.arePlausible() ? std::optional(bytesOf(header)) : std::nullopt;
}

bool isHeadlessLlama2c(std::string_view text) {
    return bytesOfHeadlessLlama2c(text) == text.size();
}

Result<TensorListing> listLlama2c(const SourceFile& file) {
    Header header;
    if (file.text().size() >= 4 &&
        static_cast<std::uint32_t>(intAt(file.text(), 0)) == magicNumber) {
        const auto read = headerWithMagicOf(file);
        if (!read) return tl::unexpected(read.error());
        header = *read;
    } else if (isHeadlessLlama2c(file.text())) {
        header = headlessHeader(file.text());
    } else {
        return refuse(file, "is not a llama2.c checkpoint");
    }
    const Dimensions& d = header.sizes;
    if (!d.arePlausible())
        return refuse(
            file, fmt::format("its header has impossible sizes: dim {}, hidden {}, "
                              "layers {}, heads {}, kv heads {}, vocabulary {}, context {}",
                              d.dim, d.hidden, d.layers, d.heads, d.kvHeads, d.vocab, d.context));
    if (const std::uint64_t needed = bytesOf(header); needed != file.bytes.size())
        return refuse(file, fmt::format("its header asks for {} bytes, but the file has {}", needed,
                                        file.bytes.size()));
    TensorListing listing;
    listing.format = fmt::format("llama2.c, version {}", header.version);
    listing.files = {file};
    listing.metadata = metadataOf(header);
    listing.entries = Layout(header).entries;
    return listing;
}

}  // namespace headloom
