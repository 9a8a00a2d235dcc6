#pragma once

#include "gpu/cuda/status.h"

#include <memory>
#include <utility>

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

/// A moment of one stream that another can wait for.
class Event {
  public:
    Event() { HEADLOOM_CUDA(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming)); }
    ~Event() { cudaEventDestroy(event_); }
    Event(const Event&) = delete;
    Event& operator=(const Event&) = delete;
    void record(const Stream& stream) const {
        HEADLOOM_CUDA(cudaEventRecord(event_, stream.get()));
    }
    void makeWait(const Stream& stream) const {
        HEADLOOM_CUDA(cudaStreamWaitEvent(stream.get(), event_, 0));
    }

  private:
    cudaEvent_t event_ = nullptr;
};

/// cuBLAS on a stream, in plain float32 unless `tf32` lets it round factors to 10 bits. Its
/// workspace is given: what it would allocate itself cannot go into a graph.
class Blas {
  public:
    static constexpr std::size_t workspaceBytes = 32u << 20;  // NVIDIA's advice for sm_90

    Blas(const Stream& stream, std::shared_ptr<void> workspace, bool tf32)
        : workspace_(std::move(workspace)) {
        HEADLOOM_CUDA(cublasCreate(&handle_));
        HEADLOOM_CUDA(cublasSetStream(handle_, stream.get()));
        HEADLOOM_CUDA(cublasSetWorkspace(handle_, workspace_.get(), workspaceBytes));
        HEADLOOM_CUDA(
            cublasSetMathMode(handle_, tf32 ? CUBLAS_TF32_TENSOR_OP_MATH : CUBLAS_PEDANTIC_MATH));
    }
    ~Blas() { cublasDestroy(handle_); }
    Blas(const Blas&) = delete;
    Blas& operator=(const Blas&) = delete;
    cublasHandle_t get() const { return handle_; }

  private:
    std::shared_ptr<void> workspace_;
    cublasHandle_t handle_ = nullptr;
};

}  // namespace headloom::gpu
