#pragma once

#include "core/backend/backend.h"
#include "core/base/error.h"

#include <vector>

namespace headloom {

/// What IHA can do and MHA cannot (iha.md 5): three equal tokens (s, 1), of which q = s, k = 1 and
/// v = 1. One head with alphaQ = alphaK = (1, -1) whose R reads pseudo-head 0.
struct Witness {
    std::vector<double> s;
    std::vector<double> corrected;  ///< alphaV = (1, -1): tanh(s)
    std::vector<double> printed;    ///< alphaV = (1, 1), as in the paper's appendix: v
    std::vector<double> mha;        ///< the head without mixing: v, linear in the token
    double maxError = 0;            ///< of `corrected` against tanh(s)
};

/// All of them run as one batch. `type`: what the backend computes in. Error: no s.
Result<Witness> runWitness(const std::vector<double>& s, DType type, Backend& backend);

/// So many places from -bound to bound.
std::vector<double> witnessPlaces(int count, double bound);

}  // namespace headloom
