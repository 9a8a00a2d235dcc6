#pragma once

#include "core/tensor/tensor.h"

#include <cstdint>
#include <span>
#include <vector>

namespace headloom {

/// The weighted sum of an arm's maps that comes nearest to "`offset` back", the shifted diagonal.
struct OffsetMix {
    int offset = 0;
    std::vector<double> weights;  ///< one a map, signed
    /// 1 less the squared distance that is left, beside the square of the diagonal; in [0, 1].
    double share = 0;
};

/// Which offsets weighted sums of maps give, by least squares over the cells of the rows that were
/// added. What reads a layer without an MLP is linear in its value routes, one an effective map
/// (iha.md 4), so blended maps do as well as clean ones if they can be told apart. The diagonals
/// are orthogonal and of one size, so that the shares of all offsets together are never above the
/// number of maps (Bessel): two maps do two jobs. That bounds the fit and not the accuracy, which
/// asks for the largest logit only.
class OffsetMixes {
  public:
    /// Offsets 1..most.
    OffsetMixes(int nMaps, int most);

    /// Adds these rows of one example's maps, each [N, Nk], host, float32; every row has `most`
    /// keys before it.
    void add(std::span<const Tensor> maps, std::span<const int> rows);
    std::vector<OffsetMix> solve() const;

  private:
    int nMaps_, most_;
    std::int64_t rows_ = 0;
    std::vector<double> products_;  ///< of two maps, [nMaps, nMaps]
    std::vector<double> onOffset_;  ///< sum of a map's cells, [most, nMaps]
};

/// The sum of maps [N, Nk] with the weights of a mix; float32, host.
Tensor mixed(std::span<const Tensor> maps, const OffsetMix& mix);

}  // namespace headloom
