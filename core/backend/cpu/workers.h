#pragma once

#include "core/base/thread_pool.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace headloom::cpu {

/// Floats that grow and are never given back before the end; contents are lost when they grow.
class Scratch {
  public:
    /// Throws BackendFailure.
    float* atLeast(std::size_t floats);
    float* data() const { return floats_.get(); }

  private:
    struct Free {
        void operator()(float* floats) const;
    };
    std::unique_ptr<float, Free> floats_;
    std::size_t size_ = 0;
};

/// Threads with scratch memory each. Work is only ever split over outputs, so results do not depend
/// on the number of threads.
class Workers {
  public:
    explicit Workers(int threads) : pool_(threads), scratch_(pool_.size()), lists_(pool_.size()) {}

    int size() const { return pool_.size(); }

    /// Gives every worker at least this much before a loop, where a failure can be reported.
    void reserve(std::size_t floats, std::size_t integers = 0);
    float* scratch(int worker) { return scratch_[static_cast<std::size_t>(worker)].data(); }
    std::int64_t* integers(int worker) { return lists_[static_cast<std::size_t>(worker)].data(); }

    /// How many pieces are worth making of work that takes this long on one thread.
    std::int64_t pieces(double nanoseconds) const {
        if (size() == 1 || nanoseconds < 2 * worthWaking) return 1;
        return std::min<std::int64_t>(4 * size(),
                                      static_cast<std::int64_t>(nanoseconds / worthWaking));
    }

    /// body(begin, end, worker) over consecutive ranges of 0..count-1, whose bounds are multiples
    /// of `unit`; nanoseconds is a rough cost of one index.
    template <class Body>
    void ranges(std::int64_t count, std::int64_t unit, double nanoseconds, const Body& body) {
        const std::int64_t units = (count + unit - 1) / unit;
        const std::int64_t parts =
            std::min(units, pieces(static_cast<double>(count) * nanoseconds));
        if (parts <= 1) {
            if (count > 0) body(std::int64_t{0}, count, 0);
            return;
        }
        pool_.run(static_cast<int>(parts), [&](int part, int worker) {
            const std::int64_t begin = units * part / parts * unit;
            const std::int64_t end = std::min(count, units * (part + 1) / parts * unit);
            if (begin < end) body(begin, end, worker);
        });
    }

    /// body(index, worker) for 0..count-1.
    template <class Body>
    void each(std::int64_t count, double nanoseconds, const Body& body) {
        ranges(count, 1, nanoseconds, [&](std::int64_t begin, std::int64_t end, int worker) {
            for (std::int64_t index = begin; index < end; ++index) body(index, worker);
        });
    }

  private:
    /// Waking a thread and waiting for it costs some 10 us.
    static constexpr double worthWaking = 20000;

    ThreadPool pool_;
    std::vector<Scratch> scratch_;
    std::vector<std::vector<std::int64_t>> lists_;
};

}  // namespace headloom::cpu
