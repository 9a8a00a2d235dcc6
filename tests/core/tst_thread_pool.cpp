#include "core/base/thread_pool.h"

#include <doctest/doctest.h>

#include <atomic>
#include <barrier>
#include <stdexcept>
#include <vector>

using headloom::ThreadPool;

TEST_CASE("every index is worked on once, by a worker of the pool") {
    for (const int threads : {1, 2, 5}) {
        ThreadPool pool(threads);
        CHECK(pool.size() == threads);
        for (const int count : {0, 1, 3, 200}) {
            std::vector<std::atomic<int>> calls(static_cast<std::size_t>(count));
            std::atomic<bool> inRange = true;
            pool.run(count, [&](int index, int worker) {
                ++calls[static_cast<std::size_t>(index)];
                if (worker < 0 || worker >= threads) inRange = false;
            });
            CHECK(inRange);
            for (const std::atomic<int>& called : calls) CHECK(called == 1);
        }
    }
}

TEST_CASE("a pool of less than one is a pool of one, and works in order on the caller") {
    ThreadPool pool(0);
    CHECK(pool.size() == 1);
    std::vector<int> seen;
    std::vector<std::thread::id> threads;
    pool.run(4, [&](int index, int worker) {
        CHECK(worker == 0);
        seen.push_back(index);
        threads.push_back(std::this_thread::get_id());
    });
    CHECK(seen == std::vector<int>{0, 1, 2, 3});
    for (const std::thread::id thread : threads) CHECK(thread == std::this_thread::get_id());
}

// Each call waits for all the others: it ends only if as many threads as asked for take part.
TEST_CASE("the threads work at the same time, each under its own number") {
    ThreadPool pool(3);
    std::barrier meeting(3);
    std::vector<std::atomic<int>> calls(3);
    pool.run(3, [&](int, int worker) {
        ++calls[static_cast<std::size_t>(worker)];
        meeting.arrive_and_wait();
    });
    for (const std::atomic<int>& called : calls) CHECK(called == 1);
}

TEST_CASE("an exception reaches the caller and the pool goes on working") {
    for (const int threads : {1, 3}) {
        ThreadPool pool(threads);
        const auto failing = [](int index, int) {
            if (index == 5) throw std::runtime_error("five");
        };
        CHECK_THROWS_WITH_AS(pool.run(20, failing), "five", std::runtime_error);
        std::atomic<int> calls = 0;
        pool.run(20, [&](int, int) { ++calls; });
        CHECK(calls == 20);
    }
}

// What one round wrote, the next may read on any thread.
TEST_CASE("rounds follow one another") {
    ThreadPool pool(4);
    std::vector<int> values(64, 0);
    for (int round = 0; round < 500; ++round)
        pool.run(64, [&](int index, int) {
            const std::size_t at = static_cast<std::size_t>(index);
            values[at] += 1;
        });
    CHECK(values == std::vector<int>(64, 500));
}
