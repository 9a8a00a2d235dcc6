#pragma once

#include "core/base/error.h"
#include "core/models/config.h"
#include "core/models/weights.h"

#include <functional>
#include <map>
#include <vector>

namespace headloom {

/// One score before the softmax: pseudo-query p of head h at token `query` with pseudo-key r at
/// token `key`.
struct ScoreCell {
    int head = 0, p = 0, r = 0;
    int query = 0, key = 0;
};

/// A score as the exact sum of terms, one a pair of source heads (m, m') (iha.md 4):
/// alphaQ[m, h, p] alphaK[m', h, r] <q_m[query], k_m'[key]> scale, with q_m and k_m' rotated at
/// each pseudo-token's own position. MHA and GQA have one term. Talking heads mix logits, each head
/// with itself: the terms with m != m' are 0. Where pseudo-heads are normed once rotated
/// (ModelConfig::qkNormLast) every term has that norm's scales of its cell as factors.
struct ScoreSplit {
    std::vector<int> querySources;  ///< m of each row of terms: a head
    std::vector<int> keySources;    ///< m' of each column: a head, or a group of heads (GQA)
    std::vector<double> terms;      ///< [query source, key source]; they sum to `score`
    std::vector<double> plain;      ///< the same without any rotation
    double score = 0;               ///< worked out the other way round: mixed, then multiplied
    double plainScore = 0;          ///< without any rotation
    bool rotates = false;           ///< the layer has rotary positions
    bool mixesHeads = false;        ///< m and m' may differ
    bool seen = true;               ///< the mask lets the query see the key
};

/// Sum of |terms| with m != m', and of all |terms|, over any number of cells.
struct CrossHead {
    double cross = 0, all = 0;
    void add(const ScoreSplit& split);
    /// In [0, 1]; 0 where there is nothing (semantics.md).
    double share() const { return all > 0 ? cross / all : 0; }
};

/// The queries and keys of some rows of a layer before mixing, in double: what any score between
/// these rows is made of.
class LayerScores {
  public:
    /// residPre [1, N, D] went into the layer, on the host; of `rows` alone scores can be split.
    /// Errors: differential attention, where a cell is the difference of two softmaxes and has no
    /// one score.
    static Result<LayerScores> of(const ModelConfig& config, const Weights& weights, int layer,
                                  const Tensor& residPre, const std::vector<int>& rows);

    /// Error: a head, pseudo-head or token that is not there, in words.
    Result<ScoreSplit> split(const ScoreCell& cell) const;
    /// Over these keys, as far as the mask lets them be seen. `cell.key` is not read.
    CrossHead crossHead(ScoreCell cell, const std::vector<int>& keys) const;

    /// Over all seen pairs of the rows given to `of`, a sum a tile [head, p, r]; of zeros where
    /// heads are not mixed. Error: interrupted.
    Result<std::vector<CrossHead>> crossHeads(const std::function<bool()>& cancelled = {}) const;
    /// The same over some keys of each row alone: keys[row], all of them rows given to `of`.
    Result<std::vector<CrossHead>> crossHeadsOn(const std::vector<std::vector<int>>& keys,
                                                const std::function<bool()>& cancelled = {}) const;

    const LayerConfig& layer() const { return layer_; }
    int heads() const { return config_.nHeads; }

  private:
    /// Of one row: [heads, d] as projected, and rotated [heads, P, d]. Of a norm after rotation
    /// they have its weight, and scaleQ and scaleK [H, P] are what it multiplies pseudo-heads by.
    struct Row {
        Tensor q, k, turnedQ, turnedK, scaleQ, scaleK;
    };
    /// The factors of such a norm for a pseudo-query and a pseudo-key; else 1.
    double normScale(const Row& query, const Row& key, int head, int p, int r) const;
    /// Puts such a norm into a row.
    void normLast(Row& row, const Tensor& weightQ, const Tensor& weightK) const;

    /// Keys of each row, which may be fewer; null: all of them.
    using KeysOfRows = const std::vector<std::vector<int>>*;

    Result<std::vector<CrossHead>> crossHeadsOver(KeysOfRows keys,
                                                  const std::function<bool()>& cancelled) const;
    /// Sum over the seen pairs of |<q_m, k_m'>| at pseudo-heads p and r, [m, m'], times normScale
    /// of `head`.
    Result<std::vector<double>> sizesOfProducts(int head, int p, int r, KeysOfRows keys,
                                                const std::function<bool()>& cancelled) const;
    Result<void> check(const ScoreCell& cell) const;
    /// alphaQ[m, h, p] and the like; 1 where the layer has no such mixing.
    double mixing(const Tensor& alpha, int source, int head, int pseudo) const;
    double factor(const ScoreCell& cell, int querySource, int keySource) const;
    /// The scaled product of the mixed pseudo-query and pseudo-key.
    double mixedScore(const ScoreCell& cell, const ScoreSplit& split) const;

    ModelConfig config_;
    LayerConfig layer_;
    Tensor alphaQ_, alphaK_, mixLogits_;  ///< as stored; those that the kind has
    std::map<int, Row> rows_;
    int tokens_ = 0;
};

}  // namespace headloom
