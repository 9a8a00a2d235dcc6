#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace headloom::gpu {

/// A block of the emulator as its kernel sees it (gpu/kernels/block.h). The threads are fibers of
/// one host thread; each runs until it comes to a barrier or a warp collective, then another one,
/// chosen at random, goes on.
class Block {
  public:
    /// What runs the threads.
    class Scheduler {
      public:
        virtual void barrier() = 0;
        /// Leaves `mine` for the other lanes of the warp, waits for theirs and gives that of
        /// `lane xor mask`.
        virtual std::uint64_t exchange(std::uint64_t mine, int mask) = 0;
        virtual int current() const = 0;

      protected:
        ~Scheduler() = default;
    };

    Block(Scheduler& scheduler, std::int64_t index, int threads, std::byte* shared)
        : scheduler_(scheduler), index_(index), threads_(threads), shared_(shared) {}

    std::int64_t index() const { return index_; }
    int thread() const { return scheduler_.current(); }
    int threads() const { return threads_; }
    std::byte* shared() { return shared_; }
    void sync() { scheduler_.barrier(); }
    template <class T>
    T shuffleXor(T value, int mask) {
        static_assert(sizeof(T) <= sizeof(std::uint64_t));
        std::uint64_t bits = 0;
        std::memcpy(&bits, &value, sizeof(T));
        bits = scheduler_.exchange(bits, mask);
        std::memcpy(&value, &bits, sizeof(T));
        return value;
    }

  private:
    Scheduler& scheduler_;
    std::int64_t index_;
    int threads_;
    std::byte* shared_;
};

}  // namespace headloom::gpu
