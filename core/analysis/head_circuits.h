#pragma once

#include "core/models/config.h"
#include "core/models/weights.h"

#include <functional>
#include <optional>
#include <vector>

namespace headloom {

/// What a head does without any input (Elhage et al. 2021): W_QK = W_Q W_K^T says which directions
/// of the residual stream look at which, W_OV = W_V W_O what is moved from one to the other.
enum class Circuit { qk, ov };

/// A tile of an interleaved head: query pseudo-head p with key pseudo-head r (IHA-lite: 0, 0).
struct PseudoPair {
    int p = 0, r = 0;
};

/// [D, D] of a head of a layer, float32. Grouped queries take their group's keys and values. Of
/// interleaved heads it is the circuit before mixing, source head with source head, or that of a
/// tile of target head h, mixing and collapse multiplied out: W_QK = (sum_m alphaQ[m, h, p] W_Q[m])
/// (sum_m alphaK[m, h, r] W_K[m])^T, W_OV = (sum_m alphaV[m, h, r] W_V[m]) (sum_g R[g, h*P + p]
/// W_O[g]). Empty for differential attention, whose heads have two of each. `cancelled` is polled
/// between blocks of rows; true gives nothing.
Tensor headCircuit(const ModelConfig& config, const Weights& weights, int layer, int head,
                   Circuit circuit, std::optional<PseudoPair> tile = {},
                   const std::function<bool()>& cancelled = {});

/// The singular values of a head's circuit, largest first: as many as a head is wide (or D, where
/// that is less); the others of its [D, D] are 0. Cubic in the head's width, linear in D. A head
/// with numbers that are not finite, and differential attention, give none. `cancelled` as above.
std::vector<double> circuitSingularValues(const ModelConfig& config, const Weights& weights,
                                          int layer, int head, Circuit circuit,
                                          std::optional<PseudoPair> tile = {},
                                          const std::function<bool()>& cancelled = {});

/// The same matrix in at most `most` rows and columns: each cell the value of largest magnitude of
/// its block, so that no peak is lost. Itself where it is small enough.
Tensor pooled(const Tensor& matrix, std::int64_t most);

}  // namespace headloom
