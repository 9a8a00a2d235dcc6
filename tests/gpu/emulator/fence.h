#pragma once

#include <cstddef>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HEADLOOM_ASAN 1
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define HEADLOOM_ASAN 1
#endif

#if HEADLOOM_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace headloom::gpu {

/// Bytes of known content on either side of memory that a kernel may use: a write past the end
/// changes them, and under the address sanitizer a read is an error too.
class FencedMemory {
  public:
    static constexpr std::size_t fence = 256;

    explicit FencedMemory(std::size_t bytes);
    ~FencedMemory();
    FencedMemory(const FencedMemory&) = delete;
    FencedMemory& operator=(const FencedMemory&) = delete;

    std::byte* data() const { return block_ + fence; }
    std::size_t bytes() const { return bytes_; }
    /// Makes every float and double in it a NaN: nothing may rely on what was there.
    void poison();
    bool intact() const;

  private:
    std::size_t bytes_;
    std::byte* block_;
};

}  // namespace headloom::gpu
