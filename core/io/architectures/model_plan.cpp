#include "core/io/architectures/model_plan.h"

#include "core/base/counted.h"
#include "core/io/architectures/mixing_plan.h"
#include "core/io/architectures/model_sizes.h"
#include "core/io/architectures/rope_scaling.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace headloom {

namespace {

constexpr std::int64_t largestSize = 1 << 24;

tl::unexpected<Error> notRunnable(std::string where, std::string what, std::string remedy) {
    return fail(Error::Kind::unsupported, std::move(where), std::move(what), std::move(remedy));
}

Result<Activation> activationNamed(const std::string& name) {
    for (const auto& [spelled, kind] :
         {std::pair("silu", Activation::silu), std::pair("swish", Activation::silu),
          std::pair("gelu", Activation::gelu), std::pair("gelu_python", Activation::gelu),
          std::pair("gelu_new", Activation::geluTanh), std::pair("gelu_fast", Activation::geluTanh),
          std::pair("gelu_pytorch_tanh", Activation::geluTanh),
          std::pair("gelu-tanh", Activation::geluTanh), std::pair("relu", Activation::relu),
          std::pair("relu2", Activation::reluSquared)})
        if (name == spelled) return kind;
    return notRunnable("MLP", fmt::format("the activation \"{}\" is not computed here", name),
                       "known are silu, gelu, gelu_new, relu and relu2");
}

/// Which norms there are, by the tensors that are there.
Result<void> planNorms(const ConfigValues& values, const MatchedTensors& tensors, ModelPlan& plan,
                       LoadReport& report) {
    ModelConfig& config = plan.config;
    config.normEpsilon = values.number("normEpsilon").value_or(1e-5);
    const bool scaled = tensors.any("ln1.w"), shifted = tensors.any("ln1.b");
    const bool fixed = values.text("norm").has_value();
    std::string kind = values.text("normalization").value_or("");
    if (kind == "null") kind.clear();
    if (fixed) {
        config.norm = *values.text("norm") == "layer" ? NormKind::layer : NormKind::rms;
        config.normBias = shifted;
        return {};
    }
    if (!scaled && (kind == "" || kind == "none")) {
        config.blockNorms = config.finalNorm = false;
        if (kind == "")
            report.warnings.push_back(
                "there are no norms; if they were folded into the matrices, give --set "
                "normalization=LNPre (or RMSPre)");
        return {};
    }
    if (kind != "" && kind != "LN" && kind != "LNPre" && kind != "RMS" && kind != "RMSPre")
        return notRunnable("norms", fmt::format("\"{}\" is not computed here", kind),
                           "known are LN, LNPre, RMS and RMSPre");
    const bool layer = kind == "" ? shifted : kind.starts_with("LN");
    config.norm = layer ? NormKind::layer : NormKind::rms;
    config.normBias = shifted;
    plan.foldedNorms = kind.ends_with("Pre") && !scaled;
    config.finalNorm = tensors.find("ln_final.w") || plan.foldedNorms;
    return {};
}

/// Windows: a size, whether it is on at all, and which layers have it.
Result<void> planWindows(const ConfigValues& values, ModelConfig& config, LoadReport& report) {
    const auto window = values.integer("window");
    const std::vector<std::string> types = values.list("layerTypes");
    if (!types.empty() && types.size() != config.layers.size())
        report.warnings.push_back(
            fmt::format("the configuration lists the attention of {}, the file has {}",
                        counted(types.size(), "layer"), config.layers.size()));
    for (const std::string& type : types)
        if (type != "full_attention" && type != "sliding_attention")
            return notRunnable("layers", fmt::format("attention of the kind \"{}\"", type),
                               "known are full_attention and sliding_attention");
    if (!window || *window <= 0) return {};
    if (*window > largestSize) return {};
    if (!values.boolean("useWindow").value_or(true)) {
        report.notes.push_back(
            fmt::format("a sliding window of {} tokens is stated, but switched off", *window));
        return {};
    }
    const std::int64_t from = values.integer("windowFrom").value_or(0);
    int windowed = 0;
    for (std::size_t i = 0; i < config.layers.size(); ++i) {
        const bool has = i < types.size() ? types[i] == "sliding_attention"
                                          : static_cast<std::int64_t>(i) >= from;
        if (!has) continue;
        config.layers[i].window = static_cast<int>(*window);
        ++windowed;
    }
    report.notes.push_back(fmt::format("{} of {} layers see the last {} tokens only", windowed,
                                       config.layers.size(), *window));
    return {};
}

/// Windows by a letter a layer, over and over: L all tokens, S a short window; the last layer L.
Result<void> planPattern(const ConfigValues& values, ModelConfig& config) {
    const std::string pattern = values.text("windowPattern").value_or("");
    if (pattern.find_first_not_of("LlSs") != std::string::npos)
        return notRunnable("layers", fmt::format("the pattern of windows \"{}\"", pattern),
                           "known are the letters L and S");
    for (std::size_t i = 0; i < config.layers.size(); ++i) {
        LayerConfig& layer = config.layers[i];
        const bool isShort = !pattern.empty() && i + 1 < config.layers.size() &&
                             std::tolower(pattern[i % pattern.size()]) == 's';
        if (isShort && layer.window == 0)
            return notRunnable("layers",
                               "some see a short window, and nothing says how many tokens it has",
                               "give --set window=TOKENS, their own included");
        if (!pattern.empty() && !isShort) layer.window = 0;
    }
    return {};
}

/// What is done to tokens and logits, and to queries and keys, outside of any stored tensor.
void planUnstored(const ArchitectureMap& map, const ConfigValues& values, ModelPlan& plan,
                  LoadReport& report) {
    ModelConfig& config = plan.config;
    config.logitCap = values.number("logitCap").value_or(0);
    plan.normedEmbedding = values.text("embedNorm").value_or("") == "rms";
    plan.backwardsRotary = map.backwardsRotary;
    if (values.text("qkNormPlace").value_or("") == "last") {
        config.qkNorm = config.qkNormLast = true;
        plan.qkNormFactor = values.number("qkNormFactor").value_or(1);
        report.notes.push_back(fmt::format(
            "queries and keys are normed once mixed and rotated, and multiplied by {:g}",
            plan.qkNormFactor));
    }
    const auto used = values.integer("dVocab");
    if (values.boolean("cropsVocabulary").value_or(false) && used && *used > 0 &&
        *used < config.dVocab) {
        config.dVocabOut = static_cast<int>(*used);
        for (DimensionCheck& check : report.dimensions)
            if (check.name == "dVocab") check.filledUp = true;
    }
}

void planScores(const ConfigValues& values, ModelConfig& config) {
    const bool plain = values.boolean("scaleScores").value_or(true);
    const bool byLayer = values.boolean("scaleByLayer").value_or(false);
    const double usual = 1 / std::sqrt(static_cast<double>(config.dHead()));
    for (std::size_t i = 0; i < config.layers.size(); ++i) {
        if (plain && !byLayer) continue;
        config.layers[i].scoreScale =
            (plain ? usual : 1) / (byLayer ? static_cast<double>(i + 1) : 1);
    }
}

/// Whether two entries hold the same bytes.
bool sameBytes(const TensorSource& source, const TensorEntry& a, const TensorEntry& b) {
    if (a.type != b.type || a.shape != b.shape || a.strides != b.strides || a.deflated ||
        b.deflated)
        return false;
    const auto first = source.bytes(a), second = source.bytes(b);
    return std::equal(first.begin(), first.end(), second.begin(), second.end());
}

Result<void> planHead(const ConfigValues& values, const TensorSource& source,
                      const MatchedTensors& tensors, ModelConfig& config, LoadReport& report) {
    const Piece *head = tensors.find("unembed.W_U"), *embed = tensors.find("embed.W_E");
    const bool stated = values.stated("tied").has_value();
    const bool tied = stated && values.boolean("tied").value_or(false);
    config.headBias = tensors.find("unembed.b_U") != nullptr;
    if (!head) {
        if (stated && !tied)
            return notRunnable("head",
                               fmt::format("the configuration says {} = false, but the file has "
                                           "no head of its own",
                                           values.keyOf("tied")),
                               "download the rest of the checkpoint, or correct the configuration");
        config.tiedHead = true;
        report.notes.push_back(fmt::format(
            "the file has no head: the embedding is used for it ({})",
            stated ? values.keyOf("tied") + " = true" : "nothing says whether they are tied"));
    } else if (head->rule->layout == MatrixLayout::linear &&
               sameBytes(source, *head->entry, *embed->entry)) {
        config.tiedHead = true;
        report.notes.push_back(
            fmt::format("{} is the embedding: they are tied", head->entry->name));
    } else if (tied) {
        config.tiedHead = true;
        report.warnings.push_back(fmt::format(
            "the configuration says {} = true, but {} is another matrix than the embedding; the "
            "embedding is used",
            values.keyOf("tied"), head->entry->name));
    }
    report.headTied = config.tiedHead;
    return {};
}

}  // namespace

