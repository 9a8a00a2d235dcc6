#include "gpu/cuda/device_memory.h"

#include "gpu/cuda/status.h"

#include <algorithm>
#include <bit>
#include <string>

namespace headloom::gpu {

namespace {

/// Four sizes to every power of two, so that tensors of nearly the same size share blocks.
std::size_t blockSize(std::size_t bytes) {
    bytes = std::max<std::size_t>(bytes, 1024);
    const std::size_t step = std::bit_floor(bytes - 1) / 4;
    return (bytes + step - 1) / step * step;
}

std::string inMegabytes(std::size_t bytes) {
    return std::to_string((bytes + (1 << 20) - 1) >> 20) + " MiB";
}

}  // namespace

DeviceMemory::~DeviceMemory() {
    close();
}

std::shared_ptr<void> DeviceMemory::take(std::size_t bytes) {
    const std::size_t size = blockSize(bytes);
    void* block = nullptr;
    {
        const std::lock_guard lock(mutex_);
        const auto found = kept_.find(size);
        if (found != kept_.end() && !found->second.empty()) {
            block = found->second.back();
            found->second.pop_back();
        }
    }
    if (!block && cudaMalloc(&block, size) != cudaSuccess) {
        cudaGetLastError();
        // What is kept in other sizes may be what is missing.
        const std::lock_guard lock(mutex_);
        releaseKept();
        if (const cudaError_t status = cudaMalloc(&block, size); status != cudaSuccess) {
            cudaGetLastError();
            if (status != cudaErrorMemoryAllocation) HEADLOOM_CUDA(status);
            std::size_t free = 0, total = 0;
            HEADLOOM_CUDA(cudaMemGetInfo(&free, &total));
            throw BackendFailure({Error::Kind::outOfMemory, "cuda backend",
                                  inMegabytes(size) + " of GPU memory are wanted and " +
                                      inMegabytes(free) + " are free",
                                  "use a smaller model or a shorter prompt, or run it on the CPU"});
        }
    }
    return {block, [memory = shared_from_this(), size](void* freed) { memory->give(freed, size); }};
}

void DeviceMemory::give(void* block, std::size_t size) {
    const std::lock_guard lock(mutex_);
    if (!closed_) return kept_[size].push_back(block);
    cudaSetDevice(device_);
    cudaFree(block);
}

void DeviceMemory::close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    cudaSetDevice(device_);
    releaseKept();
}

// A status here can only repeat what an operator has reported.
void DeviceMemory::releaseKept() {
    for (auto& [size, blocks] : kept_) {
        for (void* block : blocks) cudaFree(block);
        blocks.clear();
    }
}

}  // namespace headloom::gpu
