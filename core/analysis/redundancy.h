#pragma once

#include "core/tensor/tensor.h"

#include <vector>

namespace headloom {

/// How alike several patterns of attention are: the tiles of a layer, heads, or effective maps,
/// which are signed. Cells that are not finite count as 0.
struct Redundancy {
    int count = 0;
    /// Cosine of two patterns as vectors of all their cells, [count, count]; 0 with one of zeros.
    std::vector<double> cosines;
    std::vector<double> mass;  ///< mean over the rows of the sum of magnitudes: of tiles, tile mass
    /// Mean over the rows that are not zero of entropyBits; NaN where all are.
    std::vector<double> entropy;
    /// How many directions the patterns use as they are (Gram::rank): from 1 to their number, 0 for
    /// nothing but zeros. A pattern of little mass adds little to it.
    double effectiveRank = 0;

    double cosine(int a, int b) const {
        return cosines[static_cast<std::size_t>(a) * static_cast<std::size_t>(count) +
                       static_cast<std::size_t>(b)];
    }
};

/// patterns [..., N, Nk], host, float32: every leading axis counts patterns.
Redundancy redundancyOf(const Tensor& patterns);

/// Where the lines are drawn; both stand beside what they decide (semantics.md).
struct RedundancyThresholds {
    double similar = 0.95;  ///< cosine above which two patterns are the same one
    double dead = 0.01;     ///< mass below which a pattern is dead
};

/// "64 tiles, 11 distinct, 5 dead": patterns that are not dead, joined by complete linkage, so that
/// within a cluster every pair is above the threshold.
struct PatternClusters {
    int distinct = 0;          ///< clusters
    int dead = 0;              ///< patterns that are in none
    std::vector<int> cluster;  ///< of each pattern, counted as they stand in `order`; dead: -1
    std::vector<int> order;    ///< of a matrix in which clusters stand together; the dead come last
};
PatternClusters clustersOf(const Redundancy& redundancy, const RedundancyThresholds& thresholds);

}  // namespace headloom
