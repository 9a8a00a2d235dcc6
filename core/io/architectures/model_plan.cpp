#include "core/io/architectures/model_plan.h"

#include "core/io/architectures/mixing_plan.h"
#include "core/io/architectures/rope_scaling.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace headloom {

namespace {

using Size = std::optional<std::int64_t>;

constexpr std::int64_t largestSize = 1 << 24;
/// Where nothing states how long an input may be.
constexpr std::int64_t assumedContext = 2048;

tl::unexpected<Error> notRunnable(std::string where, std::string what, std::string remedy) {
    return fail(Error::Kind::unsupported, std::move(where), std::move(what), std::move(remedy));
}

std::int64_t axis(const Piece& piece, std::size_t at) {
    const auto& shape = piece.entry->shape;
    return at < shape.size() ? shape[at] : -1;
}

bool perHead(const Piece& piece) {
    return piece.rule->layout == MatrixLayout::ours && piece.entry->shape.size() == 3;
}

/// All that shapes alone tell.
struct Shapes {
    Size width, vocabulary, outputs, context, hidden;
    Size heads, kvHeads, headWidth;         ///< of tensors that are stored per head
    Size queries, keys, queriesKeysValues;  ///< numbers of all heads together

    explicit Shapes(const MatchedTensors& tensors) {
        if (const Piece* embed = tensors.find("embed.W_E")) {
            vocabulary = axis(*embed, 0);
            width = axis(*embed, 1);
        }
        if (const Piece* head = tensors.find("unembed.W_U"))
            outputs = head->rule->layout == MatrixLayout::ours ? axis(*head, 1) : head->out();
        if (const Piece* positions = tensors.find("pos_embed.W_pos")) context = axis(*positions, 0);
        if (const Piece* in = tensors.firstOf("mlp.W_in"))
            hidden = (in->rule->layout == MatrixLayout::ours ? axis(*in, 1) : in->out()) /
                     static_cast<std::int64_t>(in->rule->to.size());
        if (const Piece* scale = tensors.firstOf("attn.ln_q.w")) headWidth = axis(*scale, 0);
        if (const Piece* q = tensors.firstOf("attn.W_Q")) {
            if (perHead(*q)) {
                heads = axis(*q, 0);
                headWidth = axis(*q, 2);
            } else {
                (q->fused() ? queriesKeysValues : queries) = q->out();
            }
        }
        if (const Piece* k = tensors.firstOf("attn.W_K"); k && !k->fused()) {
            if (perHead(*k))
                kvHeads = axis(*k, 0);
            else
                keys = k->out();
        }
    }
};

/// The sizes as they are used, filling in what follows from others.
class SizeSolver {
  public:
    SizeSolver(const Shapes& shapes, const ConfigValues& values, int nLayers, LoadReport& report)
        : shapes_(shapes), values_(values), nLayers_(nLayers), report_(report) {}

    Result<void> solve(ModelConfig& config) {
        if (!shapes_.width || *shapes_.width < 1)
            return notRunnable("embedding", "it is missing or is no table of rows",
                               "look at its tensors; it does not run");
        const std::int64_t width = take("dModel", shapes_.width, 0);
        const std::int64_t rows = take("dVocab", shapes_.vocabulary, 0);
        take("nLayers", nLayers_, 0);
        if (auto fine = solveHeads(width); !fine) return fine;
        const std::int64_t hidden = take("dMlp", shapes_.hidden, 0);
        std::int64_t context = take("nCtx", shapes_.context, assumedContext);
        if (!shapes_.context && !values_.integer("nCtx"))
            report_.notes.push_back(fmt::format(
                "the longest input is not stated: {} tokens are assumed", assumedContext));
        for (const std::int64_t size : {width, rows, heads_, kvHeads_, headWidth_, hidden, context})
            if (size < 0 || size > largestSize)
                return notRunnable("sizes", fmt::format("{} is out of range", size),
                                   "the file is damaged, or is no language model");
        config.dModel = static_cast<int>(width);
        config.dVocab = static_cast<int>(std::max(rows, shapes_.outputs.value_or(0)));
        config.nHeads = static_cast<int>(heads_);
        config.nKvHeads = static_cast<int>(kvHeads_);
        if (headWidth_ * heads_ != width) config.headWidth = static_cast<int>(headWidth_);
        config.dMlp = static_cast<int>(hidden);
        config.nCtx = static_cast<int>(context);
        return {};
    }

  private:
    /// The tensors' size, else the configuration's, else `otherwise`; into the report.
    std::int64_t take(const char* name, Size inferred, std::int64_t otherwise) {
        const Size configured = values_.integer(name);
        const std::int64_t used = inferred ? *inferred : configured.value_or(otherwise);
        report_.dimensions.push_back({name, inferred, configured, used});
        return used;
    }

