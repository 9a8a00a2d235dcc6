#pragma once

#include "core/base/error.h"

#include <cublas_v2.h>
#include <cuda_runtime.h>

namespace headloom::gpu {

/// Turns a status that is not success into BackendFailure: out of memory with the bytes that are
/// free, a device that is gone, or what the library says, with the line that asked.
void check(cudaError_t status, const char* file, int line);
void check(cublasStatus_t status, const char* file, int line);

}  // namespace headloom::gpu

#define HEADLOOM_CUDA(call) ::headloom::gpu::check((call), __FILE__, __LINE__)
