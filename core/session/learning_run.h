#pragma once

#include "core/session/filter_file.h"
#include "core/session/learning_curve.h"
#include "core/session/training_run.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>

namespace headloom {

/// What a run of a comparison learns: tokens, or a bank of graph filters.
using LearningRecipe = std::variant<Recipe, FilterRecipe>;

/// A moment of a run to go back to.
class LearningMoment {
  public:
    using State =
        std::variant<std::shared_ptr<const Checkpoint>, std::shared_ptr<const FilterCheckpoint>>;
    explicit LearningMoment(State state);

    const State& state() const { return state_; }
    std::int64_t step() const { return step_; }  ///< of a filter: updates of all attempts
    double cpuSeconds() const;
    /// Memory that it takes: weights and both moments of the optimizer.
    std::size_t bytes() const { return bytes_; }
    Result<Model> model() const;

  private:
    State state_;
    std::int64_t step_ = 0;
    std::size_t bytes_ = 0;
};

/// What a run came to.
struct LearningOutcome {
    double exact = 0;             ///< share of whole samples (or rows) right; of a filter unused
    std::optional<double> error;  ///< of a filter: relative squared error on fresh samples
    double cpuSeconds = 0;
};

/// A recipe being carried out, whatever it learns. One thread calls it.
class LearningRun {
  public:
    struct Events {
        std::function<void(std::int64_t step, double loss, double cpuSeconds)> stepped;
        std::function<void(const ScorePoint&)> scored;  ///< after every evaluation
        std::function<bool()> cancelled;                ///< polled before every step
    };

    virtual ~LearningRun() = default;
    /// Trains to the end, the goal, or until cancelled; may be called again after that last one.
    virtual Result<TrainingEnd> run(const Events& events) = 0;
    virtual std::int64_t step() const = 0;
    virtual std::int64_t steps() const = 0;  ///< that it will have made at its end
    virtual int restarts() const { return 0; }
    virtual double cpuSeconds() const = 0;
    virtual std::optional<LearningOutcome> outcome() const = 0;  ///< once it has ended
    virtual LearningMoment moment() const = 0;
    virtual Model model() const = 0;
};

/// Single-threaded. Errors: an impossible recipe; a backend that cannot be had.
Result<std::unique_ptr<LearningRun>> startLearning(const LearningRecipe& recipe,
                                                   const std::string& backend);
/// Goes on at a moment, bit for bit.
Result<std::unique_ptr<LearningRun>> resumeLearning(const LearningMoment& moment,
                                                    const std::string& backend);
/// The model as it begins.
Result<Model> firstModel(const LearningRecipe& recipe);
/// A filter's moment as a file holds it, with the error that was measured last on its way there.
SavedFilter savedFilter(const FilterCheckpoint& moment, const LearningCurve& curve);
/// The recipe with another seed.
LearningRecipe seeded(LearningRecipe recipe, std::uint64_t seed);
/// Updates of a recipe without restarts.
std::int64_t stepsOf(const LearningRecipe& recipe);

}  // namespace headloom
