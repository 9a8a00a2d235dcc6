#include "core/analysis/score_split.h"

#include "core/models/attention_layer.h"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace headloom {

namespace {

using Wide = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// A layer's named weight in double; empty where it has none.
Tensor wideWeight(const Weights& weights, int layer, const char* name) {
    const Tensor found = weights.find(fmt::format("blocks.{}.{}", layer, name));
    return found ? found.cast(DType::f64) : Tensor();
}

/// Chosen rows of [1, N, D], in double.
Tensor chosenRows(const Tensor& residPre, const std::vector<int>& rows) {
    const std::int64_t width = residPre.size(2);
    const Tensor out = Tensor::host({1, static_cast<std::int64_t>(rows.size()), width}, DType::f64);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const Tensor row = residPre.at(0).at(rows[i]).cast(DType::f64);
        std::copy_n(row.data<double>(), width,
                    out.data<double>() + static_cast<std::int64_t>(i) * width);
    }
    return out;
}

/// What the layer's norm makes of its input.
Tensor normed(const ModelConfig& config, const Weights& weights, int layer, const Tensor& x,
              Backend& backend) {
    const Tensor scale = wideWeight(weights, layer, "ln1.w");
    if (!scale) return x;
    const Tensor out = Tensor::host(x.shape(), DType::f64);
    const Tensor statistics = Tensor::host({x.size(1), 2}, DType::f64);
    backend.norm(config.norm, config.normEpsilon, x.at(0), scale,
                 wideWeight(weights, layer, "ln1.b"), out.at(0), statistics);
    return out;
}

/// Queries or keys [heads, rows, d] with bias and norm of their own, before mixing.
Tensor projected(const ModelConfig& config, const Weights& weights, int layer, const Tensor& x,
                 const char* matrix, const char* bias, const char* norm, Backend& backend) {
    const Tensor w = wideWeight(weights, layer, matrix);
    const Tensor out = Tensor::host({1, w.size(0), x.size(1), w.size(2)}, DType::f64);
    const Tensor shift = wideWeight(weights, layer, bias);
    const auto mapped = [](const Tensor& tensor) {
        return Eigen::Map<Wide>(tensor.data<double>(), tensor.size(0), tensor.size(1));
    };
    for (std::int64_t head = 0; head < w.size(0); ++head) {
        auto rows = mapped(out.at(0).at(head));
        rows.noalias() = mapped(x.at(0)) * mapped(w.at(head));
        if (shift)
            rows.rowwise() +=
                Eigen::Map<const Eigen::RowVectorXd>(shift.at(head).data<double>(), rows.cols());
    }
    const Tensor scale = wideWeight(weights, layer, norm);
    if (!scale) return out.at(0);
    const std::int64_t rows = out.count() / out.size(3);
    const Tensor result = Tensor::host(out.shape(), DType::f64);
    backend.norm(NormKind::rms, config.normEpsilon, out.reshaped({rows, out.size(3)}), scale, {},
                 result.reshaped({rows, out.size(3)}), Tensor::host({rows, 2}, DType::f64));
    return result.at(0);
}

/// Row `row` of [heads, rows, d], as [heads, d].
Tensor rowOfHeads(const Tensor& all, std::int64_t row) {
    const std::int64_t heads = all.size(0), rows = all.size(1), d = all.size(2);
    const Tensor out = Tensor::host({heads, d}, DType::f64);
    for (std::int64_t m = 0; m < heads; ++m)
        std::copy_n(all.data<double>() + (m * rows + row) * d, d, out.data<double>() + m * d);
    return out;
}

/// P copies of every head, each turned at the position of its own pseudo-token, [heads, P, d].
Tensor turned(const Tensor& heads, RotaryParams rotary, int pseudos, int token, Backend& backend) {
    const std::int64_t count = heads.size(0), d = heads.size(1);
    const Tensor copies = Tensor::host({1, count, pseudos, 1, d}, DType::f64);
    for (std::int64_t m = 0; m < count; ++m)
        for (int p = 0; p < pseudos; ++p)
            std::copy_n(heads.data<double>() + m * d, d,
                        copies.data<double>() + (m * pseudos + p) * d);
    rotary.start = token;
    backend.rotate(rotary, copies);
    return copies.reshaped({count, pseudos, d});
}

/// A vector of d components inside a tensor of them.
std::span<const double> vectorAt(const Tensor& vectors, std::int64_t index) {
    const auto d = static_cast<std::size_t>(vectors.size(-1));
    return {vectors.data<double>() + index * vectors.size(-1), d};
}

