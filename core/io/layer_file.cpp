#include "core/io/layer_file.h"

#include "core/io/safetensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>

namespace headloom {

namespace {

/// Reads the tensors of a layer by name and remembers the first failure.
class LayerReader {
  public:
    LayerReader(const SafetensorsFile& file, DType as) : file_(file), as_(as) {}

    bool has(const char* name) const { return file_.find(name) != nullptr; }
    /// `expected` describes the shape in words, for the sentence.
    Tensor read(const char* name, int rank, const char* expected) {
        if (failure_) return {};
        const SafetensorsEntry* entry = file_.find(name);
        if (!entry) return refuse(name, "is missing", fmt::format("a layer file has {}", expected));
        auto tensor = file_.read(*entry, as_);
        if (!tensor) {
            failure_ = tensor.error();
            return {};
        }
        if (tensor->shape().rank() != rank)
            return refuse(name, fmt::format("has shape {}", tensor->shape().text()),
                          fmt::format("a layer file has {}", expected));
        return *tensor;
    }
    void require(const char* name, const Tensor& tensor, const Shape& shape) {
        if (failure_ || tensor.shape() == shape) return;
        refuse(name, fmt::format("has shape {}", tensor.shape().text()),
               fmt::format("with the other tensors of this file it must be {}", shape.text()));
    }
    Tensor refuse(const char* name, std::string what, std::string remedy) {
        failure_ = Error{Error::Kind::badFile,
                         fmt::format("{}, tensor \"{}\"", file_.path().string(), name),
                         std::move(what), std::move(remedy)};
        return {};
    }
    const std::optional<Error>& failure() const { return failure_; }

