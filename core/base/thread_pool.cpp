#include "core/base/thread_pool.h"

#include <algorithm>

namespace headloom {

ThreadPool::ThreadPool(int threads) {
    for (int worker = 1; worker < std::max(threads, 1); ++worker)
        workers_.emplace_back([this, worker] { serve(worker); });
}

ThreadPool::~ThreadPool() {
    {
        const std::lock_guard lock(mutex_);
        stop_ = true;
    }
    wake_.notify_all();
    for (std::thread& thread : workers_) thread.join();
}

void ThreadPool::run(int count, const std::function<void(int, int)>& work) {
    if (workers_.empty() || count <= 1) {
        for (int index = 0; index < count; ++index) work(index, 0);
        return;
    }
    {
        const std::lock_guard lock(mutex_);
        work_ = &work;
        count_ = count;
        next_ = 0;
        failure_ = nullptr;
        running_ = static_cast<int>(workers_.size());
        ++round_;
    }
    wake_.notify_all();
    drain(0);
    std::unique_lock lock(mutex_);
    done_.wait(lock, [this] { return running_ == 0; });
    work_ = nullptr;
    if (failure_) std::rethrow_exception(failure_);
}

void ThreadPool::drain(int worker) {
    for (;;) {
        int index;
        {
            const std::lock_guard lock(mutex_);
            if (next_ >= count_) return;
            index = next_++;
        }
        try {
            (*work_)(index, worker);
        } catch (...) {
            const std::lock_guard lock(mutex_);
            failure_ = std::current_exception();
            next_ = count_;
        }
    }
}

void ThreadPool::serve(int worker) {
    std::uint64_t seen = 0;
    for (;;) {
        {
            std::unique_lock lock(mutex_);
            wake_.wait(lock, [&] { return stop_ || round_ != seen; });
            if (stop_) return;
            seen = round_;
        }
        drain(worker);
        const std::lock_guard lock(mutex_);
        if (--running_ == 0) done_.notify_one();
    }
}

}  // namespace headloom
