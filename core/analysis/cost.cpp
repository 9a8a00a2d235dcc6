#include "core/analysis/cost.h"

#include "core/models/weights.h"

#include <fmt/format.h>

#include <algorithm>

namespace headloom {

namespace {

/// Allowed (query, key) pairs of one head's map over n tokens, counted token by token: whole P x P
/// blocks of other tokens in reach, and the own token's block.
std::int64_t allowedPairs(const LayerConfig& layer, std::int64_t tokens) {
    const std::int64_t pseudo = layer.nPseudo, block = pseudo * pseudo;
    const std::int64_t own = layer.mask == MaskKind::flat ? pseudo * (pseudo + 1) / 2 : block;
    const std::int64_t reach = layer.window > 0 ? layer.window - 1 : tokens;
    std::int64_t pairs = 0;
    for (std::int64_t n = 0; n < tokens; ++n) {
        pairs += own + block * std::min(n, reach);
        if (layer.mask == MaskKind::none) pairs += block * std::min(tokens - 1 - n, reach);
    }
    return pairs;
}

std::int64_t multiplyAdds(const ModelConfig& config, const LayerConfig& layer,
                          std::int64_t tokens) {
    const std::int64_t width = config.dModel, heads = config.nHeads, d = config.dHead(),
                       pseudo = layer.nPseudo, keyWidth = std::int64_t{config.kvHeads()} * d;
    std::int64_t sum = 2 * tokens * width * (heads * d + keyWidth);  // W_Q, W_O; W_K, W_V
    sum += 2 * heads * d * allowedPairs(layer, tokens);              // q.k and A v
    if (layer.kind == AttentionKind::ihaLite) sum += 3 * tokens * heads * heads * d;
    if (layer.kind == AttentionKind::talkingHeads)  // logits and weights, across heads
        sum += 2 * heads * heads * allowedPairs(layer, tokens);
    if (layer.kind == AttentionKind::differential)  // minus lambda times the second map
        sum += heads * allowedPairs(layer, tokens);
    if (layer.kind == AttentionKind::iha) {
        sum += 3 * tokens * heads * heads * pseudo * d;
        const std::int64_t read = layer.collapse == CollapseKind::full ? heads * pseudo : pseudo;
        sum += tokens * heads * read * d;
    }
    return sum + (config.gatedMlp ? 3 : 2) * tokens * width * config.dMlp;
}

}  // namespace

Cost costOf(const ModelConfig& config, std::int64_t tokens, int layer) {
    Cost cost;
    const std::string attention = fmt::format("blocks.{}.attn.", layer);
    for (const WeightSpec& spec : weightSpecs(config)) {
        cost.parameters += spec.shape.count();
        if (spec.name.starts_with(attention)) cost.attentionParameters += spec.shape.count();
    }
    const std::int64_t shown = config.layers[static_cast<std::size_t>(layer)].nPseudo;
    cost.patterns = config.nHeads * shown * shown;
    std::int64_t sum = tokens * config.dModel * config.nSlots * config.nClasses();
    for (const LayerConfig& each : config.layers) {
        const std::int64_t softmaxes = each.kind == AttentionKind::differential ? 2 : 1;
        cost.scoreEntries += softmaxes * config.nHeads * allowedPairs(each, tokens);
        sum += multiplyAdds(config, each, tokens);
        cost.cacheBytes += 2 * tokens * config.kvHeads() * each.nPseudo * config.dHead() *
                           static_cast<std::int64_t>(sizeof(float));
    }
    cost.flops = 2 * sum;
    return cost;
}

std::string mixingParameterFormula(const ModelConfig& config, int layer) {
    const LayerConfig& at = config.layers[static_cast<std::size_t>(layer)];
    const int heads = config.nHeads, pseudo = at.nPseudo, d = config.dHead();
    const std::int64_t square = std::int64_t{heads} * heads;
    if (at.kind == AttentionKind::mha)
        return fmt::format("0: {} mixes nothing", config.kindWords(at));
    if (at.kind == AttentionKind::ihaLite)
        return fmt::format("3 H^2 = 3 x {}^2 = {}", heads, 3 * square);
    if (at.kind == AttentionKind::talkingHeads)
        return fmt::format("2 H^2 = 2 x {}^2 = {}", heads, 2 * square);
    if (at.kind == AttentionKind::differential)
        return fmt::format("4 d/2 + d = 3 x {} = {}", d, 3 * d);
    if (at.collapse == CollapseKind::full)
        return fmt::format("4 H^2 P = 4 x {0}^2 x {1} = {2}", heads, pseudo, 4 * square * pseudo);
    return fmt::format("3 H^2 P + H P = 3 x {0}^2 x {1} + {0} x {1} = {2}", heads, pseudo,
                       3 * square * pseudo + std::int64_t{heads} * pseudo);
}

}  // namespace headloom
