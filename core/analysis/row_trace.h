#pragma once

#include "core/models/config.h"
#include "core/models/trace.h"

#include <vector>

namespace headloom {

/// What one row of a layer's pass wrote into the residual stream, in double, small enough to keep
/// for every layer of a deep model. H heads, P pseudo-heads, d head width.
struct LayerRow {
    std::vector<double> residPre, residMid;  ///< [D]
    /// What each tile reads: sum_j A[h, p, r, row, j] v[h, r, j], [H, P, P, d]. With one
    /// pseudo-head it is what the head hands to W_O (z, after a differential head's norm).
    std::vector<double> reads;
    std::vector<double> mlp;  ///< what W_out multiplies, [M]; empty without an MLP
};

/// One row of a forward pass: what attributions and lenses are made of.
struct RowTrace {
    int row = 0;
    std::vector<int> ids;  ///< of the tokens that share the row's position
    std::vector<LayerRow> layers;
    std::vector<double> residFinal;  ///< [D]
    double finalMean = 0,
           finalScale = 1;       ///< of the final norm: (x - mean) * scale * weight + bias
    std::vector<double> logits;  ///< [nSlots * classes]
};

/// One row of [1, N, ...], as doubles.
std::vector<double> rowOf(const Tensor& rows, int row);

/// Whether a layer's reads are of its tiles, or of the heads as they are handed to W_O.
bool readsByTile(const LayerConfig& layer);
/// From a layer's trace on the host; maps (of all rows, or of this one alone: Decoder::mapsOfRow)
/// and mixedV are needed where it reads by tile, z elsewhere.
LayerRow layerRowOf(const ModelConfig& config, int layer, const LayerTrace& trace, int row);
/// The rest, from a trace on the host whose layers may be empty.
void takeEnd(const ModelConfig& config, const ActivationTrace& trace, RowTrace& out);

}  // namespace headloom
