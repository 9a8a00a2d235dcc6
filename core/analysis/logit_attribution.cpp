#include "core/analysis/logit_attribution.h"

#include "core/models/model_part.h"

#include <fmt/format.h>

#include <cmath>
#include <numeric>

namespace headloom {

namespace {

using Kind = LogitPart::Kind;
using Vector = std::vector<double>;

double product(const Vector& a, const Vector& b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

/// matrix [..., D] times a vector [D]: one number a row.
Vector timesVector(const Tensor& matrix, const Vector& vector) {
    const std::int64_t width = matrix.size(-1), rows = matrix.count() / width;
    Vector out(static_cast<std::size_t>(rows));
    const auto multiply = [&](const auto* value) {
        for (double& sum : out)
            for (const double factor : vector) sum += factor * *value++;
    };
    if (matrix.dtype() == DType::f64)
        multiply(matrix.data<double>());
    else
        multiply(matrix.data<float>());
    return out;
}

/// A vector's product with a weight of shape [D]; 0 where there is no such weight.
double timesWeight(const Tensor& weight, const Vector& vector) {
    return weight ? timesVector(weight, vector)[0] : 0;
}

Vector wide(const Tensor& tensor) {
    const Tensor cast = tensor.cast(DType::f64);
    return {cast.values<double>().begin(), cast.values<double>().end()};
}

/// Column of W_U that a token's logit comes from; a row of W_E where the head is tied to that.
Vector unembedding(const ModelConfig& config, const Weights& weights, int slot, int token) {
    if (config.tiedHead) return wide(weights.find("embed.W_E").at(token));
    const Tensor head = weights.find("unembed.W_U");
    const std::int64_t column = std::int64_t{slot} * config.nClasses() + token;
    Vector out;
    for (std::int64_t row = 0; row < head.size(0); ++row)
        out.push_back(wide(head.at(row).reshaped({head.size(1), 1}).slice(column, 1))[0]);
    return out;
}

/// What of the target is where, before and after the frozen norm.
struct Direction {
    Vector normed;    ///< in the final norm's output
    Vector residual;  ///< in the residual stream
};

Direction directionOf(const ModelConfig& config, const Weights& weights, const RowTrace& trace,
                      const LogitTarget& target) {
    Direction direction;
    direction.normed = unembedding(config, weights, target.slot, target.token);
    if (target.against >= 0) {
        const Vector other = unembedding(config, weights, target.slot, target.against);
        for (std::size_t c = 0; c < other.size(); ++c) direction.normed[c] -= other[c];
    }
    direction.residual = direction.normed;
    if (!config.finalNorm) return direction;
    const Vector scale = wide(weights.find("ln_final.w"));
    for (std::size_t c = 0; c < scale.size(); ++c)
        direction.residual[c] *= trace.finalScale * scale[c];
    if (config.norm == NormKind::layer) {  // the mean that is taken off x comes off the direction
        const double mean =
            std::accumulate(direction.residual.begin(), direction.residual.end(), 0.0) /
            static_cast<double>(scale.size());
        for (double& value : direction.residual) value -= mean;
    }
    return direction;
}

/// What head g's output counts for through W_O: [H, d].
Vector outputDirection(const Weights& weights, int layer, const Vector& residual) {
    return timesVector(weights.find(fmt::format("blocks.{}.attn.W_O", layer)), residual);
}

/// What the output of pseudo-head (h, p) counts for through R and W_O: sum_g R[g, h*P + p] times
/// that of head g, [H, P, d].
Vector pseudoDirection(const ModelConfig& config, const Weights& weights, int layer,
                       const Vector& heads) {
    const Tensor collapse = weights.find(fmt::format("blocks.{}.attn.R", layer));
    if (!collapse) return heads;
    const Vector r = wide(collapse);
    const auto count = static_cast<std::size_t>(config.nHeads), d = heads.size() / count,
               columns = r.size() / count;
    const auto pseudos =
        static_cast<std::size_t>(config.layers[static_cast<std::size_t>(layer)].nPseudo);
    const bool full = columns == count * pseudos;
    Vector out(count * pseudos * d);
    for (std::size_t g = 0; g < count; ++g)
        for (std::size_t column = 0; column < columns; ++column) {
            const std::size_t pseudo = full ? column : g * pseudos + column;
            for (std::size_t c = 0; c < d; ++c)
                out[pseudo * d + c] += r[g * columns + column] * heads[g * d + c];
        }
    return out;
}

void addTiles(const ModelConfig& config, const Weights& weights, int layer, const LayerRow& row,
              const Vector& residual, std::vector<LogitPart>& parts) {
    const Vector direction =
        pseudoDirection(config, weights, layer, outputDirection(weights, layer, residual));
    const int pseudos = config.layers[static_cast<std::size_t>(layer)].nPseudo;
    const std::size_t d = direction.size() / static_cast<std::size_t>(config.nHeads * pseudos);
    const double* read = row.reads.data();
    for (int h = 0; h < config.nHeads; ++h)
        for (int p = 0; p < pseudos; ++p) {
            const double* weight = direction.data() + static_cast<std::size_t>(h * pseudos + p) * d;
            for (int r = 0; r < pseudos; ++r, read += d)
                parts.push_back(
                    {Kind::tile, layer, h, p, r, std::inner_product(read, read + d, weight, 0.0)});
        }
}

void addLayer(const ModelConfig& config, const Weights& weights, int layer, const LayerRow& row,
              const Vector& residual, std::vector<LogitPart>& parts) {
    const auto named = [&](const char* name) {
        return weights.find(fmt::format("blocks.{}.{}", layer, name));
    };
    addTiles(config, weights, layer, row, residual, parts);
    if (const Tensor bias = named("attn.b_O"))
        parts.push_back({Kind::attentionBias, layer, -1, 0, 0, timesWeight(bias, residual)});
    if (config.dMlp == 0) return;
    parts.push_back(
        {Kind::mlp, layer, -1, 0, 0, product(row.mlp, timesVector(named("mlp.W_out"), residual))});
    if (const Tensor bias = named("mlp.b_out"))
        parts.push_back({Kind::mlpBias, layer, -1, 0, 0, timesWeight(bias, residual)});
}

Result<void> check(const ModelConfig& config, const LogitTarget& target) {
    const auto outside = [](const char* what, int value, int count) {
        return fail(Error::Kind::badInput, what, fmt::format("there is no {} {}", what, value),
                    fmt::format("use 0 to {}", count - 1));
    };
    if (target.slot < 0 || target.slot >= config.nSlots)
        return outside("slot", target.slot, config.nSlots);
    if (target.token < 0 || target.token >= config.nClasses())
        return outside("token", target.token, config.nClasses());
    if (target.against >= config.nClasses())
        return outside("token", target.against, config.nClasses());
    return {};
}

}  // namespace

std::string nameOf(const LogitPart& part) {
    switch (part.kind) {
        case Kind::embedding:
            return "embedding";
        case Kind::position:
            return "position";
        case Kind::tile:
            return nameOf(ModelPart::ofTile(part.layer, part.head, part.p, part.r));
        case Kind::attentionBias:
            return fmt::format("L{}.attn bias", part.layer);
        case Kind::mlp:
            return fmt::format("L{}.mlp", part.layer);
        case Kind::mlpBias:
            return fmt::format("L{}.mlp bias", part.layer);
        case Kind::normBias:
            return "final norm bias";
        case Kind::headBias:
            return "head bias";
    }
    return {};
}

double LogitAttribution::head(int layer, int head) const {
    double value = 0;
    for (const LogitPart& part : parts)
        if (part.kind == Kind::tile && part.layer == layer && part.head == head)
            value += part.value;
    return value;
}

Result<LogitAttribution> attributeLogit(const ModelConfig& config, const Weights& weights,
                                        const RowTrace& trace, const LogitTarget& target) {
    if (auto fine = check(config, target); !fine) return tl::unexpected(fine.error());
    const Direction direction = directionOf(config, weights, trace, target);
    LogitAttribution made;
    made.finalScale = trace.finalScale;
    double embedded = 0;
    for (const int id : trace.ids)
        embedded += timesWeight(weights.find("embed.W_E").at(id), direction.residual);
    made.parts.push_back({Kind::embedding, -1, -1, 0, 0, embedded});
    if (config.learnedPositions)
        made.parts.push_back(
            {Kind::position, -1, -1, 0, 0,
             timesWeight(weights.find("pos_embed.W_pos").at(trace.row), direction.residual)});
    for (int layer = 0; layer < config.nLayers(); ++layer)
        addLayer(config, weights, layer, trace.layers[static_cast<std::size_t>(layer)],
                 direction.residual, made.parts);
    if (const Tensor bias = weights.find("ln_final.b"))
        made.parts.push_back({Kind::normBias, -1, -1, 0, 0, timesWeight(bias, direction.normed)});
    const auto ofTarget = [&](const auto& valueOf) {
        return valueOf(target.token) - (target.against < 0 ? 0 : valueOf(target.against));
    };
    const auto placeOf = [&](int token) {
        return static_cast<std::size_t>(target.slot * config.nClasses() + token);
    };
    if (const Tensor bias = weights.find("unembed.b_U"))
        made.parts.push_back(
            {Kind::headBias, -1, -1, 0, 0,
             ofTarget([&, all = wide(bias)](int token) { return all[placeOf(token)]; })});
    made.whole = ofTarget([&](int token) {
        const double logit = trace.logits[placeOf(token)], cap = config.logitCap;
        return cap > 0 ? cap * std::atanh(logit / cap) : logit;
    });
    for (const LogitPart& part : made.parts) {
        made.sum += part.value;
        made.magnitude += std::abs(part.value);
    }
    return made;
}

}  // namespace headloom
