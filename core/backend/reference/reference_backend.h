#pragma once

#include "core/backend/backend.h"

namespace headloom::reference {

/// Every operator in plain loops, in the type of its tensors (float32 or float64). Each is written
/// as its formula reads, so that it can be checked by eye; the other backends are checked against
/// it. Contracts are those of Backend.
///
/// Loop letters are the same in all files: b batch, h head, p query pseudo, r key pseudo, i query
/// row, j key, n token, x and y components.
class ReferenceBackend : public Backend {
  public:
    DeviceInfo info() const override;
    Tensor allocate(const Shape& shape, DType type) override;
    void zero(const Tensor& out) override;
    void upload(const Tensor& host, const Tensor& out) override;
    void download(const Tensor& in, const Tensor& host) override;

    // tokens.cpp
    void embed(const Tensor& ids, const Tensor& table, const Tensor& positions, std::int64_t start,
               const Tensor& out) override;
    void embedBackward(const Tensor& ids, const Tensor& dOut, const Tensor& dTable,
                       const Tensor& dPositions) override;

    // norms.cpp
    void norm(NormKind kind, double epsilon, const Tensor& x, const Tensor& weight,
              const Tensor& bias, const Tensor& out, const Tensor& statistics) override;
    void normBackward(NormKind kind, const Tensor& x, const Tensor& weight,
                      const Tensor& statistics, const Tensor& dOut, const Tensor& dX,
                      const Tensor& dWeight, const Tensor& dBias) override;

    // rows.cpp
    void linear(const Tensor& x, const Tensor& weight, const Tensor& bias,
                const Tensor& out) override;
    void linearBackward(const Tensor& x, const Tensor& weight, const Tensor& dOut, const Tensor& dX,
                        const Tensor& dWeight, const Tensor& dBias) override;
    void linearTransposed(const Tensor& x, const Tensor& weight, const Tensor& bias,
                          const Tensor& out) override;
    void linearTransposedBackward(const Tensor& x, const Tensor& weight, const Tensor& dOut,
                                  const Tensor& dX, const Tensor& dWeight,
                                  const Tensor& dBias) override;
    void activate(Activation kind, const Tensor& x, const Tensor& out) override;
    void activateBackward(Activation kind, const Tensor& x, const Tensor& dOut,
                          const Tensor& dX) override;
    void gate(const Tensor& a, const Tensor& b, const Tensor& out) override;
    void gateBackward(const Tensor& a, const Tensor& b, const Tensor& dOut, const Tensor& dA,
                      const Tensor& dB) override;
    void add(const Tensor& x, const Tensor& out) override;
    void topK(const Tensor& x, const Tensor& values, const Tensor& ids) override;

    // mixing.cpp
    void projectHeads(const Tensor& x, const Tensor& weight, const Tensor& bias,
                      const Tensor& out) override;
    void projectHeadsBackward(const Tensor& x, const Tensor& weight, const Tensor& dOut,
                              const Tensor& dX, const Tensor& dWeight,
                              const Tensor& dBias) override;
    void mixHeads(const Tensor& x, const Tensor& alpha, const Tensor& out) override;
    void mixHeadsBackward(const Tensor& x, const Tensor& alpha, const Tensor& dOut,
                          const Tensor& dX, const Tensor& dAlpha) override;

    // attention.cpp
    void rotate(const RotaryParams& params, const Tensor& x) override;
    void append(const Tensor& rows, std::int64_t start, const Tensor& cache) override;
    void attention(const AttentionParams& params, const Tensor& q, const Tensor& k, const Tensor& v,
                   const Tensor& y, const Tensor& maps) override;
    void attentionBackward(const AttentionParams& params, const Tensor& q, const Tensor& k,
                           const Tensor& v, const Tensor& maps, const Tensor& dY, const Tensor& dQ,
                           const Tensor& dK, const Tensor& dV) override;

    // maps.cpp
    void attentionScores(const AttentionParams& params, const Tensor& q, const Tensor& k,
                         const Tensor& scores) override;
    void attentionScoresBackward(const AttentionParams& params, const Tensor& q, const Tensor& k,
                                 const Tensor& dScores, const Tensor& dQ,
                                 const Tensor& dK) override;
    void attentionPattern(const AttentionParams& params, const Tensor& scores,
                          const Tensor& maps) override;
    void attentionPatternBackward(const AttentionParams& params, const Tensor& maps,
                                  const Tensor& dMaps, const Tensor& dScores) override;
    void scaleMaps(const Tensor& multiplier, const Tensor& maps) override;
    void attentionValues(const Tensor& maps, const Tensor& v, const Tensor& y) override;
    void attentionValuesBackward(const Tensor& maps, const Tensor& v, const Tensor& dY,
                                 const Tensor& dMaps, const Tensor& dV) override;

    // collapse.cpp
    void collapse(const Tensor& y, const Tensor& r, const Tensor& z) override;
    void collapseBackward(const Tensor& y, const Tensor& r, const Tensor& dZ, const Tensor& dY,
                          const Tensor& dR) override;
    void effectiveMaps(const Tensor& maps, const Tensor& alphaV, const Tensor& r,
                       const Tensor& out) override;

    // learning.cpp
    double crossEntropy(const Tensor& logits, const Tensor& targets, double weight,
                        const Tensor& dLogits) override;
    double sumOfSquares(const Tensor& x) override;
    void adamw(const AdamWParams& params, const Tensor& weight, const Tensor& gradient,
               const Tensor& firstMoment, const Tensor& secondMoment) override;
};

}  // namespace headloom::reference