double product(std::span<const double> a, std::span<const double> b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

/// The same, in four sums that do not wait for one another: sizes over all pairs need many.
double quickProduct(std::span<const double> a, std::span<const double> b) {
    std::array<double, 4> sums = {};
    std::size_t c = 0;
    for (; c + 4 <= a.size(); c += 4)
        for (std::size_t lane = 0; lane < 4; ++lane) sums[lane] += a[c + lane] * b[c + lane];
    for (; c < a.size(); ++c) sums[0] += a[c] * b[c];
    return sums[0] + sums[1] + sums[2] + sums[3];
}

std::vector<int> allOf(int count) {
    std::vector<int> numbers(static_cast<std::size_t>(count));
    std::iota(numbers.begin(), numbers.end(), 0);
    return numbers;
}

Result<void> checkIndex(const char* what, int value, int count) {
    if (value >= 0 && value < count) return {};
    return fail(Error::Kind::badInput, what, fmt::format("there is no {} {}", what, value),
                fmt::format("use 0 to {}", count - 1));
}

}  // namespace

void CrossHead::add(const ScoreSplit& split) {
    for (std::size_t m = 0; m < split.querySources.size(); ++m)
        for (std::size_t n = 0; n < split.keySources.size(); ++n) {
            const double size = std::abs(split.terms[m * split.keySources.size() + n]);
            all += size;
            if (split.mixesHeads && m != n) cross += size;
        }
}

Result<LayerScores> LayerScores::of(const ModelConfig& config, const Weights& weights, int layer,
                                    const Tensor& residPre, const std::vector<int>& rows) {
    LayerScores made;
    made.config_ = config;
    made.layer_ = config.layers[static_cast<std::size_t>(layer)];
    made.tokens_ = static_cast<int>(residPre.size(1));
    if (made.layer_.kind == AttentionKind::differential)
        return fail(
            Error::Kind::unsupported, fmt::format("layer {}", layer),
            "a cell of differential attention is the difference of two softmaxes, each with "
            "a score of its own, so there is no one score to split",
            "choose a layer of another kind");
    for (const int row : rows)
        if (auto fine = checkIndex("token", row, made.tokens_); !fine)
            return tl::unexpected(fine.error());
    made.alphaQ_ = wideWeight(weights, layer, "attn.alpha_Q");
    made.alphaK_ = wideWeight(weights, layer, "attn.alpha_K");
    made.mixLogits_ = wideWeight(weights, layer, "attn.mix_L");

    const auto backend = makeReferenceBackend();
    const Tensor x = normed(config, weights, layer, chosenRows(residPre, rows), *backend);
    const char *const normQ = "attn.ln_q.w", *const normK = "attn.ln_k.w";
    const bool last = config.qkNormLast;
    const Tensor q = projected(config, weights, layer, x, "attn.W_Q", "attn.b_Q", last ? "" : normQ,
                               *backend),
                 k = projected(config, weights, layer, x, "attn.W_K", "attn.b_K", last ? "" : normK,
                               *backend);
    const RotaryParams rotary = rotaryParams(config, made.layer_);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto at = static_cast<std::int64_t>(i);
        Row row{rowOfHeads(q, at), rowOfHeads(k, at), {}, {}, {}, {}};
        row.turnedQ = turned(row.q, rotary, made.layer_.nPseudo, rows[i], *backend);
        row.turnedK = turned(row.k, rotary, made.layer_.nPseudo, rows[i], *backend);
        if (last)
            made.normLast(row, wideWeight(weights, layer, normQ),
                          wideWeight(weights, layer, normK));
        made.rows_[rows[i]] = std::move(row);
    }
    return made;
}

void LayerScores::normLast(Row& row, const Tensor& weightQ, const Tensor& weightK) const {
    const int heads = config_.nHeads, pseudos = layer_.nPseudo;
    // a rotation leaves lengths alone, so those of the unrotated will do
    const auto scales = [&](const Tensor& sources, const Tensor& alpha) {
        const Tensor scale = Tensor::host({heads, pseudos}, DType::f64);
        const std::int64_t d = sources.size(1), count = sources.size(0);
        std::vector<double> mixed(static_cast<std::size_t>(d));
        for (int h = 0; h < heads; ++h)
            for (int p = 0; p < pseudos; ++p) {
                std::fill(mixed.begin(), mixed.end(), 0.0);
                for (std::int64_t m = 0; m < count; ++m) {
                    const double weight = alpha ? mixing(alpha, static_cast<int>(m), h, p)
                                                : (m == h * count / heads ? 1.0 : 0.0);
                    for (std::int64_t c = 0; c < d; ++c)
                        mixed[static_cast<std::size_t>(c)] +=
                            weight * sources.data<double>()[m * d + c];
                }
                scale.data<double>()[h * pseudos + p] =
                    1 /
                    std::sqrt(product(mixed, mixed) / static_cast<double>(d) + config_.normEpsilon);
            }
        return scale;
    };
    row.scaleQ = scales(row.q, alphaQ_);
    row.scaleK = scales(row.k, alphaK_);
    for (const auto& [vectors, weight] :
         {std::pair(row.q, weightQ), std::pair(row.turnedQ, weightQ), std::pair(row.k, weightK),
          std::pair(row.turnedK, weightK)})
        for (std::int64_t i = 0; i < vectors.count(); ++i)
            vectors.data<double>()[i] *= weight.data<double>()[i % weight.count()];
}

