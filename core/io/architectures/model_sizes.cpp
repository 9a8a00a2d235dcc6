#include "core/io/architectures/model_sizes.h"

#include <fmt/format.h>

#include <algorithm>
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

}  // namespace

Result<void> planSizes(const ConfigValues& values, const MatchedTensors& tensors,
                       ModelConfig& config, LoadReport& report) {
    const Shapes shapes(tensors);
    return SizeSolver(shapes, values, tensors.nLayers, report).solve(config);
}

void planOutputs(const MatchedTensors& tensors, ModelConfig& config, LoadReport& report) {
    const Shapes shapes(tensors);
    const std::int64_t rows = shapes.vocabulary.value_or(0),
                       outputs = shapes.outputs.value_or(rows);
    if (rows == outputs || config.tiedHead) return;
    if (outputs < rows) config.headBias = true;  // what keeps the others from being chosen
    report.notes.push_back(
        fmt::format("the head has {} outputs and the embedding {} rows: the shorter is filled up",
                    outputs, rows));
}

}  // namespace headloom
