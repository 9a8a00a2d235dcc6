#pragma once

#include "core/backend/backend.h"
#include "core/backend/residents.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace headloom::testing {

/// When a FarBackend fails, shared by all of a process's.
struct FarFailure {
    /// Operators and allocations that still work; the one after them fails. Negative: none fails.
    std::atomic<std::int64_t> left = -1;
    std::atomic<bool> forGood = false;  ///< a lost device: all later ones fail too
    Error error{Error::Kind::outOfMemory, "far", "8 MiB are wanted and 1 MiB is free",
                "use a shorter prompt"};
    // What was asked of it, for tests that count.
    std::atomic<std::int64_t> operators = 0, uploadedBytes = 0, downloadedBytes = 0;
    std::atomic<std::int64_t> bytesHeld = 0, mostBytes = 0;  ///< of tensors: now, and at most
};

/// A device in memory of its own, for machines without one: what it allocates lies at addresses
/// that no program may touch, so whoever reads it without asking crashes there and then. An
/// operator that is given memory of the host throws std::logic_error, which nothing catches.
class FarBackend : public Backend {
  public:
    explicit FarBackend(std::unique_ptr<Backend> inner,
                        std::shared_ptr<FarFailure> failure = std::make_shared<FarFailure>(),
                        std::string name = "cuda")
        : inner_(std::move(inner)), failure_(std::move(failure)), name_(std::move(name)) {}

    DeviceInfo info() const override { return {name_, "far memory, " + innerName(), 1, false}; }

    Tensor allocate(const Shape& shape, DType type) override {
        enter();
        const auto bytes = static_cast<std::size_t>(shape.count()) * sizeOf(type);
        auto* const memory = new std::byte[std::max<std::size_t>(bytes, 1)];
        std::memset(memory, 0x7f, bytes);  // neither zero nor anything else that was hoped for
        const std::shared_ptr<FarFailure> failure = failure_;  // tensors outlive their backend
        failure->bytesHeld += static_cast<std::int64_t>(bytes);
        failure->mostBytes = std::max(failure->mostBytes.load(), failure->bytesHeld.load());
        return {shape, type, std::shared_ptr<void>(moved(memory), [memory, bytes, failure](void*) {
                    failure->bytesHeld -= static_cast<std::int64_t>(bytes);
                    delete[] memory;
                })};
    }
    void upload(const Tensor& host, const Tensor& out) override {
        enter();
        failure_->uploadedBytes += static_cast<std::int64_t>(host.bytes());
        inner_->upload(onlyHost(host), near(out));
    }
    void download(const Tensor& in, const Tensor& host) override {
        enter();
        failure_->downloadedBytes += static_cast<std::int64_t>(in.bytes());
        inner_->download(near(in), onlyHost(host));
    }

    Tensor resident(const Tensor& host) override {
        return residents_.find(host, [this](const Tensor& tensor) {
            const Tensor there = allocate(tensor.shape(), tensor.dtype());
            upload(tensor, there);
            return there;
        });
    }
    /// The numbers come when they are waited for, and not before.
    void startDownload(const Tensor& in, const Tensor& host) override {
        enter();
        downloads_.emplace_back(in, onlyHost(host));
    }
    void finishDownloads() override {
        for (const auto& [in, host] : std::exchange(downloads_, {})) download(in, host);
    }

