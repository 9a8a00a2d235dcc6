#pragma once

#include "core/theory/bank_size.h"
#include "core/theory/constructed_layer.h"

#include <cstdint>
#include <vector>

namespace headloom {

/// A matrix A [N, N] and its powers I, A, A^2, .., float64. Multiplying by A costs as much as A has
/// entries, so that powers of a graph are cheap.
class GraphPowers {
  public:
    GraphPowers(const Tensor& matrix, int nPowers);

    std::int64_t nNodes() const { return matrix_.size(0); }
    int count() const { return static_cast<int>(powers_.size(0)); }
    const Tensor& matrix() const { return matrix_; }
    const Tensor& all() const { return powers_; }  ///< [powers, N, N]
    Tensor power(int i) const { return powers_.at(i); }
    /// A x, of x [N, w].
    Tensor times(const Tensor& x) const;
    /// A^T x.
    Tensor transposedTimes(const Tensor& x) const;

  private:
    struct Entry {
        std::int64_t row, column;
        double value;
    };
    Tensor matrix_, powers_;
    std::vector<Entry> entries_;
};

/// Head i computes A^i X: W_Q = [0; A^i], W_K = [0; I], W_V = [I; 0] (iha.md 6). `type`: float64 or
/// float32; `powers` holds at least k.
AttentionWeights mhaBank(const GraphPowers& powers, const BankSize& size, DType type = DType::f64);

/// H = P = ceil(sqrt(k)): head m has W_Q = [0; A^(mH)], W_K = [0; (A^m)^T], and puts X into block m
/// of its d H wide values; pseudo-query 0 of head h meets the keys of every head r, so that its
/// tile r is A^(hH + r). `powers` holds at least H (H - 1) + 1. Projections of `type`, mixing and R
/// float64.
AttentionWeights ihaBank(const GraphPowers& powers, const BankSize& size, DType type = DType::f64);

/// Mixing and collapse of a router: H heads, each a query stride; key and value pseudo-head r of
/// every head is head r. alpha_Q[m, h, p] = 1(m = h) 1(p = 0), alpha_K = alpha_V = 1(m = p),
/// R[h, hH + 0] = 1. Shared by both of the paper's constructions.
void addRouterMixing(int nHeads, AttentionWeights& weights);

}  // namespace headloom
