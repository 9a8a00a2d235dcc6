#pragma once

#include "core/models/attention_layer.h"

#include <cstdint>

namespace headloom {

/// A layer as the paper's constructions have it: no mask, no positions, scores q.k without a scale.
LayerConfig constructedLayer(AttentionKind kind, int nPseudo, ScoreKind score);

/// Such a layer after it has run.
struct ConstructedRun {
    /// What pseudo-query 0 sees, head by head and key pseudo-head by key pseudo-head (MHA: the map
    /// of each head). [H P, N, N] on the host, as computed.
    Tensor tiles;
    Tensor output;  ///< [N, H d] float64, the heads side by side or through W_O
};

/// `weights` float64 or of `type`, mixing and R float64, on the host; `input` [N, D], float64.
/// `type`: what the backend computes in. R reads pseudo-query 0 of each head only, as in both of
/// the paper's constructions: the others are not asked.
ConstructedRun runConstructed(const LayerConfig& layer, const AttentionWeights& weights,
                              const Tensor& input, DType type, Backend& backend);

/// [X, I]: signal [N, d] with the one-hot positions that queries and keys read, [N, d + N] f64.
Tensor withPositions(const Tensor& signal);

/// Numbers in the tensors of a layer.
std::int64_t countParameters(const AttentionWeights& weights);

/// x on the backend in its type.
Tensor placedOn(Backend& backend, DType type, const Tensor& host);
/// All weights there.
AttentionWeights placedOn(Backend& backend, DType type, const AttentionWeights& weights);
/// As float64 on the host.
Tensor fetchedFrom(Backend& backend, const Tensor& tensor);

}  // namespace headloom