double LayerScores::normScale(const Row& query, const Row& key, int head, int p, int r) const {
    if (!query.scaleQ) return 1;
    const auto at = [&](const Tensor& scale, int pseudo) {
        return scale.data<double>()[head * layer_.nPseudo + pseudo];
    };
    return at(query.scaleQ, p) * at(key.scaleK, r);
}

Result<void> LayerScores::check(const ScoreCell& cell) const {
    struct Bound {
        const char* what;
        int value, count;
    };
    for (const Bound& bound :
         {Bound{"head", cell.head, config_.nHeads},
          Bound{"query pseudo-head", cell.p, layer_.nPseudo},
          Bound{"key pseudo-head", cell.r, layer_.nPseudo},
          Bound{"from token", cell.query, tokens_}, Bound{"to token", cell.key, tokens_}})
        if (auto fine = checkIndex(bound.what, bound.value, bound.count); !fine) return fine;
    assert(rows_.count(cell.query) == 1 && rows_.count(cell.key) == 1);
    return {};
}

double LayerScores::mixing(const Tensor& alpha, int source, int head, int pseudo) const {
    if (!alpha) return 1;
    const std::int64_t pseudos = alpha.shape().rank() == 3 ? alpha.size(2) : 1;
    return alpha.data<double>()[(source * alpha.size(1) + head) * pseudos + pseudo];
}

double LayerScores::factor(const ScoreCell& cell, int querySource, int keySource) const {
    const double scale = attentionParams(layer_).scaleFor(config_.dHead());
    if (layer_.kind == AttentionKind::talkingHeads)
        return querySource == keySource ? scale * mixing(mixLogits_, querySource, cell.head, 0) : 0;
    return scale * mixing(alphaQ_, querySource, cell.head, cell.p) *
           mixing(alphaK_, keySource, cell.head, cell.r);
}

Result<ScoreSplit> LayerScores::split(const ScoreCell& cell) const {
    if (auto fine = check(cell); !fine) return tl::unexpected(fine.error());
    const Row &query = rows_.at(cell.query), &key = rows_.at(cell.key);
    const int pseudos = layer_.nPseudo, groups = config_.kvHeads();
    const auto groupOf = [&](int head) { return head * groups / config_.nHeads; };
    ScoreSplit split;
    const bool talks = layer_.kind == AttentionKind::talkingHeads;
    split.mixesHeads = alphaQ_ || talks;
    split.rotates = layer_.positions != PositionKind::none;
    split.seen = allows(attentionParams(layer_), pseudos, cell.query, cell.p, cell.key, cell.r);
    split.querySources = split.mixesHeads ? allOf(config_.nHeads) : std::vector<int>{cell.head};
    split.keySources =
        split.mixesHeads ? allOf(config_.nHeads) : std::vector<int>{groupOf(cell.head)};

    for (const int m : split.querySources)
        for (const int n : split.keySources) {
            // grouped keys: what belongs to head n, where heads talk, is its group's
            const int source = split.mixesHeads ? groupOf(n) : n;
            const double weight =
                factor(cell, m, n) * normScale(query, key, cell.head, cell.p, cell.r);
            split.plain.push_back(weight * product(vectorAt(query.q, m), vectorAt(key.k, source)));
            split.terms.push_back(weight *
                                  product(vectorAt(query.turnedQ, m * pseudos + cell.p),
                                          vectorAt(key.turnedK, source * pseudos + cell.r)));
        }
    const auto sumOf = [](const std::vector<double>& terms) {
        return std::accumulate(terms.begin(), terms.end(), 0.0);
    };
    split.plainScore = sumOf(split.plain);
    // of talking heads the sum is the definition: logits are mixed, no queries or keys
    split.score = talks ? sumOf(split.terms) : mixedScore(cell, split);
    return split;
}

