#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace headloom::cpu {

/// Memory for tensors. A freed block is kept and given out again, so that a repeated step of
/// training or decoding touches no fresh pages. Blocks may be freed on any thread.
class BlockPool : public std::enable_shared_from_this<BlockPool> {
  public:
    static constexpr std::size_t alignment = 64;

    BlockPool() = default;
    ~BlockPool();
    BlockPool(const BlockPool&) = delete;
    BlockPool& operator=(const BlockPool&) = delete;

    /// At least `bytes`, contents undefined. Throws std::bad_alloc. The handle keeps the pool
    /// alive.
    std::shared_ptr<void> take(std::size_t bytes);
    /// Releases what is kept and keeps nothing from now on: the owner is gone, tensors may not be.
    void close();

    std::size_t keptBytes() const;

  private:
    void give(void* block, std::size_t size);
    void release(std::vector<void*>& blocks);

    mutable std::mutex mutex_;
    std::map<std::size_t, std::vector<void*>> kept_;  // by block size
    std::size_t keptBytes_ = 0, usedBytes_ = 0, mostUsed_ = 0;
    bool closed_ = false;
};

}  // namespace headloom::cpu
