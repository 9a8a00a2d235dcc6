#include "core/models/mixing_tensor.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace headloom {

namespace {

struct Names {
    MixingTensor matrix;
    const char *said, *stored;
};
constexpr Names allNames[] = {
    {MixingTensor::alphaQ, "alphaQ", "alpha_Q"}, {MixingTensor::alphaK, "alphaK", "alpha_K"},
    {MixingTensor::alphaV, "alphaV", "alpha_V"}, {MixingTensor::collapse, "R", "R"},
    {MixingTensor::logits, "logits", "mix_L"},   {MixingTensor::weights, "weights", "mix_W"},
};

const Names& namesOf(MixingTensor matrix) {
    return *std::find_if(std::begin(allNames), std::end(allNames),
                         [matrix](const Names& one) { return one.matrix == matrix; });
}

}  // namespace

std::string_view nameOf(MixingTensor matrix) {
    return namesOf(matrix).said;
}

Result<MixingTensor> mixingTensorFrom(std::string_view name) {
    for (const Names& one : allNames)
        if (name == one.said || name == one.stored) return one.matrix;
    return fail(Error::Kind::badInput, std::string(name), "no mixing matrix is called that",
                "use alphaQ, alphaK, alphaV or R (logits or weights of talking heads)");
}

std::string tensorNameOf(MixingTensor matrix, int layer) {
    return fmt::format("blocks.{}.attn.{}", layer, namesOf(matrix).stored);
}

std::vector<MixingTensor> mixingTensorsOf(const LayerConfig& layer) {
    switch (layer.kind) {
        case AttentionKind::iha:
            return {MixingTensor::alphaQ, MixingTensor::alphaK, MixingTensor::alphaV,
                    MixingTensor::collapse};
        case AttentionKind::ihaLite:
            return {MixingTensor::alphaQ, MixingTensor::alphaK, MixingTensor::alphaV};
        case AttentionKind::talkingHeads:
            return {MixingTensor::logits, MixingTensor::weights};
        default:
            return {};
    }
}

std::vector<int> mixingShape(MixingTensor matrix, const ModelConfig& config,
                             const LayerConfig& layer) {
    const std::vector<MixingTensor> there = mixingTensorsOf(layer);
    if (std::find(there.begin(), there.end(), matrix) == there.end()) return {};
    const int heads = config.nHeads, pseudo = layer.nPseudo;
    if (layer.kind != AttentionKind::iha) return {heads, heads};
    if (matrix != MixingTensor::collapse) return {heads, heads, pseudo};
    return {heads, layer.collapse == CollapseKind::full ? heads * pseudo : pseudo};
}

}  // namespace headloom
