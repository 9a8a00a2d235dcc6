#include "core/models/decoder.h"

#include "core/models/guarded.h"
#include "core/models/map_attention.h"

#include <fmt/format.h>

#include <algorithm>

namespace headloom {

namespace {

/// Activations have the type of the weights: float32, or float64 for finite differences.
Tensor rowsOf(const Tensor& like, std::int64_t width, Backend& backend) {
    return backend.allocate({like.size(0), like.size(1), width}, like.dtype());
}

Tensor flat(const Tensor& x) {
    return x.reshaped({x.size(0) * x.size(1), x.size(2)});
}

bool keepsMaps(const ForwardOptions& options, int layer) {
    const std::vector<int>& chosen = options.mapLayers;
    return options.captureMaps &&
           (chosen.empty() || std::find(chosen.begin(), chosen.end(), layer) != chosen.end());
}

using Site = LayerChanges::Rows::Site;

const LayerChanges& changesOf(const ForwardOptions& options, int layer) {
    static const LayerChanges none;
    return options.changes.empty() ? none : options.changes[static_cast<std::size_t>(layer)];
}

}  // namespace

Decoder::Decoder(ModelConfig config, Weights weights, Backend& backend)
    : config_(std::move(config)),
      weights_(std::move(weights)),
      handles_(handlesOf(config_, weights_)),
      backend_(&backend) {
    if (config_.logitCap == 0) return;
    const auto factor = [&](double value) {
        return place(Tensor::of<double>({1, 1, 1}, {value}).cast(handles_.embed.dtype()), backend);
    };
    intoCap_ = factor(1 / config_.logitCap);
    outOfCap_ = factor(config_.logitCap);
}

Decoder::Handles Decoder::handlesOf(const ModelConfig& config, const Weights& weights) {
    Handles handles;
    handles.embed = weights.find("embed.W_E");
    handles.positions = weights.find("pos_embed.W_pos");
    handles.normWeight = weights.find("ln_final.w");
    handles.normBias = weights.find("ln_final.b");
    handles.head = config.tiedHead ? handles.embed : weights.find("unembed.W_U");
    handles.headBias = weights.find("unembed.b_U");
    for (int i = 0; i < config.nLayers(); ++i) {
        const auto named = [&](const char* name) {
            return weights.find(fmt::format("blocks.{}.{}", i, name));
        };
        // a mixing [source, target] is one of a single pseudo-head
        const auto mixing = [&](const char* name) {
            const Tensor found = named(name);
            return found && found.shape().rank() == 2
                       ? found.reshaped({found.size(0), found.size(1), 1})
                       : found;
        };
        AttentionWeights attention;
        attention.wQ = named("attn.W_Q");
        attention.wK = named("attn.W_K");
        attention.wV = named("attn.W_V");
        attention.wO = named("attn.W_O");
        attention.bQ = named("attn.b_Q");
        attention.bK = named("attn.b_K");
        attention.bV = named("attn.b_V");
        attention.bO = named("attn.b_O");
        attention.normQ = named("attn.ln_q.w");
        attention.normK = named("attn.ln_k.w");
        attention.normEpsilon = config.normEpsilon;
        attention.normLast = config.qkNormLast;
        attention.alphaQ = mixing("attn.alpha_Q");
        attention.alphaK = mixing("attn.alpha_K");
        attention.alphaV = mixing("attn.alpha_V");
        attention.r = named("attn.R");
        attention.mixLogits = mixing("attn.mix_L");
        attention.mixWeights = mixing("attn.mix_W");
        attention.lambdaQ1 = named("attn.lambda_Q1");
        attention.lambdaK1 = named("attn.lambda_K1");
        attention.lambdaQ2 = named("attn.lambda_Q2");
        attention.lambdaK2 = named("attn.lambda_K2");
        attention.normZ = named("attn.ln_z.w");
        attention.lambdaInit = differentialLambdaInit(i);
        handles.layers.push_back({named("ln1.w"), named("ln1.b"), attention, named("ln2.w"),
                                  named("ln2.b"), named("mlp.W_in"), named("mlp.b_in"),
                                  named("mlp.W_out"), named("mlp.b_out"), named("mlp.W_gate"),
                                  named("mlp.b_gate")});
    }
    return handles;
}

bool Decoder::queuesAll() const {
    return std::none_of(handles_.layers.begin(), handles_.layers.end(),
                        [](const Layer& layer) { return bool(layer.attention.lambdaQ1); });
}

Result<void> Decoder::checkInput(const Tensor& ids, const ForwardOptions& options) const {
    const std::int64_t start = options.cache ? options.cache->length() : 0;
    const std::int64_t rows = ids.size(1);
    if (rows < 1)
        return fail(Error::Kind::badInput, "prompt", "there are no tokens", "give at least one");
    if (start + rows > config_.nCtx)
        return fail(Error::Kind::badInput, "prompt",
                    fmt::format("{} tokens are too long", start + rows),
                    fmt::format("this model takes at most {}", config_.nCtx));
    if (options.cache && start + rows > options.cache->capacity())
        return fail(Error::Kind::badInput, "prompt",
                    fmt::format("{} tokens are too long", start + rows),
                    fmt::format("there is room for {}", options.cache->capacity()));
    const auto values = ids.values<std::int32_t>();
    const std::size_t sharers = ids.shape().rank() == 3 ? static_cast<std::size_t>(ids.size(2)) : 1;
    for (std::size_t at = 0; at < values.size(); ++at) {
        const std::int32_t id = values[at];
        const bool none = id < 0 && at % sharers > 0;
        if (none || (id >= 0 && id < config_.dVocab)) continue;
        return fail(Error::Kind::badInput, "prompt",
                    fmt::format("token {} is outside the vocabulary", id),
                    fmt::format("use ids 0 to {}", config_.dVocab - 1));
    }
    assert(options.changes.empty() || options.changes.size() == config_.layers.size());
    for (std::size_t i = 0; i < options.changes.size(); ++i)
        if (options.changes[i].renormalise && worksOnMaps(handles_.layers[i].attention))
            return fail(Error::Kind::unsupported, fmt::format("layer {}", i),
                        fmt::format("the rows of {} are signed and do not sum to 1, so what is "
                                    "left cannot be scaled up to that",
                                    config_.kindWords(config_.layers[i])),
                        "switch off without renormalising");
    assert(!options.cache || ids.size(0) == 1);
    assert(!options.unchanged || (ids.size(0) == 1 && !keepsMaps(options, options.firstLayer)));
    assert(options.firstRow == 0 ||
           (ids.size(0) == 1 && options.firstRow < rows && !options.cache &&
            sameAtAllTokens(changesOf(options, config_.nLayers() - 1))));
    return {};
}

Result<ActivationTrace> Decoder::forward(const Tensor& ids, const ForwardOptions& options) const {
    if (auto fine = checkInput(ids, options); !fine) return tl::unexpected(fine.error());
    return guarded([&]() -> Result<ActivationTrace> {
        ActivationTrace trace;
        trace.start = options.cache ? options.cache->length() : 0;
        trace.ids = ids;
        if (!backend_->info().isHost) {
            trace.ids = backend_->allocate(ids.shape(), DType::i32);
            backend_->upload(ids, trace.ids);
        }
        Tensor x = options.input;
        if (options.firstLayer == 0) {
            x = backend_->allocate({ids.size(0), ids.size(1), config_.dModel},
                                   handles_.embed.dtype());
            backend_->embed(trace.ids, handles_.embed, handles_.positions, trace.start, x);
        }
        trace.layers.resize(static_cast<std::size_t>(options.firstLayer));
        for (int i = options.firstLayer; i < config_.nLayers(); ++i) {
            if (options.cancelled && options.cancelled())
                return fail(Error::Kind::interrupted, {}, "stopped");
            LayerTrace layer;
            x = forwardAttention(i, x, options, layer);
            if (config_.dMlp > 0) x = forwardMlp(i, x, options, layer);
            if (options.eachLayer) options.eachLayer(i, layer);
            trace.layers.push_back(options.keepActivations ? std::move(layer) : mapsOf(layer));
        }
        if (options.cache) options.cache->length_ += ids.size(1);

        trace.residFinal = x;
        trace.normFinal = normed(x, handles_.normWeight, handles_.normBias, trace.statisticsFinal);
        trace.logits = rowsOf(x, std::int64_t{config_.nSlots} * config_.nClasses(), *backend_);
        if (config_.tiedHead)
            backend_->linearTransposed(flat(trace.normFinal), handles_.head, handles_.headBias,
                                       flat(trace.logits));
        else
            backend_->linear(flat(trace.normFinal), handles_.head, handles_.headBias,
                             flat(trace.logits));
        if (config_.logitCap > 0) trace.logits = capped(trace.logits);
        return trace;
    });
}

Tensor Decoder::capped(const Tensor& logits) const {
    const Shape shape{1, 1, logits.size(0) * logits.size(1), logits.size(2)};
    const Shape mixed{1, 1, 1, shape[2], shape[3]};
    const Tensor inside = backend_->allocate(mixed, logits.dtype()),
                 bent = backend_->allocate(shape, logits.dtype()),
                 out = backend_->allocate(mixed, logits.dtype());
    backend_->mixHeads(logits.reshaped(shape), intoCap_, inside);
    backend_->activate(Activation::tanh, inside.reshaped(shape), bent);
    backend_->mixHeads(bent, outOfCap_, out);
    return out.reshaped(logits.shape());
}

Result<void> Decoder::visitMaps(
    int layer, const Tensor& residPre, const std::vector<int>& heads,
    const std::function<bool(int head, const Tensor& maps)>& visit) const {
    return guarded([&]() -> Result<void> {
        const auto at = static_cast<std::size_t>(layer);
        const Layer& w = handles_.layers[at];
        Tensor statistics;
        const Tensor norm = normed(residPre, w.norm1Weight, w.norm1Bias, statistics);
        AttentionLayerResult all;
        projectAndRotate(rotaryParams(config_, config_.layers[at]), w.attention, norm, all,
                         *backend_);
        const AttentionParams params = attentionParams(config_.layers[at]);
        const bool overMaps = worksOnMaps(w.attention);
        if (overMaps) attendOverMaps(params, w.attention, {}, all, *backend_);
        const std::int64_t pseudo = config_.layers[at].nPseudo, rows = residPre.size(1);
        const Tensor maps = backend_->allocate({1, 1, pseudo, pseudo, rows, rows}, norm.dtype());
        Tensor y;
        for (const int head : heads) {
            if (overMaps) {
                if (!visit(head, all.maps.at(0).slice(head, 1).reshaped(maps.shape())))
                    return fail(Error::Kind::interrupted, {}, "stopped");
                continue;
            }
            const std::int64_t group = head * all.mixedK.size(1) / all.mixedQ.size(1);
            const Tensor v = onlyHead(all.mixedV, group);
            if (!y) y = backend_->allocate({1, 1, pseudo, rows, v.size(4)}, norm.dtype());
            backend_->attention(params, onlyHead(all.mixedQ, head), onlyHead(all.mixedK, group), v,
                                y, maps);
            if (!visit(head, maps)) return fail(Error::Kind::interrupted, {}, "stopped");
        }
        return {};
    });
}

Tensor Decoder::mapsOfRow(int layer, const LayerTrace& trace, int row) const {
    const auto at = static_cast<std::size_t>(layer);
    const Layer& w = handles_.layers[at];
    assert(!worksOnMaps(w.attention) && trace.norm1.size(0) == 1);
    const Tensor norm = trace.norm1.at(0).slice(row, 1).reshaped({1, 1, trace.norm1.size(2)});
    AttentionLayerResult of;
    projectAndRotate(rotaryParams(config_, config_.layers[at], row), w.attention, norm, of,
                     *backend_);
    AttentionParams params = attentionParams(config_.layers[at]);
    params.queryStart = row;
    const std::int64_t heads = of.mixedQ.size(1), pseudo = of.mixedQ.size(2),
                       keys = trace.mixedK.size(3);
    const Tensor maps = backend_->allocate({1, heads, pseudo, pseudo, 1, keys}, norm.dtype());
    const Tensor y = backend_->allocate({1, heads, pseudo, 1, trace.mixedV.size(4)}, norm.dtype());
    backend_->attention(params, of.mixedQ, trace.mixedK, trace.mixedV, y, maps);
    return maps;
}

Tensor Decoder::rowMasses(int layer, const LayerTrace& trace) const {
    const auto at = static_cast<std::size_t>(layer);
    assert(!worksOnMaps(handles_.layers[at].attention));
    // Values that say which family their key is of: attention then adds up weights by family.
    const Tensor &q = trace.mixedQ, &k = trace.mixedK;
    const std::int64_t pseudo = k.size(2), keys = k.size(3);
    const Tensor family = Tensor::host({1, k.size(1), pseudo, keys, pseudo}, DType::f32);
    for (std::int64_t row = 0; row < family.count() / pseudo; ++row)
        family.data<float>()[row * pseudo + row / keys % pseudo] = 1;
    const Tensor masses = backend_->allocate({1, q.size(1), pseudo, q.size(3), pseudo}, q.dtype());
    backend_->attention(attentionParams(config_.layers[at]), q, k,
                        place(family.cast(q.dtype()), *backend_), masses, {});
    return masses;
}

Tensor Decoder::normed(const Tensor& x, const Tensor& weight, const Tensor& bias,
                       Tensor& statistics) const {
    if (!weight) return x;
    const Tensor out = rowsOf(x, config_.dModel, *backend_);
    statistics = backend_->allocate({x.size(0) * x.size(1), 2}, x.dtype());
    backend_->norm(config_.norm, config_.normEpsilon, flat(x), weight, bias, flat(out), statistics);
    return out;
}

Tensor Decoder::forwardAttention(int index, const Tensor& x, const ForwardOptions& options,
                                 LayerTrace& trace) const {
    const auto at = static_cast<std::size_t>(index);
    const Layer& w = handles_.layers[at];
    const LayerConfig& layer = config_.layers[at];
    const LayerChanges& changes = changesOf(options, index);
    const std::int64_t start = options.cache ? options.cache->length() : 0,
                       firstRow = index + 1 == config_.nLayers() ? options.firstRow : 0;
    const bool isTaken = options.unchanged && index == options.firstLayer &&
                         !worksOnMaps(w.attention) && !changesKeys(changes);

    trace.residPre = x;
    AttentionLayerResult result;
    if (isTaken) {
        result.mixedQ = options.unchanged->mixedQ;
        result.mixedK = options.unchanged->mixedK;
        result.mixedV = options.unchanged->mixedV;
    } else {
        trace.norm1 = normed(x, w.norm1Weight, w.norm1Bias, trace.statistics1);
        projectAndRotate(rotaryParams(config_, layer, start), w.attention, trace.norm1, result,
                         *backend_, firstRow);
    }
    AttentionParams params = attentionParams(layer);
    params.queryStart = firstRow;
    if (options.cache) {
        KvCache::Layer& cached = options.cache->layers_[at];
        backend_->append(result.mixedK, start, cached.k);
        backend_->append(result.mixedV, start, cached.v);
        result.mixedK = cached.k;
        result.mixedV = cached.v;
        params.queryStart = start;
        params.keyCount = start + x.size(1);
    }
    if (changes.multiplier) {
        params.multiplier = place(changes.multiplier.cast(x.dtype()), *backend_);
        params.renormalise = changes.renormalise;
    }
    attendAndCollapse(params, keepsMaps(options, index), w.attention, changes, result, *backend_,
                      isTaken ? options.unchanged->y : Tensor());
    changeRows(changes, Site::attention, result.out, *backend_);

    trace.q = result.q;
    trace.k = result.k;
    trace.v = result.v;
    trace.projectedQ = result.projectedQ;
    trace.projectedK = result.projectedK;
    trace.statisticsQ = result.statisticsQ;
    trace.statisticsK = result.statisticsK;
    trace.mixedQ = result.mixedQ;
    trace.mixedK = result.mixedK;
    trace.mixedV = result.mixedV;
    trace.maps = result.maps;
    trace.scores = result.scores;
    trace.pattern = result.pattern;
    trace.y = result.y;
    trace.z = result.z;
    trace.normZ = result.normZ;
    trace.statisticsZ = result.statisticsZ;
    backend_->add(firstRow > 0 ? rowsFrom(x, firstRow) : x,
                  result.out);  // the residual stream goes on in the layer's own output
    trace.residMid = result.out;
    return trace.residMid;
}

Tensor Decoder::forwardMlp(int index, const Tensor& x, const ForwardOptions& options,
                           LayerTrace& trace) const {
    const Layer& w = handles_.layers[static_cast<std::size_t>(index)];
    trace.norm2 = normed(x, w.norm2Weight, w.norm2Bias, trace.statistics2);
    trace.mlpPre = rowsOf(x, config_.dMlp, *backend_);
    trace.mlpPost = rowsOf(x, config_.dMlp, *backend_);
    Tensor hidden = trace.mlpPost;
    if (config_.gatedMlp) {
        trace.mlpLinear = rowsOf(x, config_.dMlp, *backend_);
        trace.mlpGated = hidden = rowsOf(x, config_.dMlp, *backend_);
        backend_->linear(flat(trace.norm2), w.wGate, w.bGate, flat(trace.mlpPre));
        backend_->linear(flat(trace.norm2), w.wIn, w.bIn, flat(trace.mlpLinear));
    } else {
        backend_->linear(flat(trace.norm2), w.wIn, w.bIn, flat(trace.mlpPre));
    }
    backend_->activate(config_.activation, trace.mlpPre, trace.mlpPost);
    if (config_.gatedMlp) backend_->gate(trace.mlpPost, trace.mlpLinear, hidden);
    const Tensor out = rowsOf(x, config_.dModel, *backend_);
    backend_->linear(flat(hidden), w.wOut, w.bOut, flat(out));
    changeRows(changesOf(options, index), Site::mlp, out, *backend_);
    backend_->add(x, out);
    return out;
}

}  // namespace headloom
