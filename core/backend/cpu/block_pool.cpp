#include "core/backend/cpu/block_pool.h"

#include "core/base/block_size.h"

#include <algorithm>
#include <cstdlib>
#include <new>

namespace headloom::cpu {

BlockPool::~BlockPool() {
    close();
}

std::shared_ptr<void> BlockPool::take(std::size_t bytes) {
    const std::size_t size = blockSize(bytes, 4 * alignment);
    void* block = nullptr;
    {
        const std::lock_guard lock(mutex_);
        const auto found = kept_.find(size);
        if (found != kept_.end() && !found->second.empty()) {
            block = found->second.back();
            found->second.pop_back();
            keptBytes_ -= size;
        }
        usedBytes_ += size;
    }
    if (!block) block = std::aligned_alloc(alignment, size);
    if (!block) {
        // What is kept in other sizes may be what is missing.
        const std::lock_guard lock(mutex_);
        for (auto& [other, blocks] : kept_) release(blocks);
        keptBytes_ = 0;
        block = std::aligned_alloc(alignment, size);
        if (!block) usedBytes_ -= size;
    }
    if (!block) throw std::bad_alloc();
    {
        const std::lock_guard lock(mutex_);
        mostUsed_ = std::max(mostUsed_, usedBytes_);
    }
    return {block, [pool = shared_from_this(), size](void* freed) { pool->give(freed, size); }};
}

void BlockPool::give(void* block, std::size_t size) {
    {
        const std::lock_guard lock(mutex_);
        usedBytes_ -= size;
        // Used and kept together never exceed what was once in use at a time.
        if (!closed_ && usedBytes_ + keptBytes_ + size <= mostUsed_) {
            kept_[size].push_back(block);
            keptBytes_ += size;
            return;
        }
    }
    std::free(block);
}

void BlockPool::close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    for (auto& [size, blocks] : kept_) release(blocks);
    kept_.clear();
    keptBytes_ = 0;
}

void BlockPool::release(std::vector<void*>& blocks) {
    for (void* block : blocks) std::free(block);
    blocks.clear();
}

std::size_t BlockPool::keptBytes() const {
    const std::lock_guard lock(mutex_);
    return keptBytes_;
}

}  // namespace headloom::cpu
