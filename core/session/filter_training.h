#pragma once

#include "core/models/model.h"
#include "core/models/rank_floor.h"
#include "core/tasks/graph_filter.h"
#include "core/train/filter_trainer.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace headloom {

/// The lesson "the rank floor": MHA with H heads has H maps and cannot apply k > H filters, however
/// long it trains; IHA with as many heads has up to H^2 maps.
struct FilterRecipe {
    FilterGraph graph = FilterGraph::shift;
    FilterConfig config;
    MixingInit mixing;
    std::uint64_t seed = 0;
    std::int64_t steps = 1500;
    double learningRate = 1e-2;
    int batch = 16;
    int evaluateSamples = 1000;  ///< fixed, fresh, the same for every arm and seed
    std::int64_t evaluateEvery = 100;
    /// The restart rule: a run whose error is above restartAbove after three fifths of its steps
    /// (step 900 of 1,500) starts again with new weights and samples, at most this often. It asks
    /// neither the kind of arm nor its floor.
    int restarts = 0;

    static constexpr double restartAbove = 0.1;
    static constexpr std::uint64_t seedsApart = 1000;  ///< between a run and its restart
    std::int64_t restartStep() const { return steps * 3 / 5; }
    /// Adam, 5 % warm-up, cosine to 1 %, gradient norm at most 1.
    TrainSettings settings() const;
};

/// The first thing that makes a recipe impossible, as a sentence with a remedy.
Result<void> validate(const FilterRecipe& recipe);

/// What no MHA with these heads can go below, on the recipe's evaluation set.
RankFloor mhaFloor(const FilterRecipe& recipe);

struct FilterProgress {
    std::int64_t step = 0, steps = 0;  ///< of this attempt
    int restarts = 0;                  ///< so far
    std::uint64_t seed = 0;            ///< of this attempt
    double loss = 0;                   ///< relative squared error of the last batch
    double learningRate = 0;
    double relativeError = 0;  ///< on the evaluation set
    double cpuSeconds = 0;     ///< of the whole run, restarts and evaluations included
};

struct FilterCallbacks {
    std::function<void(const FilterProgress&)> progress;   ///< after every evaluation
    std::function<void(const FilterProgress&)> restarted;  ///< the attempt that was given up
    std::function<bool()> cancelled;                       ///< polled before every step
};

struct FilterResult {
    double relativeError = 0;
    std::uint64_t seed = 0;    ///< of the attempt that was kept
    int restarts = 0;          ///< attempts that were given up
    std::int64_t updates = 0;  ///< of all attempts
    double cpuSeconds = 0;     ///< of all attempts, evaluations included
    std::int64_t parameters = 0;
};

/// A run at rest: everything that decides how it goes on.
struct FilterCheckpoint {
    FilterRecipe recipe;
    TrainState state;  ///< of this attempt
    int restarts = 0;
    std::int64_t updates = 0;  ///< of all attempts
    double cpuSeconds = 0;
};

/// The filter with these weights, as columns show it: a token a node, an attention layer with
/// linear scores, weights under the names of a decoder's first layer.
Model modelOf(const FilterRecipe& recipe, const Weights& weights);

/// A filter recipe being carried out, by one thread. The same recipe gives the same bits.
class FilterRun {
  public:
    /// Errors: an impossible recipe; a backend that cannot be had.
    static Result<std::unique_ptr<FilterRun>> start(const FilterRecipe& recipe,
                                                    const std::string& backend);

    /// Goes on where a checkpoint stopped, bit for bit. Errors: those of start.
    static Result<std::unique_ptr<FilterRun>> resume(const FilterCheckpoint& checkpoint,
                                                     const std::string& backend);

    /// One update; where the restart rule says so, the next one is the first of a new attempt.
    Result<StepReport> step();
    /// Whether the last attempt has made all its steps.
    bool finished() const { return trainer_->stepsDone() >= recipe_.steps; }
    /// Trains to the end. Error: cancelled (Error::Kind::interrupted); it may be called again to go
    /// on. Not finite numbers: see FilterTrainer::step.
    Result<FilterResult> run(const FilterCallbacks& callbacks);

    /// Mean squared error over that of predicting zero, on the evaluation set.
    Result<double> evaluate();
    const FilterRecipe& recipe() const { return recipe_; }
    std::int64_t stepsDone() const { return trainer_->stepsDone(); }  ///< of this attempt
    std::int64_t updates() const { return updates_; }                 ///< of all attempts
    /// Updates of all attempts when this one has ended.
    std::int64_t updatesToEnd() const { return updates_ - stepsDone() + recipe_.steps; }
    int restarts() const { return restarts_; }
    std::uint64_t seed() const { return recipe_.seed + recipe_.seedsApart * attempts(); }
    double cpuSeconds() const { return cpuSeconds_; }
    /// For pictures: tiles and effective maps of now, weights as they are trained.
    const FilterModel& model() const { return trainer_->model(); }
    FilterCheckpoint checkpoint() const;
    FilterResult result() const;  ///< as evaluated last
    /// A copy of the weights as trained so far, on the host.
    Weights weights() const;

  private:
    explicit FilterRun(const FilterRecipe& recipe);
    std::uint64_t attempts() const { return static_cast<std::uint64_t>(restarts_); }
    void begin();
    void makeEvaluationSet();
    Result<StepReport> update();
    FilterProgress progress(const StepReport& report) const;

    FilterRecipe recipe_;
    GraphFilter task_;
    std::unique_ptr<Backend> backend_;
    std::unique_ptr<FilterTrainer> trainer_;
    std::vector<FilterBatch> evaluationSet_;
    int restarts_ = 0;
    std::int64_t updates_ = 0;
    double cpuSeconds_ = 0;
    double error_ = 1;               ///< of the last evaluation
    std::int64_t evaluatedAt_ = -1;  ///< updates_ then
};

}  // namespace headloom
