#include "core/backend/cuda_entry.h"
#include "tests/support/far_backend.h"

// A module such as headloom_cuda.so, for machines without CUDA: its device is far memory. Of one
// source, so that everything that can be wrong with a module is beside what is right.

namespace headloom {

namespace {

std::shared_ptr<testing::FarFailure> failure() {
    static const auto shared = std::make_shared<testing::FarFailure>();
    return shared;
}

#ifdef HEADLOOM_FAR_NO_DEVICE
std::unique_ptr<Backend> make(bool, Error* error) {
    *error = {Error::Kind::unsupported, "cuda", "this machine has no NVIDIA GPU", "use the CPU"};
    return nullptr;
}
#else
#ifdef HEADLOOM_FAR_WRONG
/// Its norms take another epsilon.
class Device : public testing::FarBackend {
  public:
    using FarBackend::FarBackend;
    void norm(NormKind kind, double epsilon, const Tensor& x, const Tensor& weight,
              const Tensor& bias, const Tensor& out, const Tensor& statistics) override {
        FarBackend::norm(kind, 1000 * epsilon, x, weight, bias, out, statistics);
    }
};
#else
using Device = testing::FarBackend;
#endif
std::unique_ptr<Backend> make(bool tf32, Error*) {
    return std::make_unique<Device>(makeCpuBackend(1), failure(), tf32 ? "cuda-tf32" : "cuda");
}
#endif

#ifdef HEADLOOM_FAR_OLD
constexpr int version = cudaAbiVersion - 1;
#else
constexpr int version = cudaAbiVersion;
#endif

[[maybe_unused]] constexpr CudaEntry entry{version, make};

}  // namespace

#ifndef HEADLOOM_FAR_NO_ENTRY
extern "C" const CudaEntry* headloom_cuda_entry() {
    return &entry;
}
#endif

/// For tests in the same process: when the device fails.
extern "C" testing::FarFailure* headloom_far_failure() {
    return failure().get();
}

}  // namespace headloom
