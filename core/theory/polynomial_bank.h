#pragma once

#include "core/theory/bank_construction.h"

#include <functional>
#include <memory>

namespace headloom {

/// One construction after it has run.
struct BankArm {
    int nHeads = 0, nPseudo = 1;
    std::int64_t parameters = 0;  ///< counted in the tensors
    /// What pseudo-query 0 sees, head by head and key pseudo-head by key pseudo-head (MHA: the map
    /// of each head): tile i is A^i. [H P, N, N] on the host, as computed.
    Tensor tiles;
    /// Largest |output - target| beside the largest |target|, over all N x kd numbers.
    double maxError = 0;
    Tensor output;  ///< [N, k d] or wider, where ceil(sqrt k)^2 is more than k; as computed
};

/// Both constructions on one graph and one signal.
struct PolynomialBank {
    BankSize size;
    Tensor matrix;                              ///< A [N, N], float64
    std::shared_ptr<const GraphPowers> powers;  ///< of A, as many as both constructions need
    Tensor signal;                              ///< X [N, d], float64, as given
    DType type = DType::f32;
    BankArm mha, iha;
};

/// X of a bank: N(0, 1), the same for the same N and d.
Tensor bankSignal(const BankSize& size);

/// `signal`: X [N, d], float64. Builds both layers, runs them through the backend's attention with
/// linear scores, no mask, no scale and no W_O, and compares with [X, A X, ..] summed in float64.
/// `type`: what the backend computes in. Errors: those of `validate`; a matrix that is not N x N;
/// cancelled.
Result<PolynomialBank> runBank(const BankSize& size, const Tensor& matrix, const Tensor& signal,
                               DType type, Backend& backend,
                               const std::function<bool()>& cancelled = {});

}  // namespace headloom
