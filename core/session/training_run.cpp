#include "core/session/training_run.h"

#include "core/models/guarded.h"
#include "core/train/schedule.h"

#include <algorithm>
#include <chrono>
#include <ctime>

namespace headloom {

namespace {

/// Adds what passes to a number of seconds.
class Stopwatch {
  public:
    using Clock = std::chrono::steady_clock;
    /// Seconds since the last call.
    double lap() {
        const auto now = Clock::now();
        const double passed = std::chrono::duration<double>(now - last_).count();
        last_ = now;
        return passed;
    }
    /// Seconds since the last lap, which goes on.
    double passed() const { return std::chrono::duration<double>(Clock::now() - last_).count(); }

  private:
    Clock::time_point last_ = Clock::now();
};

/// CPU time of this thread where it does all the work, so that runs that share a process do not
/// count each other; else of the whole process.
double cpuClock(int threads) {
    timespec now{};
    clock_gettime(threads == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// When a run saves itself on the way.
class SaveTimer {
  public:
    explicit SaveTimer(const TrainingCallbacks& callbacks)
        : callbacks_(callbacks), wait_(callbacks.saveEvery) {}
    bool due() const {
        return callbacks_.save && callbacks_.saveEvery > 0 && since_.passed() >= wait_;
    }
    Result<void> save(const Checkpoint& checkpoint) {
        constexpr double restPerWork = 19;  // saving takes a twentieth of the time at most
        since_.lap();
        auto saved = callbacks_.save(checkpoint);
        wait_ = std::max(callbacks_.saveEvery, restPerWork * since_.lap());
        return saved;
    }

  private:
    const TrainingCallbacks& callbacks_;
    Stopwatch since_;
    double wait_;
};

/// Fresh training samples of a task.
class TaskSource : public BatchSource {
  public:
    TaskSource(const Task& task, std::uint64_t seed) : task_(task), seed_(seed) {}
    Batch batch(std::uint64_t first, std::int64_t count) const override {
        return makeBatch(task_, Split::training, seed_, first, count);
    }

  private:
    const Task& task_;
    std::uint64_t seed_;
};

Model modelOf(const Recipe& recipe, Weights weights, const Task& task) {
    Model model;
    for (const ArmInfo& arm : armsOf(recipe.task))
        if (arm.id == recipe.arm) model.name = arm.title;
    if (model.name.empty()) model.name = recipe.config.summary();
    model.config = recipe.config;
    model.weights = std::move(weights);
    model.vocabulary = task.info().vocabulary;
    model.recipe = toJson(recipe);
    return model;
}

}  // namespace

Result<std::unique_ptr<TrainingRun>> TrainingRun::start(const Recipe& recipe,
                                                        const std::string& backend, int threads) {
    if (auto fine = validate(recipe.config); !fine) return tl::unexpected(fine.error());
    Checkpoint checkpoint;
    checkpoint.recipe = recipe;
    checkpoint.recipe.measured.reset();
    checkpoint.state.weights = initialWeights(recipe.config, recipe.seed, recipe.mixing);
    return resume(checkpoint, backend, threads);
}

Result<std::unique_ptr<TrainingRun>> TrainingRun::resume(const Checkpoint& checkpoint,
                                                         const std::string& backend, int threads) {
    auto task = taskOf(checkpoint.recipe);
    if (!task) return tl::unexpected(task.error());
    if (auto fits = checkFits((*task)->info(), checkpoint.recipe.config); !fits)
        return tl::unexpected(fits.error());
    std::unique_ptr<TrainingRun> run(new TrainingRun);
    run->recipe_ = checkpoint.recipe;
    run->task_ = std::move(*task);
    run->source_ = std::make_unique<TaskSource>(*run->task_, run->recipe_.seed);
    run->threads_ = threads;
    run->seconds_ = checkpoint.seconds;
    run->cpuSeconds_ = checkpoint.cpuSeconds;
    auto trainer = Trainer::make(run->recipe_.config, run->recipe_.settings, checkpoint.state,
                                 *run->source_, backend, threads);
    if (!trainer) return tl::unexpected(trainer.error());
    run->trainer_ = std::move(*trainer);
    auto evaluator =
        Evaluator::make(*run->task_, run->recipe_.settings.evaluateExamples, backend, threads);
    if (!evaluator) return tl::unexpected(evaluator.error());
    run->evaluator_ = std::move(*evaluator);
    return run;
}

Result<TrainingEnd> TrainingRun::run(const TrainingCallbacks& callbacks) {
    // weights that are saved or evaluated come from a device, which may have gone meanwhile
    return guarded([&] { return carryOut(callbacks); });
}

Result<TrainingEnd> TrainingRun::carryOut(const TrainingCallbacks& callbacks) {
    Stopwatch total, stepping;
    const double cpuBefore = cpuSeconds_ - cpuClock(threads_);
    const auto account = [&] {
        seconds_ += total.lap();
        cpuSeconds_ = cpuBefore + cpuClock(threads_);
    };
    SaveTimer saving(callbacks);
    double lossSum = 0, sinceReport = 0;
    std::int64_t stepsSince = 0;
    while (trainer_->stepsDone() < recipe_.settings.steps) {
        if (callbacks.cancelled && callbacks.cancelled()) {
            account();
            return TrainingEnd::interrupted;
        }
        if (saving.due()) {
            account();
            if (auto saved = saving.save(checkpoint()); !saved)
                return tl::unexpected(saved.error());
        }
        stepping.lap();
        const auto report = trainer_->step();
        const double took = stepping.lap();
        if (!report) return tl::unexpected(report.error());
        stepSeconds_ += took;
        sinceReport += took;
        lossSum += report->loss;
        ++stepsSince;
        if (callbacks.stepped) callbacks.stepped(*report, cpuBefore + cpuClock(threads_));
        if (recipe_.settings.seconds > 0 && report->step >= recipe_.settings.warmupSteps)
            fitStepsToSeconds();

        const TrainSettings& settings = recipe_.settings;
        const bool last = report->step >= settings.steps;
        if (!last && (settings.evaluateEvery <= 0 || report->step % settings.evaluateEvery != 0))
            continue;
        // During training the chains are fed the true tokens: whole chains right is the same
        // number either way, and one pass measures it.
        const auto evaluation = evaluate(last);
        if (!evaluation) return tl::unexpected(evaluation.error());
        account();
        if (callbacks.progress) {
            TrainingProgress progress;
            progress.step = report->step;
            progress.steps = settings.steps;
            progress.loss = lossSum / static_cast<double>(stepsSince);
            progress.learningRate = report->learningRate;
            progress.evaluation = *evaluation;
            progress.stepsPerSecond = static_cast<double>(stepsSince) / std::max(sinceReport, 1e-9);
            progress.seconds = seconds_;
            progress.cpuSeconds = cpuSeconds_;
            callbacks.progress(progress);
        }
        lossSum = sinceReport = 0;
        stepsSince = 0;
        const bool goal = settings.goal > 0 && evaluation->teacherForced.exact >= settings.goal;
        if (!last && !goal) continue;
        measure(*evaluation);
        return goal ? TrainingEnd::goalReached : TrainingEnd::finished;
    }
    // resumed at the very end
    const auto evaluation = evaluate(true);
    if (!evaluation) return tl::unexpected(evaluation.error());
    account();
    measure(*evaluation);
    return TrainingEnd::finished;
}

void TrainingRun::fitStepsToSeconds() {
    TrainSettings& settings = recipe_.settings;
    settings.steps = stepsWithin(settings.seconds, trainer_->stepsDone(), stepSeconds_);
    settings.seconds = 0;  // from here on the recipe is one of steps, which can be repeated
    trainer_->setSteps(settings.steps);
}

Result<Evaluation> TrainingRun::evaluate(bool freeRunning) {
    return evaluator_->evaluate(recipe_.config, trainer_->weights(), freeRunning);
}

void TrainingRun::measure(const Evaluation& evaluation) {
    Measured measured;
    measured.steps = trainer_->stepsDone();
    measured.examples = evaluation.examples;
    measured.accuracy = evaluation.teacherForced.accuracy;
    measured.exact = evaluation.freeRunning.value_or(evaluation.teacherForced).exact;
    measured.seconds = seconds_;
    measured.cpuSeconds = cpuSeconds_;
    measured.backend = trainer_->device().name;
    measured.threads = threads_;
    recipe_.measured = measured;
}

Checkpoint TrainingRun::checkpoint() const {
    return {recipe_, trainer_->state(), threads_, seconds_, cpuSeconds_};
}

Model TrainingRun::model() const {
    return modelOf(recipe_, trainer_->weights(), *task_);
}

Result<Model> modelOf(const Recipe& recipe, Weights weights) {
    const auto task = taskOf(recipe);
    if (!task) return tl::unexpected(task.error());
    return modelOf(recipe, std::move(weights), **task);
}

}  // namespace headloom
