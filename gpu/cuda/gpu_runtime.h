#pragma once

#include "gpu/backend/product.h"
#include "gpu/cuda/handles.h"
#include "gpu/cuda/memory_pool.h"
#include "gpu/cuda/step_graph.h"

#include <functional>
#include <memory>
#include <string>

namespace headloom::gpu {

/// A block on the device, as gpu/kernels/block.h wants it.
struct Block {
    __device__ Index index() const { return blockIdx.x; }
    __device__ int thread() const { return static_cast<int>(threadIdx.x); }
    __device__ int threads() const { return static_cast<int>(blockDim.x); }
    __device__ std::byte* shared() {
        extern __shared__ double memory[];  // of the widest type that kernels keep there
        return reinterpret_cast<std::byte*>(memory);
    }
    __device__ void sync() { __syncthreads(); }
    template <class T>
    __device__ T shuffleXor(T value, int mask) {
        return __shfl_xor_sync(0xFFFFFFFFu, value, mask);
    }
};

template <class Kernel>
__global__ void runKernel(Kernel kernel) {
    Block block;
    kernel(block);
}

/// One GPU: its memory, a stream for work and one for copies beside it, cuBLAS. Everything is
/// queued; only toHost and finishToHost wait.
class Runtime {
  public:
    /// Throws BackendFailure.
    Runtime(int device, bool tf32);
    ~Runtime();
    Runtime(const Runtime&) = delete;
    Runtime& operator=(const Runtime&) = delete;

    /// "CUDA, NVIDIA H200, 139 GiB".
    std::string description() const { return description_; }
    bool tf32() const { return tf32_; }
    /// Where all work is queued: for events that measure it.
    cudaStream_t stream() const { return stream_->get(); }
    /// Most shared memory of a block.
    std::size_t sharedBytes() const { return sharedBytes_; }
    /// Throws BackendFailure with the bytes wanted and free.
    std::shared_ptr<void> allocate(std::size_t bytes);
    /// Page-locked memory of the host, or null where the system gives no more of it.
    std::shared_ptr<void> allocateHost(std::size_t bytes) { return hostMemory_->take(bytes); }
    void zero(void* to, std::size_t bytes);
    void toDevice(const void* host, void* device, std::size_t bytes);
    void toHost(const void* device, void* host, std::size_t bytes);
    /// On the stream for copies, after all that has been queued. Both sides must stay until
    /// finishToHost or settleDownloads has returned.
    void startToHost(const void* device, void* host, std::size_t bytes);
    void finishToHost() { copies_->finish(); }
    /// The same where nobody wants the numbers or a failure any more.
    void settleDownloads() noexcept { cudaStreamSynchronize(copies_->get()); }
    void multiply(const Product& product);
    /// `work` as one graph, which may not wait for its own numbers.
    void together(const std::function<void()>& work);

    template <class Kernel>
    void launch(const Launch& how, const Kernel& kernel) {
        // Above 48 KiB a kernel must say that it means it.
        if (how.sharedBytes > (48u << 10))
            HEADLOOM_CUDA(cudaFuncSetAttribute(runKernel<Kernel>,
                                               cudaFuncAttributeMaxDynamicSharedMemorySize,
                                               static_cast<int>(how.sharedBytes)));
        runKernel<<<static_cast<unsigned>(how.blocks), static_cast<unsigned>(how.threads),
                    how.sharedBytes, stream_->get()>>>(kernel);
        HEADLOOM_CUDA(cudaGetLastError());
    }

  private:
    int device_;
    bool tf32_;
    std::string description_;
    std::size_t sharedBytes_ = 0;
    std::shared_ptr<MemoryPool> memory_, hostMemory_;
    std::unique_ptr<Stream> stream_, copies_;
    std::unique_ptr<Event> queued_;
    std::unique_ptr<Blas> blas_;
    StepGraph graph_;
};

}  // namespace headloom::gpu
