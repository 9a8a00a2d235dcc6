#include "tests/gpu/emulator/fence.h"

#include <cstring>

namespace headloom::gpu {

namespace {

constexpr int fenceByte = 0xA5;

void setAccess([[maybe_unused]] std::byte* from, [[maybe_unused]] std::size_t bytes,
               [[maybe_unused]] bool allowed) {
#if HEADLOOM_ASAN
    if (allowed)
        ASAN_UNPOISON_MEMORY_REGION(from, bytes);
    else
        ASAN_POISON_MEMORY_REGION(from, bytes);
#endif
}

}  // namespace

FencedMemory::FencedMemory(std::size_t bytes)
    : bytes_(bytes), block_(new std::byte[bytes + 2 * fence]) {
    std::memset(block_, fenceByte, bytes + 2 * fence);
    poison();
    setAccess(block_, fence, false);
    setAccess(data() + bytes_, fence, false);
}

FencedMemory::~FencedMemory() {
    setAccess(block_, bytes_ + 2 * fence, true);
    delete[] block_;
}

void FencedMemory::poison() {
    std::memset(data(), 0xFF, bytes_);
}

bool FencedMemory::intact() const {
    setAccess(block_, fence, true);
    setAccess(data() + bytes_, fence, true);
    bool same = true;
    for (std::size_t i = 0; i < fence; ++i)
        same = same && block_[i] == std::byte{fenceByte} &&
               block_[fence + bytes_ + i] == std::byte{fenceByte};
    setAccess(block_, fence, false);
    setAccess(data() + bytes_, fence, false);
    return same;
}

}  // namespace headloom::gpu