double LayerScores::mixedScore(const ScoreCell& cell, const ScoreSplit& split) const {
    const int pseudos = layer_.nPseudo;
    const auto mixed = [&](const Tensor& turnedHeads, const Tensor& alpha,
                           const std::vector<int>& sources, int pseudo) {
        std::vector<double> sum(static_cast<std::size_t>(turnedHeads.size(2)));
        for (const int m : sources) {
            const auto vector = vectorAt(turnedHeads, m * pseudos + pseudo);
            const double weight = mixing(alpha, m, cell.head, pseudo);
            for (std::size_t c = 0; c < sum.size(); ++c) sum[c] += weight * vector[c];
        }
        return sum;
    };
    const Row &query = rows_.at(cell.query), &key = rows_.at(cell.key);
    return attentionParams(layer_).scaleFor(config_.dHead()) *
           normScale(query, key, cell.head, cell.p, cell.r) *
           product(mixed(query.turnedQ, alphaQ_, split.querySources, cell.p),
                   mixed(key.turnedK, alphaK_, split.keySources, cell.r));
}

CrossHead LayerScores::crossHead(ScoreCell cell, const std::vector<int>& keys) const {
    CrossHead sum;
    for (const int key : keys) {
        cell.key = key;
        const auto split = this->split(cell);
        if (split && split->seen) sum.add(*split);
    }
    return sum;
}

Result<std::vector<double>> LayerScores::sizesOfProducts(
    int head, int p, int r, KeysOfRows keys, const std::function<bool()>& cancelled) const {
    const int heads = config_.nHeads, pseudos = layer_.nPseudo, groups = config_.kvHeads();
    const AttentionParams params = attentionParams(layer_);
    std::vector<double> sizes(static_cast<std::size_t>(heads * heads));
    const auto add = [&](const Row& query, const Row& key) {
        double* size = sizes.data();
        const double scale = normScale(query, key, head, p, r);
        for (int m = 0; m < heads; ++m)
            for (int n = 0; n < heads; ++n)
                *size++ += scale * std::abs(quickProduct(
                                       vectorAt(query.turnedQ, m * pseudos + p),
                                       vectorAt(key.turnedK, n * groups / heads * pseudos + r)));
    };
    for (const auto& [from, query] : rows_) {
        if (cancelled && cancelled()) return fail(Error::Kind::interrupted, {}, "stopped");
        if (!keys) {
            for (const auto& [to, key] : rows_)
                if (allows(params, pseudos, from, p, to, r)) add(query, key);
        } else if (static_cast<std::size_t>(from) < keys->size()) {
            for (const int to : (*keys)[static_cast<std::size_t>(from)])
                if (allows(params, pseudos, from, p, to, r)) add(query, rows_.at(to));
        }
    }
    return sizes;
}

Result<std::vector<CrossHead>> LayerScores::crossHeads(
    const std::function<bool()>& cancelled) const {
    return crossHeadsOver(nullptr, cancelled);
}

Result<std::vector<CrossHead>> LayerScores::crossHeadsOn(
    const std::vector<std::vector<int>>& keys, const std::function<bool()>& cancelled) const {
    return crossHeadsOver(&keys, cancelled);
}

Result<std::vector<CrossHead>> LayerScores::crossHeadsOver(
    KeysOfRows keys, const std::function<bool()>& cancelled) const {
    const int heads = config_.nHeads, pseudos = layer_.nPseudo;
    std::vector<CrossHead> all(static_cast<std::size_t>(heads * pseudos * pseudos));
    if (!alphaQ_) return all;
    // neither the rotation nor the mask tells one pseudo-head from another
    const bool alike =
        layer_.mask != MaskKind::flat && layer_.positions != PositionKind::virtualToken;
    const bool scaled = config_.qkNormLast;  // by every tile on its own
    std::vector<double> sizes;
    for (int p = 0; p < pseudos; ++p)
        for (int r = 0; r < pseudos; ++r) {
            for (int head = 0; head < heads; ++head) {
                if (sizes.empty() || scaled || (head == 0 && !alike)) {
                    auto summed = sizesOfProducts(head, p, r, keys, cancelled);
                    if (!summed) return tl::unexpected(summed.error());
                    sizes = std::move(*summed);
                }
                CrossHead& tile = all[static_cast<std::size_t>((head * pseudos + p) * pseudos + r)];
                for (int m = 0; m < heads; ++m)
                    for (int n = 0; n < heads; ++n) {
                        const double size = std::abs(factor({head, p, r, 0, 0}, m, n)) *
                                            sizes[static_cast<std::size_t>(m * heads + n)];
                        tile.all += size;
                        if (m != n) tile.cross += size;
                    }
            }
        }
    return all;
}

}  // namespace headloom
