#pragma once

#include "core/models/model.h"
#include "core/session/checkpoint.h"
#include "core/session/evaluate.h"
#include "core/session/recipe.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace headloom {

/// Where a training stands; sent after every evaluation.
struct TrainingProgress {
    std::int64_t step = 0, steps = 0;
    double loss = 0;  ///< mean over the batches since the last report
    double learningRate = 0;
    Evaluation evaluation;
    double stepsPerSecond = 0;           ///< since the last report, without evaluations
    double seconds = 0, cpuSeconds = 0;  ///< of the whole run, resumed parts included
};

struct TrainingCallbacks {
    /// After every update; CPU seconds of the whole run, evaluations included.
    std::function<void(const StepReport&, double cpuSeconds)> stepped;
    std::function<void(const TrainingProgress&)> progress;
    std::function<bool()> cancelled;  ///< polled before every step
    /// Called between steps every `saveEvery` seconds, less often where saving would take more than
    /// a twentieth of the time. An error ends the run.
    std::function<Result<void>(const Checkpoint&)> save;
    double saveEvery = 0;  ///< 0: never
};

/// A recipe's model with these weights.
Result<Model> modelOf(const Recipe& recipe, Weights weights);

enum class TrainingEnd {
    finished,     ///< all steps made; the goal, if there is one, not reached
    goalReached,  ///< at an evaluation, the last one included
    interrupted
};

/// A recipe being carried out. One thread calls it.
class TrainingRun {
  public:
    /// `threads` shards a batch. Errors: those of Trainer::make; an unknown task.
    static Result<std::unique_ptr<TrainingRun>> start(const Recipe& recipe,
                                                      const std::string& backend, int threads);
    /// Goes on where a checkpoint stopped, bit for bit if it has as many threads.
    static Result<std::unique_ptr<TrainingRun>> resume(const Checkpoint& checkpoint,
                                                       const std::string& backend, int threads);

    /// Trains to the end, the goal, or until cancelled; may be called again after that last one.
    /// Where settings.seconds is set, the speed of the warm-up decides the number of steps.
    Result<TrainingEnd> run(const TrainingCallbacks& callbacks);

    /// The recipe; `measured` is there once run() has come to the end.
    const Recipe& recipe() const { return recipe_; }
    std::int64_t step() const { return trainer_->stepsDone(); }
    double cpuSeconds() const { return cpuSeconds_; }
    Checkpoint checkpoint() const;
    /// As trained so far, with the recipe in it.
    Model model() const;

  private:
    TrainingRun() = default;
    Result<TrainingEnd> carryOut(const TrainingCallbacks& callbacks);
    Result<Evaluation> evaluate(bool freeRunning);
    void fitStepsToSeconds();
    void measure(const Evaluation& evaluation);

    Recipe recipe_;
    std::unique_ptr<Task> task_;
    std::unique_ptr<BatchSource> source_;
    std::unique_ptr<Trainer> trainer_;
    std::unique_ptr<Evaluator> evaluator_;
    int threads_ = 1;
    double stepSeconds_ = 0;  ///< spent in steps by this process
    double seconds_ = 0, cpuSeconds_ = 0;
};

}  // namespace headloom
