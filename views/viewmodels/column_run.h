#pragma once

#include "core/analysis/copies.h"
#include "core/session/chain_run.h"
#include "views/viewmodels/word_groups.h"

#include <memory>
#include <vector>

namespace headloom {

/// Row sums of one layer's tiles, so that the mass of any tile at any step is one subtraction.
class LayerMasses {
  public:
    LayerMasses() = default;
    /// maps [1, H, P, P, N, N], host, float32.
    explicit LayerMasses(const Tensor& maps);
    /// ChainRun::rowMasses of a layer, [1, H, P, N, P].
    static LayerMasses ofRows(const Tensor& rowMasses);
    bool empty() const { return prefix_.empty(); }

    /// Share of pseudo-query (head, p)'s row that falls on key family r.
    double row(int head, int p, int r, int row) const;
    /// Mean of `row` over rows 0..row.
    double mean(int head, int p, int r, int row) const;

  private:
    const double* prefix(int head, int p, int r) const;
    std::int64_t pseudos_ = 0, rows_ = 0;
    std::vector<double> prefix_;  ///< [H, P, P, N + 1] sums of the rows before
};

/// What a row says of one of its slots, so that a rail of many steps looks at no logits.
struct RowSaid {
    int best = 0;         ///< the most probable token
    double logTotal = 0;  ///< log of the sum of exp(logit)
};

/// One column's answer with what is worked out from it once, on the worker thread.
struct ColumnRun {
    /// `like`: a column of the same logits, from which what they say is taken; may be null.
    explicit ColumnRun(std::shared_ptr<const ChainRun> chainRun, const ColumnRun* like = nullptr);

    std::shared_ptr<const ChainRun> run;
    std::vector<LayerMasses> masses;  ///< one a layer
    /// How alike the pseudo-heads of each head are, a layer each; empty without pseudo-heads.
    std::vector<std::vector<PseudoCopies>> copies;
    WordGroups words;           ///< of run->tokens
    std::vector<RowSaid> said;  ///< [rows, nSlots]

    const ModelConfig& config() const { return run->model->config; }
    /// The layer that is shown when `layer` is asked for: the last one a shallower model has.
    int clampedLayer(int layer) const;
    /// The row that is shown at a step: the last one a shorter chain has.
    int clampedRow(int row) const;
    /// What the model holds for the probability of a token at a row (temperature 1).
    double probability(int row, int slot, int token) const;
    /// [1, H, P, P, N, N], or of fewer heads where all are too many (ChainRun::mapHeads); empty
    /// where the run does not hold those of the layer.
    const Tensor& maps(int layer) const;
    /// Where a head's maps lie among those of its layer; -1: they are not held.
    int mapIndex(int layer, int head) const;
    /// Where a head lies among those of its layer's masses; -1: they are not known.
    int massIndex(int layer, int head) const;
    /// [1, target, source, N, N]; empty where the run did not ask for them.
    Tensor effectiveMaps(int layer) const;
    /// What the model's weights take, and the maps of this run.
    std::int64_t weightBytes() const;
    std::int64_t mapBytes() const;
    int heads() const { return config().nHeads; }
    int pseudos(int layer) const;
    bool iha(int layer) const;
    /// Talking heads, differential attention and linear scores: cells may be negative.
    bool signedMaps(int layer) const;
    /// Scores are used as they are, so that a row is no distribution and has no mass.
    bool linear(int layer) const;
};

using ColumnRunPtr = std::shared_ptr<const ColumnRun>;

/// Both columns; either may be empty.
struct ColumnPair {
    ColumnRunPtr left, right;
    const ColumnRunPtr& at(int index) const { return index == 0 ? left : right; }
    /// The side whose tokens and truth stand for both.
    const ColumnRun* leader() const { return left ? left.get() : right.get(); }
};

}  // namespace headloom
