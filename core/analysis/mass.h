#pragma once

#include "core/tensor/tensor.h"

#include <span>
#include <vector>

namespace headloom {

/// Sums over attention maps, as semantics.md names them. maps is one layer's host tensor
/// [1, H, P, P, N, N] (or without the leading 1), float32.

/// Share of pseudo-query (head, p)'s row `row` that falls on key family r: the row's sum in the
/// tile. Over r they add up to 1 (softmax).
double rowMass(const Tensor& maps, int head, int p, int r, int row);
/// Mean of rowMass over rows 0..row: the number in the corner of a tile.
double tileMass(const Tensor& maps, int head, int p, int r, int row);
/// Attention of row `row` of tile (head, p, r) on `positions`. Never above rowMass.
double evidenceMass(const Tensor& maps, int head, int p, int r, int row,
                    const std::vector<int>& positions);

/// Where a layer looks at the evidence: one entry per (head, p), summed over r, which is the
/// headline number; MHA has p = 0 only.
struct EvidenceEntry {
    int head = 0, p = 0;
    double mass = 0;
};
struct EvidenceSummary {
    std::vector<EvidenceEntry> entries;  ///< all, by head then p
    EvidenceEntry best;
    double mean = 0;
    int chosenFrom = 0;  ///< "best of": number of entries; with tiles, H*P*P is printed by callers
};
EvidenceSummary evidenceSummary(const Tensor& maps, int row, const std::vector<int>& positions);

/// Shannon entropy in nats of row `row` of (head, p) over all r and keys.
double rowEntropy(const Tensor& maps, int head, int p, int row);

/// Shannon entropy in bits of the magnitudes of a row divided by their sum: 0 for one key alone,
/// log2(n) for n keys alike. Cells that are not finite count as 0. Not a number (NaN) for a row of
/// zeros, which says nothing.
double entropyBits(std::span<const float> row);

/// Cosine of two tiles of a layer over rows 0..row; 0 if one is all zero.
double tileCosine(const Tensor& maps, int head, int p, int r, int otherHead, int otherP, int otherR,
                  int row);

}  // namespace headloom