    void zero(const Tensor& out) override {
        enter();
        inner_->zero(near(out));
    }
    void embed(const Tensor& ids, const Tensor& table, const Tensor& positions, std::int64_t start,
               const Tensor& out) override {
        enter();
        inner_->embed(near(ids), near(table), near(positions), start, near(out));
    }
    void embedBackward(const Tensor& ids, const Tensor& dOut, const Tensor& dTable,
                       const Tensor& dPositions) override {
        enter();
        inner_->embedBackward(near(ids), near(dOut), near(dTable), near(dPositions));
    }
    void topK(const Tensor& x, const Tensor& values, const Tensor& ids) override {
        enter();
        inner_->topK(near(x), near(values), near(ids));
    }
    void norm(NormKind kind, double epsilon, const Tensor& x, const Tensor& weight,
              const Tensor& bias, const Tensor& out, const Tensor& statistics) override {
        enter();
        inner_->norm(kind, epsilon, near(x), near(weight), near(bias), near(out), near(statistics));
    }
    void normBackward(NormKind kind, const Tensor& x, const Tensor& weight,
                      const Tensor& statistics, const Tensor& dOut, const Tensor& dX,
                      const Tensor& dWeight, const Tensor& dBias) override {
        enter();
        inner_->normBackward(kind, near(x), near(weight), near(statistics), near(dOut), near(dX),
                             near(dWeight), near(dBias));
    }
    void linear(const Tensor& x, const Tensor& weight, const Tensor& bias,
                const Tensor& out) override {
        enter();
        inner_->linear(near(x), near(weight), near(bias), near(out));
    }
    void linearBackward(const Tensor& x, const Tensor& weight, const Tensor& dOut, const Tensor& dX,
                        const Tensor& dWeight, const Tensor& dBias) override {
        enter();
        inner_->linearBackward(near(x), near(weight), near(dOut), near(dX), near(dWeight),
                               near(dBias));
    }
    void linearTransposed(const Tensor& x, const Tensor& weight, const Tensor& bias,
                          const Tensor& out) override {
        enter();
        inner_->linearTransposed(near(x), near(weight), near(bias), near(out));
    }
    void linearTransposedBackward(const Tensor& x, const Tensor& weight, const Tensor& dOut,
                                  const Tensor& dX, const Tensor& dWeight,
                                  const Tensor& dBias) override {
        enter();
        inner_->linearTransposedBackward(near(x), near(weight), near(dOut), near(dX), near(dWeight),
                                         near(dBias));
    }
    void activate(Activation kind, const Tensor& x, const Tensor& out) override {
        enter();
        inner_->activate(kind, near(x), near(out));
    }
    void activateBackward(Activation kind, const Tensor& x, const Tensor& dOut,
                          const Tensor& dX) override {
        enter();
        inner_->activateBackward(kind, near(x), near(dOut), near(dX));
    }
    void gate(const Tensor& a, const Tensor& b, const Tensor& out) override {
        enter();
        inner_->gate(near(a), near(b), near(out));
    }
    void gateBackward(const Tensor& a, const Tensor& b, const Tensor& dOut, const Tensor& dA,
                      const Tensor& dB) override {
        enter();
        inner_->gateBackward(near(a), near(b), near(dOut), near(dA), near(dB));
    }
    void add(const Tensor& x, const Tensor& out) override {
        enter();
        inner_->add(near(x), near(out));
    }
    void projectHeads(const Tensor& x, const Tensor& weight, const Tensor& bias,
                      const Tensor& out) override {
        enter();
        inner_->projectHeads(near(x), near(weight), near(bias), near(out));
    }
    void projectHeadsBackward(const Tensor& x, const Tensor& weight, const Tensor& dOut,
                              const Tensor& dX, const Tensor& dWeight,
                              const Tensor& dBias) override {
        enter();
        inner_->projectHeadsBackward(near(x), near(weight), near(dOut), near(dX), near(dWeight),
                                     near(dBias));
    }
    void mixHeads(const Tensor& x, const Tensor& alpha, const Tensor& out) override {
        enter();
        inner_->mixHeads(near(x), near(alpha), near(out));
    }
    void mixHeadsBackward(const Tensor& x, const Tensor& alpha, const Tensor& dOut,
                          const Tensor& dX, const Tensor& dAlpha) override {
        enter();
        inner_->mixHeadsBackward(near(x), near(alpha), near(dOut), near(dX), near(dAlpha));
    }
    void rotate(const RotaryParams& params, const Tensor& x) override {
        enter();
        inner_->rotate(params, near(x));
    }
    void append(const Tensor& rows, std::int64_t start, const Tensor& cache) override {
        enter();
        inner_->append(near(rows), start, near(cache));
    }
    void attention(const AttentionParams& params, const Tensor& q, const Tensor& k, const Tensor& v,
                   const Tensor& y, const Tensor& maps) override {
        enter();
        inner_->attention(near(params), near(q), near(k), near(v), near(y), near(maps));
    }
    void attentionBackward(const AttentionParams& params, const Tensor& q, const Tensor& k,
                           const Tensor& v, const Tensor& maps, const Tensor& dY, const Tensor& dQ,
                           const Tensor& dK, const Tensor& dV) override {
        enter();
        inner_->attentionBackward(near(params), near(q), near(k), near(v), near(maps), near(dY),
                                  near(dQ), near(dK), near(dV));
    }
    void attentionScores(const AttentionParams& params, const Tensor& q, const Tensor& k,
                         const Tensor& scores) override {
        enter();
        inner_->attentionScores(near(params), near(q), near(k), near(scores));
    }
    void attentionScoresBackward(const AttentionParams& params, const Tensor& q, const Tensor& k,
                                 const Tensor& dScores, const Tensor& dQ,
                                 const Tensor& dK) override {
        enter();
        inner_->attentionScoresBackward(near(params), near(q), near(k), near(dScores), near(dQ),
                                        near(dK));
    }
    void attentionPattern(const AttentionParams& params, const Tensor& scores,
                          const Tensor& maps) override {
        enter();
        inner_->attentionPattern(near(params), near(scores), near(maps));
    }
    void attentionPatternBackward(const AttentionParams& params, const Tensor& maps,
                                  const Tensor& dMaps, const Tensor& dScores) override {
        enter();
        inner_->attentionPatternBackward(near(params), near(maps), near(dMaps), near(dScores));
    }
    void scaleMaps(const Tensor& multiplier, const Tensor& maps) override {
        enter();
        inner_->scaleMaps(near(multiplier), near(maps));
    }
    void attentionValues(const Tensor& maps, const Tensor& v, const Tensor& y) override {
        enter();
        inner_->attentionValues(near(maps), near(v), near(y));
    }
    void attentionValuesBackward(const Tensor& maps, const Tensor& v, const Tensor& dY,
                                 const Tensor& dMaps, const Tensor& dV) override {
        enter();
        inner_->attentionValuesBackward(near(maps), near(v), near(dY), near(dMaps), near(dV));
    }
    void collapse(const Tensor& y, const Tensor& r, const Tensor& z) override {
        enter();
        inner_->collapse(near(y), near(r), near(z));
    }
    void collapseBackward(const Tensor& y, const Tensor& r, const Tensor& dZ, const Tensor& dY,
                          const Tensor& dR) override {
        enter();
        inner_->collapseBackward(near(y), near(r), near(dZ), near(dY), near(dR));
    }
    void effectiveMaps(const Tensor& maps, const Tensor& alphaV, const Tensor& r,
                       const Tensor& out) override {
        enter();
        inner_->effectiveMaps(near(maps), near(alphaV), near(r), near(out));
    }
    double crossEntropy(const Tensor& logits, const Tensor& targets, double weight,
                        const Tensor& dLogits) override {
        enter();
        return inner_->crossEntropy(near(logits), near(targets), weight, near(dLogits));
    }
    double sumOfSquares(const Tensor& x) override {
        enter();
        return inner_->sumOfSquares(near(x));
    }
    void adamw(const AdamWParams& params, const Tensor& weight, const Tensor& gradient,
               const Tensor& firstMoment, const Tensor& secondMoment) override {
        enter();
        inner_->adamw(params, near(weight), near(gradient), near(firstMoment), near(secondMoment));
    }

