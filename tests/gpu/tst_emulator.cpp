#include "gpu/kernels/block.h"

#include <doctest/doctest.h>
#include <gpu_runtime.h>

#include <cstring>
#include <functional>
#include <vector>

// The emulator is only worth what it catches: every kernel here but the first has a fault that a
// device might let pass.

using namespace headloom::gpu;

namespace {

constexpr int threads = 64;

std::vector<float> numbers(Runtime& runtime, const std::shared_ptr<void>& memory, int count) {
    std::vector<float> host(static_cast<std::size_t>(count));
    runtime.toHost(memory.get(), host.data(), host.size() * sizeof(float));
    return host;
}

/// to[block] = the sum of the block's thread numbers, with or without the barrier between writing
/// and reading.
struct SumThreads {
    float* to;
    bool withBarrier = true;
    template <class Block>
    void operator()(Block& block) const {
        auto* shared = reinterpret_cast<float*>(block.shared());
        shared[block.thread()] = static_cast<float>(block.thread());
        if (withBarrier) block.sync();
        if (block.thread() != 0) return;
        float sum = 0;
        for (int other = 0; other < block.threads(); ++other) sum += shared[other];
        to[block.index()] = sum;
    }
};

struct WriteAt {
    float* to;
    Index end;
    template <class Block>
    void operator()(Block& block) const {
        if (block.thread() < end) to[block.thread()] = 1;
    }
};

struct WriteShared {
    Index end;
    template <class Block>
    void operator()(Block& block) const {
        if (block.thread() < end) reinterpret_cast<float*>(block.shared())[block.thread()] = 1;
    }
};

/// Half of the threads wait where the others do not come.
struct WaitApart {
    template <class Block>
    void operator()(Block& block) const {
        if (block.thread() % 2 == 0)
            block.sync();
        else
            warpReduce(block, 1.f, Plus{});
    }
};

/// One lane leaves before its warp adds up.
struct LeaveEarly {
    template <class Block>
    void operator()(Block& block) const {
        if (block.thread() == 3) return;
        warpReduce(block, 1.f, Plus{});
    }
};

struct ReduceAll {
    float* to;
    template <class Block>
    void operator()(Block& block) const {
        auto* scratch = reinterpret_cast<float*>(block.shared());
        const float sum = blockReduce(block, float(block.thread()), scratch, Plus{});
        const float most = blockReduce(block, float(block.thread()), scratch + lanes, Larger{});
        to[2 * block.thread()] = sum;
        to[2 * block.thread() + 1] = most;
    }
};

}  // namespace

TEST_CASE("reductions give every thread the result, whatever the order of threads") {
    for (const std::uint64_t seed : {1, 2, 3}) {
        Runtime runtime({.seed = seed});
        const auto memory = runtime.allocate(2 * threads * sizeof(float));
        runtime.launch({1, threads, 2 * lanes * sizeof(float)},
                       ReduceAll{static_cast<float*>(memory.get())});
        const auto got = numbers(runtime, memory, 2 * threads);
        for (int thread = 0; thread < threads; ++thread) {
            CHECK(got[2 * thread] == 63 * 64 / 2);
            CHECK(got[2 * thread + 1] == 63);
        }
    }
}

TEST_CASE("a missing barrier shows: what has not been written yet is not a number") {
    Runtime runtime({});
    const auto memory = runtime.allocate(2 * sizeof(float));
    auto* to = static_cast<float*>(memory.get());
    runtime.launch({2, threads, threads * sizeof(float)}, SumThreads{to, true});
    CHECK(numbers(runtime, memory, 2) == std::vector<float>{2016, 2016});
    runtime.launch({2, threads, threads * sizeof(float)}, SumThreads{to, false});
    const auto got = numbers(runtime, memory, 2);
    CHECK(got[0] != got[0]);
    CHECK(got[1] != got[1]);
}

TEST_CASE("waiting in different places is a fault, and the next launch runs") {
    Runtime runtime({});
    CHECK_THROWS_WITH_AS(runtime.launch({1, threads, 0}, WaitApart{}),
                         doctest::Contains("in different places"), KernelFault);
    CHECK_THROWS_WITH_AS(runtime.launch({1, threads, 0}, LeaveEarly{}),
                         doctest::Contains("31 at a warp collective"), KernelFault);
    const auto memory = runtime.allocate(sizeof(float));
    runtime.launch({1, threads, threads * sizeof(float)},
                   SumThreads{static_cast<float*>(memory.get())});
    CHECK(numbers(runtime, memory, 1).front() == 2016);
}

TEST_CASE("what no device would start is a fault") {
    Runtime runtime({});
    const auto memory = runtime.allocate(64 * sizeof(float));
    const WriteAt kernel{static_cast<float*>(memory.get()), 1};
    CHECK_THROWS_AS(runtime.launch({1, 33, 0}, kernel), KernelFault);
    CHECK_THROWS_AS(runtime.launch({1, 2048, 0}, kernel), KernelFault);
    CHECK_THROWS_AS(runtime.launch({1, 32, 1 << 20}, kernel), KernelFault);
}

#if !HEADLOOM_ASAN  // which ends the program at the write itself
TEST_CASE("an index one too far is a fault") {
    Runtime runtime({});
    const auto memory = runtime.allocate(32 * sizeof(float));
    auto* to = static_cast<float*>(memory.get());
    CHECK_NOTHROW(runtime.launch({1, threads, 0}, WriteAt{to, 32}));
    CHECK_THROWS_WITH_AS(runtime.launch({1, threads, 0}, WriteAt{to, 33}),
                         doctest::Contains("wrote outside a block of 128 bytes"), KernelFault);
    Runtime other({});
    CHECK_NOTHROW(other.launch({1, threads, 32 * sizeof(float)}, WriteShared{32}));
    CHECK_THROWS_WITH_AS(other.launch({1, threads, 32 * sizeof(float)}, WriteShared{33}),
                         doctest::Contains("outside its shared memory"), KernelFault);
}
#endif

TEST_CASE("memory ends, is said to, and comes back") {
    Runtime runtime({.memory = 1000});
    auto memory = runtime.allocate(900);
    CHECK_THROWS_WITH(runtime.allocate(200),
                      "cuda backend: no memory for 200 bytes, 100 are free; "
                      "use a smaller model or a shorter prompt.");
    memory.reset();
    CHECK(runtime.allocate(200));
}
