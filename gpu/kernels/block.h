#pragma once

#include <cstddef>
#include <cstdint>

// Kernels are written once, in headers that nvcc compiles for the device and any C++20 compiler for
// the block emulator in tests/gpu. A kernel is a struct of its arguments with
//
//     template <class Block> HEADLOOM_DEVICE void operator()(Block& block) const;
//
// run by every thread of every block. A Block has
//     index()              number of this block in the grid, from 0
//     thread(), threads()  number of this thread and how many the block has, a multiple of `lanes`
//     shared()             the block's shared memory, as many bytes as its launch asked for
//     sync()               barrier: every thread of the block must come here
//     shuffleXor(v, mask)  v of lane (own number xor mask) of this warp; all its lanes must come
//     here
#if defined(__CUDACC__)
#define HEADLOOM_DEVICE __device__
#define HEADLOOM_ANYWHERE __host__ __device__
#else
#define HEADLOOM_DEVICE
#define HEADLOOM_ANYWHERE
#endif

namespace headloom::gpu {

using Index = std::int64_t;

/// Threads of a warp on every GPU there is.
inline constexpr int lanes = 32;

/// How a kernel is started.
struct Launch {
    Index blocks = 0;
    int threads = 128;
    std::size_t sharedBytes = 0;  ///< of every block
};

HEADLOOM_ANYWHERE constexpr Index divideUp(Index count, Index by) {
    return (count + by - 1) / by;
}

/// combine over the values of all lanes of a warp; every lane gets it. Lanes combine in pairs, so
/// the order does not depend on timing.
template <class Block, class T, class Combine>
HEADLOOM_DEVICE T warpReduce(Block& block, T value, Combine combine) {
    for (int mask = lanes / 2; mask > 0; mask /= 2)
        value = combine(value, block.shuffleXor(value, mask));
    return value;
}

/// combine over the values of all threads; every thread gets it. `scratch`: `lanes` numbers of
/// shared memory that nothing else uses before the next barrier.
template <class Block, class T, class Combine>
HEADLOOM_DEVICE T blockReduce(Block& block, T value, T* scratch, Combine combine) {
    value = warpReduce(block, value, combine);
    if (block.thread() % lanes == 0) scratch[block.thread() / lanes] = value;
    block.sync();
    T total = scratch[0];
    for (int warp = 1; warp < block.threads() / lanes; ++warp)
        total = combine(total, scratch[warp]);
    return total;
}

struct Plus {
    template <class T>
    HEADLOOM_DEVICE T operator()(T a, T b) const {
        return a + b;
    }
};
struct Larger {
    // NaN wins: a broken number must not vanish in a maximum.
    HEADLOOM_DEVICE float operator()(float a, float b) const { return a != a || a > b ? a : b; }
};

/// body(i) for every i below count, one a thread.
template <class Body>
struct ForEach {
    Index count;
    Body body;

    template <class Block>
    HEADLOOM_DEVICE void operator()(Block& block) const {
        const Index at = block.index() * block.threads() + block.thread();
        if (at < count) body(at);
    }
};

}  // namespace headloom::gpu
