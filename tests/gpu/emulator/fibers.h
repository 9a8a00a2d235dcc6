#pragma once

#include "core/base/rng.h"
#include "tests/gpu/emulator/block.h"

#include <boost/context/fiber.hpp>

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace headloom::gpu {

/// A kernel did what a device does not allow.
class KernelFault : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// Runs the threads of a block as fibers, in an order drawn from a seed. In every other block some
/// warps run far ahead of others, which is where a missing barrier shows.
class Fibers final : public Block::Scheduler {
  public:
    explicit Fibers(std::uint64_t seed);
    ~Fibers();

    /// body once in each of `threads` fibers; every thread walks through the barrier with the
    /// number `skippedBarrier`, from 0. Throws KernelFault where threads wait for each other in
    /// different places.
    void run(int threads, const std::function<void()>& body, int skippedBarrier = -1);

    void barrier() override;
    std::uint64_t exchange(std::uint64_t mine, int mask) override;
    int current() const override { return current_; }
    /// Most barriers that a thread came to in the last run.
    int barriers() const { return mostBarriers_; }

  private:
    enum class State { ready, atBarrier, atExchange, finished };
    struct Thread {
        State state = State::ready;
        boost::context::fiber fiber, caller;
        std::uint64_t left[2] = {};  ///< two exchanges, so that a slow lane still finds the last
        int exchanges = 0, barriers = 0;
    };
    struct Stack;
    struct Abandoned {};

    /// A ready thread, taken out of those that are.
    int choose();
    void start(int thread, const std::function<void()>& body);
    void resume(int thread);
    void wait(State state);
    /// Lets the threads go on that wait at a barrier if all do; false: none can.
    bool release();
    /// Lets the lanes of a warp go on if all wait at an exchange; one that has ended is missing.
    void releaseWarp(int first);
    std::string stuck() const;

    Rng rng_;
    int skippedBarrier_ = -1, current_ = 0, mostBarriers_ = 0;
    bool abandoned_ = false, favours_ = false;
    std::vector<std::uint32_t> favour_;  ///< of every warp
    std::vector<Thread> threads_;
    std::vector<std::unique_ptr<Stack>> stacks_;
    std::vector<int> ready_;
    const void* callerStack_ = nullptr;
    std::size_t callerStackSize_ = 0;
};

}  // namespace headloom::gpu
