#include "core/models/config.h"

#include <fmt/format.h>

namespace headloom {

std::string_view nameOf(AttentionKind kind) {
    return kind == AttentionKind::mha ? "mha" : "iha";
}
std::string_view nameOf(NormKind kind) {
    return kind == NormKind::rms ? "rms" : "layer";
}
std::string_view nameOf(CollapseKind kind) {
    return kind == CollapseKind::full ? "full" : "per-head";
}

bool ModelConfig::causal() const {
    for (const LayerConfig& layer : layers)
        if (layer.mask == MaskKind::none) return false;
    return true;
}

std::string ModelConfig::summary() const {
    int interleaved = 0, pseudo = 1;
    for (const LayerConfig& layer : layers) {
        if (layer.kind != AttentionKind::iha) continue;
        ++interleaved;
        pseudo = layer.nPseudo;
    }
    const std::string depth = fmt::format("{} layer{}", nLayers(), nLayers() == 1 ? "" : "s");
    const std::string width = fmt::format("{} head{}", nHeads, nHeads == 1 ? "" : "s");
    if (interleaved == 0) return fmt::format("MHA, {}, {} of {}", depth, width, dHead());
    const char* kind = interleaved == nLayers() ? "IHA" : "MHA and IHA";
    return fmt::format("{}, {}, {} x {} pseudo-heads of {}", kind, depth, width, pseudo, dHead());
}

namespace {

// Above these a configuration is a slip of the keyboard or a hostile file, not a model for a desk.
constexpr int largestWidth = 1 << 20;
constexpr int mostLayers = 1024;
constexpr int mostPseudo = 1024;

tl::unexpected<Error> impossible(std::string field, std::string what, std::string remedy) {
    return fail(Error::Kind::badInput, std::move(field), std::move(what), std::move(remedy));
}

Result<void> validateLayer(const ModelConfig& config, const LayerConfig& layer, int index) {
    const std::string at = fmt::format("layer {}", index);
    if (layer.nPseudo < 1 || layer.nPseudo > mostPseudo)
        return impossible(at, fmt::format("P = {} pseudo-heads", layer.nPseudo),
                          fmt::format("P must lie in 1..{}", mostPseudo));
    if (layer.kind == AttentionKind::mha && layer.nPseudo != 1)
        return impossible(at, fmt::format("MHA has no pseudo-heads, but P = {}", layer.nPseudo),
                          "set P = 1 or choose IHA");
    if (layer.kind == AttentionKind::iha && config.kvHeads() != config.nHeads)
        return impossible(at, "IHA mixes all heads, so keys and values cannot be grouped",
                          "use as many key/value heads as heads");
    if (layer.window < 0)
        return impossible(at, fmt::format("window of {} tokens", layer.window),
                          "a window has at least 1 token; leave it out for none");
    if (layer.positions != PositionKind::none && config.dHead() % 2 != 0)
        return impossible(
            at, fmt::format("rotary positions need an even head width, but d = {}", config.dHead()),
            "change the width, the number of heads, or use positions none");
    if (!(layer.positionFactor > 0) || layer.positionFactor > 1e6)
        return impossible(at, fmt::format("position factor {}", layer.positionFactor),
                          "use a factor above 0, at most 1000000");
    return {};
}

}  // namespace

Result<void> validate(const ModelConfig& config) {
    struct Bound {
        const char* field;
        int value, least, most;
    };
    for (const Bound& bound : {Bound{"width D", config.dModel, 1, largestWidth},
                               {"heads H", config.nHeads, 1, 4096},
                               {"key/value heads", config.kvHeads(), 1, 4096},
                               {"MLP width", config.dMlp, 0, largestWidth},
                               {"vocabulary", config.dVocab, 1, 1 << 24},
                               {"context", config.nCtx, 1, 1 << 24},
                               {"output slots", config.nSlots, 1, 4096},
                               {"layers", config.nLayers(), 1, mostLayers}})
        if (bound.value < bound.least || bound.value > bound.most)
            return impossible(bound.field, fmt::format("{} is out of range", bound.value),
                              fmt::format("use {}..{}", bound.least, bound.most));
    if (config.dModel % config.nHeads != 0)
        return impossible(
            "heads H", fmt::format("H = {} does not divide D = {}", config.nHeads, config.dModel),
            "choose H so that every head has the same whole width D/H");
    if (config.nHeads % config.kvHeads() != 0)
        return impossible("key/value heads",
                          fmt::format("{} does not divide H = {}", config.kvHeads(), config.nHeads),
                          "choose a divisor of H");
    if (!(config.normEpsilon >= 0) || !(config.ropeTheta > 0))
        return impossible("norm epsilon and rope theta", "they must be positive numbers",
                          "use for example 1e-5 and 10000");
    for (int i = 0; i < config.nLayers(); ++i)
        if (auto fine = validateLayer(config, config.layers[static_cast<std::size_t>(i)], i); !fine)
            return fine;
    return {};
}

}  // namespace headloom
