#pragma once

#include "core/backend/backend.h"
#include "core/models/config.h"
#include "core/models/weights.h"

namespace headloom {

/// Effective maps M[b, g, m, i, j] of a layer (iha.md 4), the coefficient of v_m[j] in z_g[i], from
/// its maps [B, H, P, P, N, Nk]; on the backend, as the maps and weights are. MHA and talking heads
/// have them on the diagonal only: a head reads its own values through its (mixed) map.
/// Error: differential attention divides each row of a head by its length after the maps, so that
/// no fixed coefficient takes v to z.
Result<Tensor> effectiveMapsOf(const ModelConfig& config, int layer, const Tensor& maps,
                               const Weights& weights, Backend& backend);

}  // namespace headloom
