#pragma once

#include "core/backend/backend.h"
#include "core/backend/residents.h"
#include "gpu/backend/product.h"

#include <gpu_runtime.h>

#include <cassert>
#include <memory>
#include <vector>

// "gpu_runtime.h" is the one header that differs: gpu/cuda has the one that starts kernels on a
// device, tests/gpu/emulator the one that runs their threads one after another on the host. A
// target chooses by its include folders, and everything here is compiled for either.

namespace headloom::gpu {

inline std::size_t sizeOf(Index count) {
    return static_cast<std::size_t>(count);
}
/// First number of an optional tensor.
inline float* floats(const Tensor& tensor) {
    return tensor ? tensor.data<float>() : nullptr;
}

/// Float32 on a GPU. Shapes, memory and launches are here; the arithmetic is in gpu/kernels and,
/// for matrix products, in the runtime's library. Every sum has a fixed order, so a call repeated
/// gives the same bits.
class DeviceBackend : public Backend {
  public:
    /// Throws BackendFailure where there is no device to run on.
    explicit DeviceBackend(std::unique_ptr<Runtime> runtime);
    ~DeviceBackend() override;

    DeviceInfo info() const override;
    Tensor allocate(const Shape& shape, DType type) override;
    void zero(const Tensor& out) override;
    void upload(const Tensor& host, const Tensor& out) override;
    void download(const Tensor& in, const Tensor& host) override;
    Tensor resident(const Tensor& host) override;
    Tensor allocateHost(const Shape& shape, DType type) override;
    void startDownload(const Tensor& in, const Tensor& host) override;
    void finishDownloads() override;
    void together(const std::function<void()>& work) override;

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

    // Public only because nvcc needs to see what a kernel is made of.

    /// body(i) for every i below count.
    template <class Body>
    void forEach(Index count, const Body& body) {
        constexpr int threads = 256;
        if (count > 0)
            runtime_->launch({divideUp(count, threads), threads, 0}, ForEach<Body>{count, body});
    }
    template <class Kernel>
    void launch(const Launch& how, const Kernel& kernel) {
        if (how.blocks > 0) runtime_->launch(how, kernel);
    }

  private:
    void multiply(const Product& product);
    /// Numbers that live as long as the handle; the device may use them until then.
    Tensor temporary(Index count, DType type = DType::f32);
    /// sums[c] += the sum over rows of value(row, row * width + c).
    template <class Value>
    void addColumnSums(const Value& value, Index nRows, Index width, const Tensor& sums);
    /// The sum of value(i), i below count, on the host.
    template <class Value>
    double sumInDouble(const Value& value, Index count);
    /// to += or = from with the axes first and second of [B, first, second, width] changed.
    void swapMiddle(const float* from, Index nBatch, Index first, Index second, Index width,
                    const float* bias, float* to, bool add);

    std::unique_ptr<Runtime> runtime_;
    Residents residents_;
    std::vector<Tensor> downloading_;  ///< both sides of every download that has been started
};

}  // namespace headloom::gpu
