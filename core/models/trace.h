#pragma once

#include "core/tensor/tensor.h"

#include <cstdint>
#include <vector>

namespace headloom {

/// One layer's part of a forward pass. Names are TransformerLens's. B batch, N rows (query tokens),
/// Nk keys (N, or more with a cache), H heads, G key/value heads, P pseudo-heads, d head width.
struct LayerTrace {
    Tensor residPre;            ///< [B, N, D]
    Tensor norm1, statistics1;  ///< [B, N, D]; [B*N, 2]. Without norms residPre itself
    Tensor q, k, v;  ///< [B, H or G, N, d], before mixing and rotation (IHA only: for MHA
                     ///< these are empty, since rotation happens in place)
    Tensor projectedQ, projectedK;    ///< q, k before their norms, where they have some
    Tensor statisticsQ, statisticsK;  ///< of these norms, [B*H*N, 2]
    Tensor mixedQ, mixedK, mixedV;  ///< [B, H or G, P, N or C, d], after mixing and rotation; with
                                    ///< a cache mixedK and mixedV are the cache, C rows
    /// [B, H, P, P, N, Nk] (query pseudo, key pseudo), what multiplies the values: talking heads
    /// the mixed weights, differential the signed difference. Empty: not captured.
    Tensor maps;
    Tensor scores;               ///< talking heads: scaled logits of the heads, [B, H, N, Nk]
    Tensor pattern;              ///< before the maps are made of them: talking heads [B, H, N, Nk],
                                 ///< differential [B, 2H, N, Nk]
    Tensor y;                    ///< [B, H, P, N, d]
    Tensor z;                    ///< [B, N, H, d]
    Tensor normZ, statisticsZ;   ///< differential: y after the norm of each head; [B*H*N, 2]
    Tensor residMid;             ///< [B, N, D]
    Tensor norm2, statistics2;   ///< as norm1; empty without an MLP
    Tensor mlpPre, mlpPost;      ///< [B, N, M], around the activation; empty without an MLP
    Tensor mlpLinear, mlpGated;  ///< with a gate: x W_in, and mlpPost times it; else empty
};

/// What is left of a layer's trace when its activations are not kept.
inline LayerTrace mapsOf(const LayerTrace& layer) {
    LayerTrace kept;
    kept.maps = layer.maps;
    return kept;
}

/// An immutable snapshot of one forward pass; hand it on as shared_ptr<const ActivationTrace>.
struct ActivationTrace {
    Tensor ids;              ///< [B, N] i32, on the backend
    std::int64_t start = 0;  ///< token index of row 0 (above 0 with a cache)
    std::vector<LayerTrace> layers;
    Tensor residFinal;  ///< [B, N, D], input of the final norm
    Tensor normFinal, statisticsFinal;
    Tensor logits;  ///< [B, N, nSlots * V]
};

}  // namespace headloom
