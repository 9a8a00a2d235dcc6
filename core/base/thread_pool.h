#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace headloom {

/// A fixed set of threads for loops whose iterations are independent. The caller takes part, so a
/// pool of one starts no thread at all.
class ThreadPool {
  public:
    explicit ThreadPool(int threads);
    ~ThreadPool();
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    int size() const { return static_cast<int>(workers_.size()) + 1; }

    /// Calls work(index, worker) for every index in 0..count-1, worker in 0..size()-1, and returns
    /// when all are done. Indices are handed out one at a time in rising order. Not reentrant: work
    /// must not call run on the same pool. An exception from work is rethrown here.
    void run(int count, const std::function<void(int index, int worker)>& work);

  private:
    void serve(int worker);
    void drain(int worker);

    std::vector<std::thread> workers_;
    std::mutex mutex_;
    std::condition_variable wake_, done_;
    const std::function<void(int, int)>* work_ = nullptr;
    int count_ = 0, next_ = 0, running_ = 0;
    std::uint64_t round_ = 0;
    bool stop_ = false;
    std::exception_ptr failure_;
};

}  // namespace headloom
