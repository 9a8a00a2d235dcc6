#include "core/models/config.h"

#include "core/base/counted.h"

#include <fmt/format.h>

namespace headloom {

namespace {

constexpr std::pair<AttentionKind, std::string_view> kindNames[] = {
    {AttentionKind::mha, "mha"},
    {AttentionKind::iha, "iha"},
    {AttentionKind::ihaLite, "iha-lite"},
    {AttentionKind::talkingHeads, "talking-heads"},
    {AttentionKind::differential, "differential"}};

}  // namespace

std::string_view nameOf(AttentionKind kind) {
    for (const auto& [known, name] : kindNames)
        if (known == kind) return name;
    return {};
}

std::vector<AttentionKind> attentionKinds() {
    std::vector<AttentionKind> kinds;
    for (const auto& entry : kindNames) kinds.push_back(entry.first);
    return kinds;
}

Result<AttentionKind> attentionKindFrom(std::string_view name) {
    std::string known;
    for (const auto& [kind, each] : kindNames) {
        if (each == name) return kind;
        known += (known.empty() ? "" : ", ") + std::string(each);
    }
    return fail(Error::Kind::badInput, "attention",
                fmt::format("\"{}\" is not a kind of attention", name), "use one of: " + known);
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

std::string_view ModelConfig::kindWords(const LayerConfig& layer) const {
    switch (layer.kind) {
        case AttentionKind::mha:
            break;
        case AttentionKind::iha:
            return "IHA";
        case AttentionKind::ihaLite:
            return "IHA-lite";
        case AttentionKind::talkingHeads:
            return "talking heads";
        case AttentionKind::differential:
            return "differential attention";
    }
    return kvHeads() == nHeads ? "MHA" : kvHeads() == 1 ? "MQA" : "GQA";
}

std::string ModelConfig::summary() const {
    std::string kinds;
    int pseudo = 0;
    for (const AttentionKind kind : attentionKinds())
        for (const LayerConfig& layer : layers) {
            if (layer.kind != kind) continue;
            kinds += (kinds.empty() ? "" : " and ") + std::string(kindWords(layer));
            break;
        }
    for (const LayerConfig& layer : layers)
        if (layer.kind == AttentionKind::iha) pseudo = layer.nPseudo;
    const std::string depth = counted(nLayers(), "layer");
    std::string width = counted(nHeads, "head");
    if (pseudo > 0)
        width += " x " + counted(pseudo, "pseudo-head");
    else if (kvHeads() != nHeads)
        width = counted(nHeads, "query head") + " on " + counted(kvHeads(), "key/value head");
    return fmt::format("{}, {}, {} of {}", kinds, depth, width, dHead());
}

namespace {

// Above these a configuration is a slip of the keyboard or a hostile file, not a model for a desk.
constexpr int largestWidth = 1 << 20;
constexpr int mostLayers = 1024;
constexpr int mostPseudo = 1024;

tl::unexpected<Error> impossible(std::string field, std::string what, std::string remedy) {
    return fail(Error::Kind::badInput, std::move(field), std::move(what), std::move(remedy));
}

/// What of a head rotates, and how fast.
Result<void> validateRotation(const ModelConfig& config, int dScore, const std::string& at) {
    const int width = config.rotaryWidth;
    if (width < 0 || width % 2 != 0 || width > dScore)
        return impossible(at, fmt::format("{} of {} components of a head rotate", width, dScore),
                          "use an even number, at most the head's width");
    const std::size_t pairs = static_cast<std::size_t>(width > 0 ? width : dScore) / 2;
    if (!config.ropeDivisors.empty() && config.ropeDivisors.size() != pairs)
        return impossible(
            at, fmt::format("{} rotary divisors for {} pairs", config.ropeDivisors.size(), pairs),
            "give one a pair, or none");
    for (const double divisor : config.ropeDivisors)
        if (!(divisor > 0) || divisor > 1e9)
            return impossible(at, fmt::format("a rotary divisor of {}", divisor),
                              "use numbers above 0, at most 1e9");
    return {};
}

Result<void> validateLayer(const ModelConfig& config, const LayerConfig& layer, int index) {
    const std::string at = fmt::format("layer {}", index);
    if (layer.nPseudo < 1 || layer.nPseudo > mostPseudo)
        return impossible(at, fmt::format("P = {} pseudo-heads", layer.nPseudo),
                          fmt::format("P must lie in 1..{}", mostPseudo));
    const std::string kind(config.kindWords(layer));
    if (layer.kind != AttentionKind::iha && layer.nPseudo != 1)
        return impossible(at,
                          fmt::format("{} has no pseudo-heads, but P = {}", kind, layer.nPseudo),
                          "set P = 1 or choose IHA");
    const bool grouped = config.kvHeads() != config.nHeads;
    if (grouped && (layer.kind == AttentionKind::iha || layer.kind == AttentionKind::ihaLite))
        return impossible(at, kind + " mixes all heads, so keys and values cannot be grouped",
                          "use as many key/value heads as heads");
    if (grouped && layer.kind == AttentionKind::differential)
        return impossible(at, "differential attention is built without grouped keys and values",
                          "use as many key/value heads as heads");
    const bool halved = layer.kind == AttentionKind::differential;
    const int dHead = config.dHead(), dScore = halved ? dHead / 2 : dHead;
    if (halved && dHead % 2 != 0)
        return impossible(
            at, fmt::format("differential attention halves every head, but d = {}", dHead),
            "change the width or the number of heads so that d is even");
    if (layer.window < 0)
        return impossible(at, fmt::format("window of {} tokens", layer.window),
                          "a window has at least 1 token; leave it out for none");
    if (layer.positions != PositionKind::none && config.rotaryWidth == 0 && dScore % 2 != 0)
        return impossible(at,
                          fmt::format("rotary positions need an even {} width, but d = {}",
                                      halved ? "half-head" : "head", dScore),
                          "change the width, the number of heads, or use positions none");
    if (auto fine = validateRotation(config, dScore, at); !fine) return fine;
    if (!(layer.scoreScale >= 0) || layer.scoreScale > 1e6)
        return impossible(at, fmt::format("score scale {}", layer.scoreScale),
                          "use a factor above 0, at most 1000000, or 0 for 1/sqrt(d)");
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
                               {"head width", config.headWidth, 0, largestWidth},
                               {"MLP width", config.dMlp, 0, largestWidth},
                               {"vocabulary", config.dVocab, 1, 1 << 24},
                               {"answers", config.dVocabOut, 0, config.dVocab},
                               {"context", config.nCtx, 1, 1 << 24},
                               {"output slots", config.nSlots, 1, 4096},
                               {"layers", config.nLayers(), 1, mostLayers}})
        if (bound.value < bound.least || bound.value > bound.most)
            return impossible(bound.field, fmt::format("{} is out of range", bound.value),
                              fmt::format("use {}..{}", bound.least, bound.most));
    if (config.headWidth == 0 && config.dModel % config.nHeads != 0)
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
    if (!(config.logitCap >= 0) || config.logitCap > 1e6)
        return impossible("logit cap", fmt::format("{} is out of range", config.logitCap),
                          "use a number up to 1000000, or 0 for none");
    if (config.qkNormLast && !config.qkNorm)
        return impossible("query and key norm", "it has a place, but there is none",
                          "switch it on, or leave its place out");
    if (config.tiedHead && config.nSlots != 1)
        return impossible("output slots",
                          fmt::format("a head tied to the embedding makes 1 prediction a token, "
                                      "not {}",
                                      config.nSlots),
                          "use 1 slot, or a head of its own");
    if (config.tiedHead && config.nClasses() != config.dVocab)
        return impossible("answers", "a head tied to the embedding answers with any token",
                          "allow all tokens, or use a head of its own");
    for (int i = 0; i < config.nLayers(); ++i)
        if (auto fine = validateLayer(config, config.layers[static_cast<std::size_t>(i)], i); !fine)
            return fine;
    return {};
}

}  // namespace headloom
