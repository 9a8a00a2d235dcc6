#pragma once

#include "core/session/sweep_spec.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace headloom {

/// What came of a job: the measured recipe, or why it could not be trained.
struct SweepResult {
    Recipe recipe;  ///< with `measured`, unless there is a problem
    std::int64_t parameters = 0;
    bool goalReached = false;
    std::string problem;  ///< a sentence, such as a loss that is not finite; the same every time
};

/// The line of a job: one JSON object without a line break.
std::string sweepLine(const SweepJob& job, const SweepResult& result);

/// Where the jobs of a sweep leave their results: one file a job, named after the job and a hash of
/// its recipe, so that any number of programs may share the folder, a longer specification finds
/// what a shorter one has done, and a changed one does not take old results for its own.
class SweepFolder {
  public:
    /// Creates the folder. Error: it cannot be created.
    static Result<SweepFolder> open(const std::filesystem::path& path);
    /// A folder that need not be there.
    explicit SweepFolder(std::filesystem::path path) : path_(std::move(path)) {}

    const std::filesystem::path& path() const { return path_; }
    std::filesystem::path resultFile(const SweepJob& job) const;
    /// Of a job that someone has begun; gone once there is a result.
    std::filesystem::path checkpointFile(const SweepJob& job) const;
    bool done(const SweepJob& job) const;
    bool begun(const SweepJob& job) const;

    /// None where the job is not done. Error: a file that holds something else.
    Result<std::optional<SweepResult>> load(const SweepJob& job) const;
    /// Atomic; whoever is second replaces what says the same. Removes the checkpoint.
    Result<void> save(const SweepJob& job, const SweepResult& result) const;

  private:
    std::filesystem::path path_;
};

}  // namespace headloom