    Result<void> solveHeads(std::int64_t width) {
        const Size stated = values_.integer("nHeads"), statedKv = values_.integer("nKvHeads");
        Size heads = shapes_.heads, d = shapes_.headWidth;
        const Size queries = queriesOf(width, stated, statedKv);
        if (!heads && queries && d && *d > 0 && *queries % *d == 0) heads = *queries / *d;
        if (!heads && !stated && queries)
            if (const Size configured = values_.integer("headWidth");
                configured && *configured > 0 && *queries % *configured == 0)
                heads = *queries / *configured;
        if (!heads && !stated)
            return notRunnable(
                "heads", "neither the tensors nor a configuration say how many heads the model has",
                "put its config.json beside it, or give the number with --set nHeads=N");
        heads_ = take("nHeads", heads, 0);
        if (heads_ < 1) return notRunnable("heads", "there are none", "give --set nHeads=N");
        if (!d && queries) {
            if (*queries % heads_ != 0)
                return notRunnable("heads",
                                   fmt::format("the queries of {} heads are {} numbers wide, which "
                                               "is no multiple",
                                               heads_, *queries),
                                   "correct the number of heads in the configuration");
            d = *queries / heads_;
        }
        headWidth_ = take("headWidth", d, width / heads_);
        Size kv = shapes_.kvHeads;
        if (!kv && shapes_.keys && headWidth_ > 0) {
            if (*shapes_.keys % headWidth_ != 0)
                return notRunnable("key/value heads",
                                   fmt::format("keys of {} numbers are no multiple of a head of {}",
                                               *shapes_.keys, headWidth_),
                                   "correct the number of heads in the configuration");
            kv = *shapes_.keys / headWidth_;
        }
        if (!kv && shapes_.queriesKeysValues && headWidth_ > 0)
            kv = (*shapes_.queriesKeysValues / headWidth_ - heads_) / 2;
        kvHeads_ = take("nKvHeads", kv, heads_);
        return {};
    }

    /// How wide the queries of all heads are; of a tensor with keys and values in it too, by what
    /// is stated of the heads.
    Size queriesOf(std::int64_t width, Size heads, Size kvHeads) const {
        if (!shapes_.queriesKeysValues) return shapes_.queries;
        const std::int64_t all = *shapes_.queriesKeysValues;
        if (all == 3 * width) return width;
        if (!heads) return std::nullopt;
        const std::int64_t groups = *heads + 2 * kvHeads.value_or(*heads);
        return groups > 0 && all % groups == 0 ? Size(all / groups * *heads) : std::nullopt;
    }

    const Shapes& shapes_;
    const ConfigValues& values_;
    int nLayers_;
    LoadReport& report_;
    std::int64_t heads_ = 0, kvHeads_ = 0, headWidth_ = 0;
};

Result<Activation> activationNamed(const std::string& name) {
    for (const auto& [spelled, kind] :
         {std::pair("silu", Activation::silu), std::pair("swish", Activation::silu),
          std::pair("gelu", Activation::gelu), std::pair("gelu_python", Activation::gelu),
          std::pair("gelu_new", Activation::geluTanh), std::pair("gelu_fast", Activation::geluTanh),
          std::pair("gelu_pytorch_tanh", Activation::geluTanh),
          std::pair("gelu-tanh", Activation::geluTanh), std::pair("relu", Activation::relu)})
        if (name == spelled) return kind;
    return notRunnable("MLP", fmt::format("the activation \"{}\" is not computed here", name),
                       "known are silu, gelu, gelu_new and relu");
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
            fmt::format("the configuration lists the attention of {} layers, the file has {}",
                        types.size(), config.layers.size()));
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

/// What the vocabulary of the head and that of the embedding have in common.
void planOutputs(const Shapes& shapes, ModelConfig& config, LoadReport& report) {
    const std::int64_t rows = shapes.vocabulary.value_or(0),
                       outputs = shapes.outputs.value_or(rows);
    if (rows == outputs || config.tiedHead) return;
    if (outputs < rows) config.headBias = true;  // what keeps the others from being chosen
    report.notes.push_back(
        fmt::format("the head has {} outputs and the embedding {} rows: the shorter is filled up",
                    outputs, rows));
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
    const Shapes shapes(tensors);
    ModelPlan plan;
    ModelConfig& config = plan.config;
    if (tensors.nLayers < 1)
        return notRunnable(map.title, "there are no layers", "the file is not a whole model");
    if (auto fine = SizeSolver(shapes, values, tensors.nLayers, report).solve(config); !fine)
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
          *kind == PositionKind::none ? Result<void>() : planRotation(values, config, report),
          planWindows(values, config, report), planMixing(values, source, tensors, plan, report),
          planHead(values, source, tensors, config, report)})
        if (!step) return tl::unexpected(step.error());
    planScores(values, config);
    planOutputs(shapes, config, report);
    if (values.failure()) return tl::unexpected(*values.failure());
    if (auto fine = validate(config); !fine) return tl::unexpected(fine.error());
    plan.interleavedRotary =
        map.interleavedRotary || values.boolean("adjacentPairs").value_or(false);
    return plan;
}

}  // namespace headloom
