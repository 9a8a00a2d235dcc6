#pragma once

#include "core/session/mixing_weights.h"

#include <vector>

namespace headloom {

/// One mixing matrix as seen from a target head: sources (heads) down, pseudo-heads across. Where
/// there are no pseudo-heads, all targets stand across.
struct MixingSheet {
    MixingTensor matrix = MixingTensor::alphaQ;
    int rows = 0, cols = 0;
    int firstSource = 0;  ///< source head of row 0 (R per head shows the open head only)
    bool targetsAcross = false;
    std::vector<float> values;  ///< [rows, cols]
};

/// alpha_Q, alpha_K, alpha_V and R of target head `head`; of IHA-lite and talking heads the whole
/// matrices; empty for a layer that mixes nothing, and where there is no such layer or head.
std::vector<MixingSheet> mixingSheets(const Model& model, int layer, int head);

/// The weight that stands at a cell of a sheet.
MixingWeight weightAt(const MixingSheet& sheet, int layer, int head, int row, int column);

}  // namespace headloom