    FarFailure& failure() { return *failure_; }

  private:
    /// No address of x86-64 or AArch64 user space has this bit.
    static constexpr std::uintptr_t away = std::uintptr_t{1} << 62;

    static void* moved(std::byte* memory) {
        return reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(memory) ^ away);
    }
    static bool isFar(const Tensor& tensor) {
        return (reinterpret_cast<std::uintptr_t>(tensor.raw()) & away) != 0;
    }
    /// The same numbers where the inner backend finds them.
    static Tensor near(const Tensor& tensor) {
        if (!tensor) return tensor;
        if (!isFar(tensor)) throw std::logic_error("an operator was given memory of the host");
        auto* const memory =
            reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(tensor.raw()) ^ away);
        return {tensor.shape(), tensor.dtype(), std::shared_ptr<void>(memory, [tensor](void*) {})};
    }
    static AttentionParams near(AttentionParams params) {
        params.multiplier = near(params.multiplier);
        return params;
    }
    static const Tensor& onlyHost(const Tensor& tensor) {
        if (isFar(tensor)) throw std::logic_error("this is not memory of the host");
        return tensor;
    }
    std::string innerName() const { return inner_->info().name; }

    void enter() {
        ++failure_->operators;
        if (failure_->left.load() < 0) return;
        if (failure_->left.fetch_sub(1) > 0) return;
        failure_->left = failure_->forGood ? 0 : -1;
        throw BackendFailure(failure_->error);
    }

    std::unique_ptr<Backend> inner_;
    std::shared_ptr<FarFailure> failure_;
    std::string name_;
    Residents residents_;
    std::vector<std::pair<Tensor, Tensor>> downloads_;  ///< started
};

}  // namespace headloom::testing
