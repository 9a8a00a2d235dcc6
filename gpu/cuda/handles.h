#pragma once

#include "gpu/cuda/status.h"

namespace headloom::gpu {

/// Work in order, beside that of other backends.
class Stream {
  public:
    Stream() { HEADLOOM_CUDA(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
    ~Stream() { cudaStreamDestroy(stream_); }
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;
    cudaStream_t get() const { return stream_; }
    void finish() const { HEADLOOM_CUDA(cudaStreamSynchronize(stream_)); }

  private:
    cudaStream_t stream_ = nullptr;
};

/// cuBLAS on a stream, in plain float32: TF32 would round inputs to 10 bits.
class Blas {
  public:
    explicit Blas(const Stream& stream) {
        HEADLOOM_CUDA(cublasCreate(&handle_));
        HEADLOOM_CUDA(cublasSetStream(handle_, stream.get()));
        HEADLOOM_CUDA(cublasSetMathMode(handle_, CUBLAS_PEDANTIC_MATH));
    }
    ~Blas() { cublasDestroy(handle_); }
    Blas(const Blas&) = delete;
    Blas& operator=(const Blas&) = delete;
    cublasHandle_t get() const { return handle_; }

  private:
    cublasHandle_t handle_ = nullptr;
};

}  // namespace headloom::gpu