Result<ModelPlan> planModel(const ArchitectureMap& map, const ConfigValues& values,
                            const TensorSource& source, const MatchedTensors& tensors,
                            LoadReport& report) {
    if (!map.types.empty() && !values.type().empty() && !map.types.contains(values.type()))
        return notRunnable(map.title,
                           fmt::format("{} says \"{}\", a model that computes differently",
                                       values.keyOf("type"), values.type()),
                           "look at its tensors; it does not run");
    for (const TensorEntry& entry : source.entries())
        for (const auto& [part, reason] : map.refuse)
            if (map.bare(entry.name).find(part) != std::string_view::npos)
                return notRunnable(entry.name, reason, "look at its tensors; it does not run");
    for (const TensorFate& fate : tensors.fates)
        if (map.whole && fate.use == TensorUse::unexpected)
            return notRunnable(fate.name,
                               fmt::format("is no part of {} as it is computed here", map.title),
                               "look at its tensors; it does not run");
    ModelPlan plan;
    ModelConfig& config = plan.config;
    if (tensors.nLayers < 1)
        return notRunnable(map.title, "there are no layers", "the file is not a whole model");
    if (auto fine = planSizes(values, tensors, config, report); !fine)
        return tl::unexpected(fine.error());
    const std::string direction = values.text("direction").value_or("causal");
    std::string positions = values.text("positions").value_or("none");
    if (values.text("positionKind").value_or("") == "rotary") positions = "token";
    const auto kind = positionsFrom(positions);
    if (!kind) return tl::unexpected(kind.error());
    LayerConfig layer;
    layer.mask = direction == "bidirectional" ? MaskKind::none : MaskKind::token;
    layer.positions = *kind;
    config.layers.assign(static_cast<std::size_t>(tensors.nLayers), layer);

    config.learnedPositions = tensors.find("pos_embed.W_pos") != nullptr;
    config.qBias = tensors.any("attn.b_Q");
    config.kBias = tensors.any("attn.b_K");
    config.vBias = tensors.any("attn.b_V");
    config.oBias = tensors.any("attn.b_O");
    config.qkNorm = tensors.any("attn.ln_q.w");
    config.gatedMlp = tensors.any("mlp.W_gate");
    config.mlpBias = tensors.any("mlp.b_in") || tensors.any("mlp.b_out");
    if (config.dMlp > 0) {
        const auto activation = activationNamed(values.text("activation").value_or("gelu"));
        if (!activation) return tl::unexpected(activation.error());
        config.activation = *activation;
    }
    for (const auto& step :
         {planNorms(values, tensors, plan, report),
          *kind == PositionKind::none ? Result<void>()
                                      : planRotation(values, source, tensors, config, report),
          planWindows(values, config, report), planPattern(values, config),
          planMixing(values, source, tensors, plan, report),
          planHead(values, source, tensors, config, report)})
        if (!step) return tl::unexpected(step.error());
    planScores(values, config);
    planUnstored(map, values, plan, report);
    planOutputs(tensors, config, report);
    if (values.failure()) return tl::unexpected(*values.failure());
    if (auto fine = validate(config); !fine) return tl::unexpected(fine.error());
    plan.interleavedRotary =
        map.interleavedRotary || values.boolean("adjacentPairs").value_or(false);
    return plan;
}

}  // namespace headloom
