#pragma once

#include "core/backend/backend.h"
#include "core/base/error.h"

#include <vector>

namespace headloom {

/// What IHA can do and MHA cannot (iha.md 5): three equal tokens (s, 1, v), of which q = s, k = 1
/// and the value is v. One head with alphaQ = alphaK = (1, -1) whose R reads pseudo-head 0.
struct Witness {
    std::vector<double> s;
    double v = 1;
    std::vector<double> corrected;  ///< alphaV = (1, -1): v tanh(s)
    std::vector<double> printed;    ///< alphaV = (1, 1), as in the paper's appendix: v
    std::vector<double> mha;        ///< the head without mixing: v, linear in the token
    double maxError = 0;            ///< of `corrected` against v tanh(s)

    static constexpr double mostS = 100, mostV = 1000;
};

/// Every s runs in one batch. `type`: what the backend computes in. Errors: no s; |s| above mostS,
/// |v| above mostV.
Result<Witness> runWitness(const std::vector<double>& s, double v, DType type, Backend& backend);

/// So many places from -bound to bound.
std::vector<double> witnessPlaces(int count, double bound);

}  // namespace headloom
