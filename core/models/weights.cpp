#include "core/models/weights.h"

#include <fmt/format.h>

#include <algorithm>

namespace headloom {

void Weights::add(std::string name, Tensor tensor) {
    entries_.emplace_back(std::move(name), std::move(tensor));
}

Tensor Weights::find(std::string_view name) const {
    for (const auto& [key, tensor] : entries_)
        if (key == name) return tensor;
    return {};
}

void Weights::replace(std::string_view name, Tensor tensor) {
    for (auto& [key, held] : entries_)
        if (key == name) held = tensor;
}

std::int64_t Weights::parameterCount() const {
    std::int64_t total = 0;
    for (const auto& entry : entries_) total += entry.second.count();
    return total;
}

Weights Weights::clone() const {
    Weights made;
    for (const auto& [name, tensor] : entries_) made.add(name, tensor.copy());
    return made;
}

namespace {

void addLayer(const ModelConfig& config, int index, std::vector<WeightSpec>& specs) {
    const LayerConfig& layer = config.layers[static_cast<std::size_t>(index)];
    const std::string block = fmt::format("blocks.{}.", index);
    const std::int64_t width = config.dModel, heads = config.nHeads, kv = config.kvHeads(),
                       d = config.dHead(), pseudo = layer.nPseudo;
    const auto norm = [&](const std::string& name) {
        if (!config.blockNorms) return;
        specs.push_back({block + name + ".w", {width}, WeightRole::normScale});
        if (config.norm == NormKind::layer && config.normBias)
            specs.push_back({block + name + ".b", {width}, WeightRole::normShift});
    };
    norm("ln1");
    const std::int64_t halves = layer.kind == AttentionKind::differential ? 2 : 1;
    const Shape queries{halves * heads, width, d / halves}, keys{halves * kv, width, d / halves};
    specs.push_back({block + "attn.W_Q", queries, WeightRole::matrix, width});
    specs.push_back({block + "attn.W_K", keys, WeightRole::matrix, width});
    specs.push_back({block + "attn.W_V", {kv, width, d}, WeightRole::matrix, width});
    const auto bias = [&](bool wanted, const char* name, const Shape& shape, std::int64_t fanIn) {
        if (wanted) specs.push_back({block + name, shape, WeightRole::bias, fanIn});
    };
    bias(config.qBias, "attn.b_Q", {queries[0], queries[2]}, width);
    bias(config.kBias, "attn.b_K", {keys[0], keys[2]}, width);
    bias(config.vBias, "attn.b_V", {kv, d}, width);
    if (config.qkNorm)
        for (const char* name : {"attn.ln_q.w", "attn.ln_k.w"})
            specs.push_back({block + name, {d / halves}, WeightRole::normScale});
    if (layer.kind == AttentionKind::iha) {
        for (const char* name : {"attn.alpha_Q", "attn.alpha_K", "attn.alpha_V"})
            specs.push_back({block + name, {heads, heads, pseudo}, WeightRole::mixing});
        const std::int64_t columns = layer.collapse == CollapseKind::full ? heads * pseudo : pseudo;
        specs.push_back({block + "attn.R", {heads, columns}, WeightRole::collapse});
    }
    if (layer.kind == AttentionKind::ihaLite)
        for (const char* name : {"attn.alpha_Q", "attn.alpha_K", "attn.alpha_V"})
            specs.push_back({block + name, {heads, heads}, WeightRole::mixing});
    if (layer.kind == AttentionKind::talkingHeads)
        for (const char* name : {"attn.mix_L", "attn.mix_W"})
            specs.push_back({block + name, {heads, heads}, WeightRole::mixing});
    if (layer.kind == AttentionKind::differential) {
        for (const char* name :
             {"attn.lambda_Q1", "attn.lambda_K1", "attn.lambda_Q2", "attn.lambda_K2"})
            specs.push_back({block + name, {d / 2}, WeightRole::lambda});
        specs.push_back({block + "attn.ln_z.w", {d}, WeightRole::normScale});
    }
    specs.push_back({block + "attn.W_O", {heads, d, width}, WeightRole::matrix, heads * d});
    bias(config.oBias, "attn.b_O", {width}, heads * d);
    if (config.dMlp == 0) return;
    norm("ln2");
    if (config.gatedMlp) {
        specs.push_back({block + "mlp.W_gate", {width, config.dMlp}, WeightRole::matrix, width});
        bias(config.mlpBias, "mlp.b_gate", {config.dMlp}, width);
    }
    specs.push_back({block + "mlp.W_in", {width, config.dMlp}, WeightRole::matrix, width});
    bias(config.mlpBias, "mlp.b_in", {config.dMlp}, width);
    specs.push_back({block + "mlp.W_out", {config.dMlp, width}, WeightRole::matrix, config.dMlp});
    bias(config.mlpBias, "mlp.b_out", {width}, config.dMlp);
}

}  // namespace

std::vector<WeightSpec> weightSpecs(const ModelConfig& config) {
    std::vector<WeightSpec> specs;
    const std::int64_t width = config.dModel, out = std::int64_t{config.nSlots} * config.nClasses();
    specs.push_back({"embed.W_E", {config.dVocab, width}, WeightRole::embedding});
    if (config.learnedPositions)
        specs.push_back({"pos_embed.W_pos", {config.nCtx, width}, WeightRole::position});
    for (int i = 0; i < config.nLayers(); ++i) addLayer(config, i, specs);
    if (config.finalNorm) {
        specs.push_back({"ln_final.w", {width}, WeightRole::normScale});
        if (config.norm == NormKind::layer && config.normBias)
            specs.push_back({"ln_final.b", {width}, WeightRole::normShift});
    }
    if (!config.tiedHead) specs.push_back({"unembed.W_U", {width, out}, WeightRole::matrix, width});
    if (config.headBias) specs.push_back({"unembed.b_U", {out}, WeightRole::bias, width});
    return specs;
}

Result<void> checkWeights(const ModelConfig& config, const Weights& weights) {
    const std::vector<WeightSpec> specs = weightSpecs(config);
    for (const WeightSpec& spec : specs) {
        const Tensor tensor = weights.find(spec.name);
        if (!tensor)
            return fail(Error::Kind::badFile, spec.name, "the tensor is missing",
                        "the file does not belong to this configuration");
        if (!(tensor.shape() == spec.shape))
            return fail(Error::Kind::badFile, spec.name,
                        fmt::format("has shape {}, but the configuration needs {}",
                                    tensor.shape().text(), spec.shape.text()),
                        "the file does not belong to this configuration");
        if (tensor.dtype() != DType::f32)
            return fail(Error::Kind::badFile, spec.name,
                        fmt::format("is {}, but a model is held in F32", nameOf(tensor.dtype())),
                        "convert it to F32");
    }
    for (const auto& entry : weights.entries())
        if (std::none_of(specs.begin(), specs.end(),
                         [&](const WeightSpec& spec) { return spec.name == entry.first; }))
            return fail(Error::Kind::badFile, entry.first, "the configuration has no such tensor",
                        "the file does not belong to this configuration");
    return {};
}

}  // namespace headloom
