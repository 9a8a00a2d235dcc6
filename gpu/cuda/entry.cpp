#include "core/backend/cuda_entry.h"
#include "gpu/backend/device_backend.h"

#include <exception>

namespace headloom {

namespace {

std::unique_ptr<Backend> make(bool tf32, Error* error) {
    try {
        int count = 0;  // without a driver the call leaves it as it is
        const cudaError_t status = cudaGetDeviceCount(&count);
        cudaGetLastError();
        if (status == cudaErrorInsufficientDriver || status == cudaErrorSystemDriverMismatch) {
            *error = {Error::Kind::unsupported, "cuda backend",
                      "there is no NVIDIA driver, or it is older than this build's CUDA " +
                          std::to_string(CUDART_VERSION / 1000),
                      "install or update the driver, or use the CPU"};
            return nullptr;
        }
        if (status != cudaSuccess && status != cudaErrorNoDevice) HEADLOOM_CUDA(status);
        if (count == 0) {
            *error = {Error::Kind::unsupported, "cuda backend", "this machine has no NVIDIA GPU",
                      "use the CPU"};
            return nullptr;
        }
        return std::make_unique<gpu::DeviceBackend>(std::make_unique<gpu::Runtime>(0, tf32));
    } catch (const BackendFailure& failure) {
        *error = failure.error();
    } catch (const std::exception& failure) {
        *error = {Error::Kind::unsupported, "cuda backend", failure.what(), "use the CPU"};
    }
    return nullptr;
}

constexpr CudaEntry entry{cudaAbiVersion, make};

}  // namespace

extern "C" __attribute__((visibility("default"))) const CudaEntry* headloom_cuda_entry() {
    return &entry;
}

}  // namespace headloom
