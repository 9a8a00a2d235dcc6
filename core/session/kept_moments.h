#pragma once

#include "core/session/learning_run.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace headloom {

/// Moments of several runs to go back to, in bounded memory. Where they no longer fit, moments
/// that lie closest to their neighbours go first, so that what is left still spans every run.
class KeptMoments {
  public:
    KeptMoments(int runs, std::size_t limitBytes);

    /// A moment of a run at a later step than those it has.
    void keep(int run, std::shared_ptr<const LearningMoment> moment);
    /// Forgets what came after `step`.
    void rewindTo(int run, std::int64_t step);

    /// Steps of a run's moments, rising.
    std::vector<std::int64_t> steps(int run) const;
    /// The moment at exactly `step`; null where it is not kept.
    std::shared_ptr<const LearningMoment> at(int run, std::int64_t step) const;

    std::size_t bytes() const { return bytes_; }
    std::size_t limit() const { return limit_; }

  private:
    using Run = std::vector<std::shared_ptr<const LearningMoment>>;

    void thin();
    void drop(Run& run, std::size_t index);

    std::vector<Run> runs_;
    std::size_t limit_ = 0, bytes_ = 0;
};

}  // namespace headloom
