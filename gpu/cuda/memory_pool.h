#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace headloom::gpu {

/// Whose memory a pool gives out.
enum class MemoryKind {
    device,
    host  ///< page-locked: what a device can write while it goes on computing
};

/// Memory for tensors. A freed block is kept and given out again, so that a repeated step asks the
/// driver for nothing. All work of a backend is on one stream, in order: what uses a block next
/// comes after what used it last. Blocks may be freed on any thread.
class MemoryPool : public std::enable_shared_from_this<MemoryPool> {
  public:
    MemoryPool(MemoryKind kind, int device) : kind_(kind), device_(device) {}
    ~MemoryPool();
    MemoryPool(const MemoryPool&) = delete;
    MemoryPool& operator=(const MemoryPool&) = delete;

    /// At least `bytes`, contents undefined; null where there is no more. The handle keeps this
    /// object alive.
    std::shared_ptr<void> take(std::size_t bytes);
    /// While `held`, kept blocks are not released to make room: work that is recorded and has not
    /// begun uses them.
    void hold(bool held);
    /// Releases what is kept and keeps nothing from now on: the backend is gone, tensors may not
    /// be.
    void close();

  private:
    void* ask(std::size_t size);
    void release(void* block);
    void give(void* block, std::size_t size);
    void releaseKept();

    MemoryKind kind_;
    int device_;
    std::mutex mutex_;
    std::map<std::size_t, std::vector<void*>> kept_;  // by block size
    bool closed_ = false, held_ = false;
};

}  // namespace headloom::gpu
