#include "gpu/cuda/status.h"

#include <cstring>
#include <string>

namespace headloom::gpu {

namespace {

std::string place(const char* file, int line) {
    const char* name = std::strrchr(file, '/');
    return std::string(name ? name + 1 : file) + ":" + std::to_string(line);
}

/// After one of these nothing more runs on the device until the process ends.
bool isLost(cudaError_t status) {
    switch (status) {
        case cudaErrorIllegalAddress:
        case cudaErrorLaunchFailure:
        case cudaErrorDevicesUnavailable:
        case cudaErrorECCUncorrectable:
        case cudaErrorHardwareStackError:
        case cudaErrorIllegalInstruction:
        case cudaErrorMisalignedAddress:
        case cudaErrorLaunchTimeout:
            return true;
        default:
            return false;
    }
}

}  // namespace

void check(cudaError_t status, const char* file, int line) {
    if (status == cudaSuccess) return;
    cudaGetLastError();  // an error that has been reported is not met again at the next launch
    const std::string said =
        std::string(cudaGetErrorString(status)) + " (" + place(file, line) + ")";
    if (status == cudaErrorMemoryAllocation)
        throw BackendFailure({Error::Kind::outOfMemory, "cuda backend", said,
                              "use a smaller model or a shorter prompt, or run it on the CPU"});
    if (isLost(status))
        throw BackendFailure({Error::Kind::unsupported, "cuda backend",
                              "the GPU does not answer any more: " + said,
                              "go on on the CPU, and start Headloom again to use the GPU"});
    throw BackendFailure({Error::Kind::unsupported, "cuda backend", said, "run this on the CPU"});
}

void check(cublasStatus_t status, const char* file, int line) {
    if (status == CUBLAS_STATUS_SUCCESS) return;
    const auto kind =
        status == CUBLAS_STATUS_ALLOC_FAILED ? Error::Kind::outOfMemory : Error::Kind::unsupported;
    throw BackendFailure(
        {kind, "cuda backend",
         std::string("cuBLAS: ") + cublasGetStatusString(status) + " (" + place(file, line) + ")",
         "run this on the CPU"});
}

}  // namespace headloom::gpu