  private:
    const SafetensorsFile& file_;
    DType as_;
    std::optional<Error> failure_;
};

constexpr const char* layerTensors[] = {"x",       "wq",      "wk",      "wv",      "wo",
                                        "alpha_q", "alpha_k", "alpha_v", "collapse"};

void readMixing(LayerReader& reader, LayerFile& layer) {
    AttentionWeights& weights = layer.weights;
    layer.kind = AttentionKind::iha;
    weights.alphaQ = reader.read("alpha_q", 3, "alpha_q [H, H, P] (source, target, pseudo)");
    weights.alphaK = reader.read("alpha_k", 3, "alpha_k [H, H, P] (source, target, pseudo)");
    weights.alphaV = reader.read("alpha_v", 3, "alpha_v [H, H, P] (source, target, pseudo)");
    weights.r = reader.read("collapse", 2, "collapse [H, H*P] or [H, P]");
    if (reader.failure()) return;
    const std::int64_t heads = layer.nHeads, pseudo = weights.alphaQ.size(2);
    if (pseudo < 1 || pseudo > std::numeric_limits<int>::max()) {
        reader.refuse("alpha_q", fmt::format("has P = {} pseudo-heads", pseudo),
                      "P must be at least 1");
        return;
    }
    layer.nPseudo = static_cast<int>(pseudo);
    reader.require("alpha_q", weights.alphaQ, {heads, heads, pseudo});
    reader.require("alpha_k", weights.alphaK, {heads, heads, pseudo});
    reader.require("alpha_v", weights.alphaV, {heads, heads, pseudo});
    // For H = 1 both forms have one shape and one meaning.
    if (weights.r && weights.r.size(1) == pseudo && heads > 1) {
        layer.collapse = CollapseKind::perHead;
        reader.require("collapse", weights.r, {heads, pseudo});
    } else {
        reader.require("collapse", weights.r, {heads, heads * pseudo});
    }
}

Result<LayerFile> readLayer(const SafetensorsFile& file, DType as) {
    LayerReader reader(file, as);
    LayerFile layer;
    AttentionWeights& weights = layer.weights;
    const Tensor x = reader.read("x", 2, "x [N, D]");
    weights.wQ = reader.read("wq", 3, "wq [H, D, d]");
    weights.wK = reader.read("wk", 3, "wk [H, D, d]");
    weights.wV = reader.read("wv", 3, "wv [H, D, d]");
    if (reader.failure()) return tl::unexpected(*reader.failure());

    const std::int64_t tokens = x.size(0), width = x.size(1), heads = weights.wQ.size(0);
    if (tokens < 1 || width < 1)
        reader.refuse("x", fmt::format("has shape {}", x.shape().text()),
                      "a layer needs at least one token and a width of at least 1");
    else if (heads < 1 || width % heads != 0)
        reader.refuse("wq", fmt::format("H = {} does not divide D = {}", heads, width),
                      "choose H so that every head has the same whole width D/H");
    if (reader.failure()) return tl::unexpected(*reader.failure());
    const std::int64_t d = width / heads;
    layer.x = x.reshaped({1, tokens, width});
    layer.nHeads = static_cast<int>(heads);
    layer.dHead = static_cast<int>(d);
    reader.require("wq", weights.wQ, {heads, width, d});
    reader.require("wk", weights.wK, {heads, width, d});
    reader.require("wv", weights.wV, {heads, width, d});
    if (reader.has("wo")) {
        const Tensor wo = reader.read("wo", 2, "wo [D, D]");
        reader.require("wo", wo, {width, width});
        if (!reader.failure()) weights.wO = wo.reshaped({heads, d, width});
    }
    if (reader.has("alpha_q") || reader.has("alpha_k") || reader.has("alpha_v"))
        readMixing(reader, layer);
    else if (reader.has("collapse"))
        reader.refuse("collapse", "is there without alphas",
                      "give alpha_q, alpha_k and alpha_v too, or leave it out for MHA");
    if (reader.failure()) return tl::unexpected(*reader.failure());
    return layer;
}

}  // namespace

Result<LayerFile> loadLayerFile(const std::filesystem::path& path, DType as) {
    const auto file = SafetensorsFile::open(path);
    if (!file) return tl::unexpected(file.error());
    return readLayer(*file, as);
}

Result<LayerFile> loadLayerFile(const std::filesystem::path& path) {
    const auto file = SafetensorsFile::open(path);
    if (!file) return tl::unexpected(file.error());
    const bool inDouble =
        std::all_of(std::begin(layerTensors), std::end(layerTensors), [&file](const char* name) {
            const SafetensorsEntry* entry = file->find(name);
            return !entry || entry->dtype == "F64";
        });
    return readLayer(*file, inDouble ? DType::f64 : DType::f32);
}

Tensor interleavedMaps(const Tensor& tiles) {
    const int first = tiles.shape().rank() - 5;  // 1 with a leading batch of 1
    assert(first == 0 || (first == 1 && tiles.size(0) == 1));
    const std::int64_t heads = tiles.size(first), pseudo = tiles.size(first + 1),
                       tokens = tiles.size(first + 3), size = tokens * pseudo;
    const Tensor out = Tensor::host({heads, size, size}, tiles.dtype());
    const std::size_t cell = sizeOf(tiles.dtype());
    const std::byte* from = tiles.raw();
    for (std::int64_t h = 0; h < heads; ++h)
        for (std::int64_t p = 0; p < pseudo; ++p)
            for (std::int64_t r = 0; r < pseudo; ++r)
                for (std::int64_t i = 0; i < tokens; ++i)
                    for (std::int64_t j = 0; j < tokens; ++j, from += cell) {
                        const std::int64_t row = i * pseudo + p, column = j * pseudo + r;
                        const std::int64_t at = (h * size + row) * size + column;
                        std::memcpy(out.raw() + static_cast<std::size_t>(at) * cell, from, cell);
                    }
    return out;
}

Result<void> saveLayerResult(const std::filesystem::path& path, const Tensor& y,
                             const Tensor& tiles) {
    const Tensor rows = y.reshaped({y.size(-2), y.size(-1)});
    return writeSafetensors(
        path, {{"y", rows.cast(DType::f32)}, {"maps", interleavedMaps(tiles).cast(DType::f32)}});
}

}  // namespace headloom
