#include "tests/gpu/emulator/fibers.h"

#include "gpu/kernels/block.h"
#include "tests/gpu/emulator/fence.h"

#include <boost/context/preallocated.hpp>

#include <algorithm>
#include <utility>

namespace headloom::gpu {

/// Kept from block to block.
struct Fibers::Stack {
    static constexpr std::size_t size = 64 << 10;
    alignas(64) std::byte memory[size];
};

namespace {

/// Gives a stack of ours to a fiber and does not take it back.
struct Lent {
    void deallocate(boost::context::stack_context&) {}
};

// What the address sanitizer must know of stacks that change under it.
void leaving([[maybe_unused]] void** keep, [[maybe_unused]] const void* stack,
             [[maybe_unused]] std::size_t size) {
#if HEADLOOM_ASAN
    __sanitizer_start_switch_fiber(keep, stack, size);
#endif
}
void arrived([[maybe_unused]] void* kept, [[maybe_unused]] const void** from,
             [[maybe_unused]] std::size_t* size) {
#if HEADLOOM_ASAN
    __sanitizer_finish_switch_fiber(kept, from, size);
#endif
}

}  // namespace

Fibers::Fibers(std::uint64_t seed) : rng_(seed) {}
Fibers::~Fibers() = default;

void Fibers::run(int threads, const std::function<void()>& body, int skippedBarrier) {
    skippedBarrier_ = skippedBarrier;
    mostBarriers_ = 0;
    threads_.clear();
    threads_.resize(static_cast<std::size_t>(threads));
    ready_.clear();
    abandoned_ = false;
    favours_ = !favours_;
    favour_.clear();
    for (int warp = 0; warp < threads / lanes; ++warp) favour_.push_back(rng_.bits());
    for (int thread = 0; thread < threads; ++thread) start(thread, body);
    int finished = 0;
    std::string fault;
    while (finished < threads) {
        if (ready_.empty() && !release()) {
            fault = stuck();
            // Each wakes up, throws what its frame catches, and so ends.
            abandoned_ = true;
            for (int thread = 0; thread < threads; ++thread)
                if (threads_[static_cast<std::size_t>(thread)].state != State::finished)
                    ready_.push_back(thread);
        }
        const int thread = choose();
        resume(thread);
        const State state = threads_[static_cast<std::size_t>(thread)].state;
        finished += state == State::finished;
        if (state == State::atExchange) releaseWarp(thread / lanes * lanes);
    }
    for (const Thread& thread : threads_) mostBarriers_ = std::max(mostBarriers_, thread.barriers);
    if (!fault.empty()) throw KernelFault(fault);
}

int Fibers::choose() {
    const auto drawn = [this] { return rng_.below(static_cast<std::uint32_t>(ready_.size())); };
    const auto favour = [this](std::size_t at) {
        return favour_[static_cast<std::size_t>(ready_[at] / lanes)];
    };
    std::size_t chosen = drawn();
    for (int more = 0; favours_ && more < 7; ++more)
        if (const std::size_t other = drawn(); favour(other) > favour(chosen)) chosen = other;
    const int thread = std::exchange(ready_[chosen], ready_.back());
    ready_.pop_back();
    return thread;
}

void Fibers::start(int number, const std::function<void()>& body) {
    const auto at = static_cast<std::size_t>(number);
    if (stacks_.size() <= at) stacks_.push_back(std::make_unique<Stack>());
    boost::context::stack_context stack;
    stack.sp = stacks_[at]->memory + Stack::size;
    stack.size = Stack::size;
    threads_[at].fiber = boost::context::fiber(
        std::allocator_arg, boost::context::preallocated(stack.sp, stack.size, stack), Lent{},
        [this, at, &body](boost::context::fiber&& caller) {
            arrived(nullptr, &callerStack_, &callerStackSize_);
            threads_[at].caller = std::move(caller);
            try {
                body();
            } catch (const Abandoned&) {  // NOLINT: the fault is reported by run()
            }
            threads_[at].state = State::finished;
            leaving(nullptr, callerStack_, callerStackSize_);
            return std::move(threads_[at].caller);
        });
    ready_.push_back(number);
}

void Fibers::resume(int number) {
    current_ = number;
    Thread& thread = threads_[static_cast<std::size_t>(number)];
    const Stack& stack = *stacks_[static_cast<std::size_t>(number)];
    void* kept = nullptr;
    leaving(&kept, stack.memory, Stack::size);
    thread.fiber = std::move(thread.fiber).resume();
    arrived(kept, nullptr, nullptr);
}

void Fibers::wait(State state) {
    Thread& thread = threads_[static_cast<std::size_t>(current_)];
    thread.state = state;
    void* kept = nullptr;
    leaving(&kept, callerStack_, callerStackSize_);
    thread.caller = std::move(thread.caller).resume();
    arrived(kept, nullptr, nullptr);
    if (abandoned_) throw Abandoned{};
}

void Fibers::barrier() {
    Thread& thread = threads_[static_cast<std::size_t>(current_)];
    if (thread.barriers++ != skippedBarrier_) wait(State::atBarrier);
}

std::uint64_t Fibers::exchange(std::uint64_t mine, int mask) {
    const auto me = static_cast<std::size_t>(current_);
    const auto other = static_cast<std::size_t>(current_ ^ mask);
    const int turn = threads_[me].exchanges++ % 2;
    threads_[me].left[turn] = mine;
    wait(State::atExchange);
    return threads_[other].left[turn];
}

bool Fibers::release() {
    const auto waits = [](const Thread& thread) {
        return thread.state == State::atBarrier || thread.state == State::finished;
    };
    if (!std::all_of(threads_.begin(), threads_.end(), waits)) return false;
    for (std::size_t at = 0; at < threads_.size(); ++at)
        if (threads_[at].state == State::atBarrier) {
            threads_[at].state = State::ready;
            ready_.push_back(static_cast<int>(at));
        }
    return !ready_.empty();
}

void Fibers::releaseWarp(int first) {
    const auto begin = threads_.begin() + first, end = begin + lanes;
    if (!std::all_of(begin, end, [](const Thread& t) { return t.state == State::atExchange; }))
        return;
    for (auto lane = begin; lane != end; ++lane) {
        lane->state = State::ready;
        ready_.push_back(static_cast<int>(lane - threads_.begin()));
    }
}

std::string Fibers::stuck() const {
    int counts[4] = {};
    for (const Thread& thread : threads_) ++counts[static_cast<int>(thread.state)];
    return "threads wait for each other in different places: " +
           std::to_string(counts[static_cast<int>(State::atBarrier)]) + " at a barrier, " +
           std::to_string(counts[static_cast<int>(State::atExchange)]) + " at a warp collective, " +
           std::to_string(counts[static_cast<int>(State::finished)]) + " have ended";
}

}  // namespace headloom::gpu
