#pragma once

#include "core/backend/backend.h"
#include "core/backend/cpu/block_pool.h"
#include "core/backend/cpu/kernels.h"
#include "core/backend/cpu/rotary_tables.h"
#include "core/backend/cpu/workers.h"

#include <memory>

namespace headloom::cpu {

/// Rough nanoseconds of a product, for deciding on threads.
inline double costOf(std::int64_t m, std::int64_t n, std::int64_t k) {
    return static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k + 4) / 20;
}

inline std::size_t sizeOf(std::int64_t count) {
    return static_cast<std::size_t>(count);
}
/// First number of an optional tensor.
inline float* floats(const Tensor& tensor) {
    return tensor ? tensor.data<float>() : nullptr;
}

/// Vectorised float32. Shapes, memory and threads are here; the arithmetic is in the kernels.
class CpuBackend : public Backend {
  public:
    CpuBackend(int threads, const Kernels& kernels);
    ~CpuBackend() override;

    DeviceInfo info() const override;
    Tensor allocate(const Shape& shape, DType type) override;
    void zero(const Tensor& out) override;
    void upload(const Tensor& host, const Tensor& out) override;
    void download(const Tensor& in, const Tensor& host) override;

    void embed(const Tensor& ids, const Tensor& table, const Tensor& positions, std::int64_t start,
               const Tensor& out) override;
    void embedBackward(const Tensor& ids, const Tensor& dOut, const Tensor& dTable,
                       const Tensor& dPositions) override;

    void norm(NormKind kind, double epsilon, const Tensor& x, const Tensor& weight,
              const Tensor& bias, const Tensor& out, const Tensor& statistics) override;
    void normBackward(NormKind kind, const Tensor& x, const Tensor& weight,
                      const Tensor& statistics, const Tensor& dOut, const Tensor& dX,
                      const Tensor& dWeight, const Tensor& dBias) override;
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

    void projectHeads(const Tensor& x, const Tensor& weight, const Tensor& bias,
                      const Tensor& out) override;
    void projectHeadsBackward(const Tensor& x, const Tensor& weight, const Tensor& dOut,
                              const Tensor& dX, const Tensor& dWeight,
                              const Tensor& dBias) override;
    void mixHeads(const Tensor& x, const Tensor& alpha, const Tensor& out) override;
    void mixHeadsBackward(const Tensor& x, const Tensor& alpha, const Tensor& dOut,
                          const Tensor& dX, const Tensor& dAlpha) override;
    void rotate(const RotaryParams& params, const Tensor& x) override;
    void append(const Tensor& rows, std::int64_t start, const Tensor& cache) override;
    void attention(const AttentionParams& params, const Tensor& q, const Tensor& k, const Tensor& v,
                   const Tensor& y, const Tensor& maps) override;
    void attentionBackward(const AttentionParams& params, const Tensor& q, const Tensor& k,
                           const Tensor& v, const Tensor& maps, const Tensor& dY, const Tensor& dQ,
                           const Tensor& dK, const Tensor& dV) override;
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
    void collapse(const Tensor& y, const Tensor& r, const Tensor& z) override;
    void collapseBackward(const Tensor& y, const Tensor& r, const Tensor& dZ, const Tensor& dY,
                          const Tensor& dR) override;
    void effectiveMaps(const Tensor& maps, const Tensor& alphaV, const Tensor& r,
                       const Tensor& out) override;

    double crossEntropy(const Tensor& logits, const Tensor& targets, double weight,
                        const Tensor& dLogits) override;
    double sumOfSquares(const Tensor& x) override;
    void adamw(const AdamWParams& params, const Tensor& weight, const Tensor& gradient,
               const Tensor& firstMoment, const Tensor& secondMoment) override;

  private:
    /// One product on all workers, split over rows or columns of C.
    void multiply(const Product& product);
    /// The products make(0..count-1), all of one size. Where there are fewer than workers could
    /// use, their columns are split as well.
    template <class Make>
    void multiplyEach(std::int64_t count, const Make& make) {
        if (count == 0) return;
        const Product first = make(0);
        const double cost = costOf(first.m, first.n, first.k);
        if (count >= 4 * workers_.size() || workers_.size() == 1)
            workers_.each(count, cost, [&](std::int64_t at, int) { kernels_.multiply(make(at)); });
        else
            for (std::int64_t at = 0; at < count; ++at) multiply(make(at));
    }
    /// dX += dOut W^T and dW += x^T dOut, either may be null. x [rows, nIn], W^T [nOut, nIn],
    /// dOut [rows, nOut].
    void gradientsOfProduct(std::int64_t rows, std::int64_t nIn, std::int64_t nOut, const float* x,
                            const float* transposedWeight, const float* dOut, float* dX,
                            float* dWeight);
    /// dBias += the sum of dOut's rows; an empty dBias is left out.
    void addBiasGradient(std::int64_t rows, std::int64_t width, const Tensor& dOut,
                         const Tensor& dBias);
    /// to[b, j, i] = or += from[b, i, j] for rows of `width` floats, i < first, j < second.
    void swapMiddle(const float* from, std::int64_t nBatch, std::int64_t first, std::int64_t second,
                    std::int64_t width, float* to, Start start);

    const Kernels& kernels_;
    std::shared_ptr<BlockPool> memory_;
    Workers workers_;
    Scratch shared_, sharedToo_;  // read by all workers of a loop
    RotaryTables rotary_;
};

}  // namespace headloom::cpu
