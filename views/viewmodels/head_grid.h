#pragma once

#include <vector>

namespace headloom {

/// One head of the grid (core/analysis/head_summary.h).
struct HeadCell {
    double distance = 0;           ///< mean distance of what it looks at, in tokens
    double first = 0;              ///< mean share on the first token
    int side = 0;                  ///< of the thumbnail
    std::vector<float> thumbnail;  ///< [side, side]
};

/// Every head of a model over one sequence, layer by layer as the worker gets there.
struct HeadGrid {
    int layers = 0, heads = 0;
    int rows = 0;                              ///< tokens of the sequence
    std::vector<std::vector<HeadCell>> cells;  ///< by layer; empty: not there yet

    /// The first layer that is not there yet; -1: all are.
    int firstMissing() const;
    /// Null where it is not there yet.
    const HeadCell* find(int layer, int head) const;
};

}  // namespace headloom
