#pragma once

#include "core/models/attention_layer.h"
#include "core/models/trace.h"

namespace headloom {

// The kinds that work on the maps between the softmax and the values. Both keep tensors of size
// N x N, maps asked for or not, and have P = 1.
//
// Talking heads (Shazeer et al. 2020): logits are mixed across heads before the softmax and weights
// after it, O_h = (sum_g W[g, h] softmax(sum_f L[f, g] S_f)) V_h, [source, target]. The maps shown
// are the mixed weights that multiply V_h: signed where W is, rows adding up to a column sum of W.
//
// Differential attention (Ye et al. 2024): each head has two query and two key halves of width d/2
// and O_h = (1 - lambdaInit) * RMSNorm((softmax(S1) - lambda softmax(S2)) V_h), scale 1/sqrt(d/2),
// lambda = exp(lq1.lk1) - exp(lq2.lk2) + lambdaInit, lambdaInit = 0.8 - 0.6 exp(-0.3 layer) with
// layers counted from 0. Lambda's four vectors [d/2] and the norm's scale [d] are shared by the
// heads of a layer. W_Q and W_K are [2H, D, d/2], heads 2h and 2h + 1 the halves of head h. With
// H = D/d heads that is the paper's d_model/2d heads of 2d: as many parameters as MHA. The maps
// shown are the signed differences, before the norm.

/// Whether a layer is one of the two, by its weights.
bool worksOnMaps(const AttentionWeights& weights);

double differentialLambdaInit(int layer);
/// Lambda of a differential layer, now.
double differentialLambda(const AttentionWeights& weights, Backend& backend);

/// Fills maps, y (differential: also normZ) and what backward needs, from mixedQ, mixedK, mixedV.
void attendOverMaps(const AttentionParams& params, const AttentionWeights& weights,
                    const LayerChanges& changes, AttentionLayerResult& out, Backend& backend);
/// z from y, or from normZ.
void collapseOverMaps(const AttentionWeights& weights, AttentionLayerResult& out, Backend& backend);

/// Adds to dQ, dK, dV and to the gradients of the kind's own weights. dZ [B, N, H, d].
void attendOverMapsBackward(const AttentionParams& params, const AttentionWeights& weights,
                            const LayerTrace& trace, const Tensor& dZ,
                            const AttentionWeights& gradients, const Tensor& dQ, const Tensor& dK,
                            const Tensor& dV, Backend& backend);

}  // namespace headloom
