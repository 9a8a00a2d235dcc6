#pragma once

#include "core/session/learning_run.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace headloom {

/// One kind of model in a comparison; trained once a seed.
struct LiveArm {
    std::string name;       ///< "IHA, 2 heads x 2"
    LearningRecipe recipe;  ///< its seed is replaced by each seed of the comparison
};

struct LiveOptions {
    std::string backend = "auto";
    int workers = 1;              ///< runs that advance at the same time
    double sliceSeconds = 0.025;  ///< a run's turn, hence how often pictures move
    std::size_t momentBytes = std::size_t{256} << 20;  ///< memory for moments to go back to
    int momentsPerRun = 100;                           ///< wanted; fewer where memory is short
};

enum class RunState { waiting, running, finished, goalReached, failed };

/// Where one run stands; a copy that nothing changes any more.
struct LiveRun {
    int arm = 0;
    std::uint64_t seed = 0;
    RunState state = RunState::waiting;
    std::string problem;               ///< why it failed, as a sentence
    std::string notice;                ///< why it computes on the processor now; empty: by choice
    std::int64_t step = 0, steps = 0;  ///< of a filter: updates of all attempts
    int restarts = 0;                  ///< attempts that were given up
    double seconds = 0;                ///< CPU time so far
    LearningCurve curve;
    std::vector<std::int64_t> moments;       ///< steps to go back to, rising
    std::optional<LearningOutcome> outcome;  ///< once it has ended
};

struct LivePicture {
    bool running = false;  ///< started and not stopped; false once every run has ended
    std::vector<LiveRun> runs;
    std::size_t momentBytes = 0, momentLimit = 0;
};

/// Several recipes trained side by side, each over several seeds, in turns of some milliseconds, so
/// that all curves grow together and any run can be watched. Every run is single-threaded and comes
/// out as if trained alone, bit for bit; but where a device fails, its run goes on from the last
/// moment on the processor. All methods return at once and may be called from any thread.
class LiveTraining {
  public:
    /// Starts stopped. `news` is called from the workers after a turn, and must not wait for them.
    LiveTraining(std::vector<LiveArm> arms, std::vector<std::uint64_t> seeds,
                 const LiveOptions& options, std::function<void()> news);
    ~LiveTraining();  // stops and joins
    LiveTraining(const LiveTraining&) = delete;
    LiveTraining& operator=(const LiveTraining&) = delete;

    /// Runs in the order arm by arm, seed by seed: number = arm * seeds + seed index.
    int runCount() const;
    void start();
    /// Goes no further after the steps in progress. `start` goes on.
    void stop();
    LivePicture picture() const;

    /// Which runs' weights are copied after their turns; replaces the earlier choice.
    void watch(std::vector<int> runs);
    /// A watched run's newest weights; null before its first turn.
    std::shared_ptr<const Model> latest(int run) const;
    /// The model at a kept moment. Errors: no such moment.
    Result<Model> modelAt(int run, std::int64_t step) const;
    /// The run at a kept moment, to go on from. Errors: no such moment.
    Result<std::shared_ptr<const LearningMoment>> momentAt(int run, std::int64_t step) const;
    /// Takes a run back to a kept moment; what came after is forgotten. Errors: no such moment.
    Result<void> rewind(int run, std::int64_t step);

    /// Waits until no worker has anything to do; for tests and pictures.
    void finish();

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace headloom
