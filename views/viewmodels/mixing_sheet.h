#pragma once

#include "views/viewmodels/map_ref.h"

#include <vector>

namespace headloom {

struct ColumnRun;

/// One mixing matrix as seen from a target head: sources (heads) down, pseudo-heads across. Where
/// there are no pseudo-heads, all targets stand across.
struct MixingSheet {
    MixingMatrix matrix = MixingMatrix::alphaQ;
    int rows = 0, cols = 0;
    int firstSource = 0;  ///< source head of row 0 (R per head shows the open head only)
    bool targetsAcross = false;
    std::vector<float> values;  ///< [rows, cols]
};

/// alpha_Q, alpha_K, alpha_V and R of target head `head`; of IHA-lite and talking heads the whole
/// matrices; empty for a layer that mixes nothing.
std::vector<MixingSheet> mixingSheets(const ColumnRun& column, int layer, int head);

}  // namespace headloom
