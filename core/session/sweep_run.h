#pragma once

#include "core/session/sweep_folder.h"

#include <functional>
#include <string>
#include <vector>

namespace headloom {

struct SweepOptions {
    std::string backend = "auto";
    int threads = 1;
    double saveEvery = 1;             ///< seconds between checkpoints; 0: only when cancelled
    std::function<bool()> cancelled;  ///< polled before every step
};

/// Trains a job, from its checkpoint if there is one, and saves its line. A training that breaks
/// down is a result with a problem. Error: a folder that cannot be written; cancelled, with the
/// checkpoint saved (Error::Kind::interrupted).
Result<SweepResult> runSweepJob(const SweepJob& job, const SweepFolder& folder,
                                const SweepOptions& options);

/// The next job to do, or none: first one that nobody has begun, then one that somebody left, or
/// is at; doing that twice is only a waste.
const SweepJob* nextSweepJob(const std::vector<SweepJob>& jobs, const SweepFolder& folder);

}  // namespace headloom
