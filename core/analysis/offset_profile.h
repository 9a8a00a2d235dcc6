#pragma once

#include "core/tensor/tensor.h"

#include <optional>
#include <span>
#include <vector>

namespace headloom {

/// Where the lines are drawn; both stand beside what they decide.
struct OffsetRule {
    double share = 0.5;  ///< of the magnitude that must be above this on one offset
    double dead = 0.01;  ///< mass below which a map carries nothing, whatever its shape
};

/// What a map takes from so many tokens back. Query n and key n - o are `o` back; a map that is a
/// shifted diagonal has all of its weight at one offset. Means over the rows that were added, which
/// may be of several maps; effective maps are signed. Cells that are not finite count as 0.
class OffsetProfile {
  public:
    /// Adds these rows of a map [N, Nk], host, float32.
    void add(const Tensor& map, std::span<const int> rows);

    std::int64_t rows() const { return rows_; }
    /// Offsets 0, 1, .. of which there are cells.
    int offsets() const { return static_cast<int>(sums_.size()); }
    /// Mean of the cells `offset` back; a row that does not reach so far counts with 0, so that
    /// with all offsets (and `later`) the weights sum to the mean of the rows' sums.
    double weight(int offset) const;
    /// Mean over the rows of the sum of magnitudes, all keys: of a tile its mass in these rows.
    double mass() const;
    /// Share of that magnitude which stands `offset` back, in [0, 1]; 0 of a map of zeros.
    double share(int offset) const;
    /// Share on keys after the query, which only maps without a causal mask have.
    double later() const;

    /// The offset of the largest share, the nearest on a tie; none in a map of zeros.
    std::optional<int> dominant() const;
    /// The dominant offset of a map that is not dead, where its share is above that of the rule:
    /// with one half, where it has more than all others together.
    std::optional<int> carried(const OffsetRule& rule = {}) const;

  private:
    std::int64_t rows_ = 0;
    std::vector<double> sums_, magnitudes_;  ///< by offset, over all rows
    double later_ = 0;                       ///< magnitudes of later keys
};

/// Those of 1..most that at least one of the maps carries, rising.
std::vector<int> offsetsCarried(std::span<const OffsetProfile> maps, int most,
                                const OffsetRule& rule = {});

}  // namespace headloom
