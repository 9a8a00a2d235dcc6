#include "gpu/cuda/memory_pool.h"

#include "core/base/block_size.h"
#include "gpu/cuda/status.h"

namespace headloom::gpu {

MemoryPool::~MemoryPool() {
    close();
}

std::shared_ptr<void> MemoryPool::take(std::size_t bytes) {
    const std::size_t size = blockSize(bytes, 1024);
    void* block = nullptr;
    {
        const std::lock_guard lock(mutex_);
        const auto found = kept_.find(size);
        if (found != kept_.end() && !found->second.empty()) {
            block = found->second.back();
            found->second.pop_back();
        }
    }
    if (!block) block = ask(size);
    if (!block) {
        // What is kept in other sizes may be what is missing.
        const std::lock_guard lock(mutex_);
        if (!held_) {
            releaseKept();
            block = ask(size);
        }
    }
    if (!block) return nullptr;
    return {block, [pool = shared_from_this(), size](void* freed) { pool->give(freed, size); }};
}

void MemoryPool::hold(bool held) {
    const std::lock_guard lock(mutex_);
    held_ = held;
}

/// Null where there is no memory; any other trouble is thrown.
void* MemoryPool::ask(std::size_t size) {
    void* block = nullptr;
    const cudaError_t status = kind_ == MemoryKind::device
                                   ? cudaMalloc(&block, size)
                                   : cudaHostAlloc(&block, size, cudaHostAllocDefault);
    if (status == cudaSuccess) return block;
    cudaGetLastError();
    if (status != cudaErrorMemoryAllocation) HEADLOOM_CUDA(status);
    return nullptr;
}

void MemoryPool::give(void* block, std::size_t size) {
    const std::lock_guard lock(mutex_);
    if (!closed_) return kept_[size].push_back(block);
    cudaSetDevice(device_);
    release(block);
}

void MemoryPool::close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    cudaSetDevice(device_);
    releaseKept();
}

// A status here can only repeat what an operator has reported.
void MemoryPool::release(void* block) {
    if (kind_ == MemoryKind::device)
        cudaFree(block);
    else
        cudaFreeHost(block);
}

void MemoryPool::releaseKept() {
    for (auto& [size, blocks] : kept_) {
        for (void* block : blocks) release(block);
        blocks.clear();
    }
}

}  // namespace headloom::gpu
