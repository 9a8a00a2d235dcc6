#include "core/session/learning_run.h"

#include "core/models/weights.h"

namespace headloom {

namespace {

std::size_t bytesOf(const TrainState& state) {
    std::size_t sum = 0;
    for (const Weights* part : {&state.weights, &state.firstMoments, &state.secondMoments})
        for (const auto& [name, tensor] : part->entries()) sum += tensor.bytes();
    return sum;
}

class TokenLearning : public LearningRun {
  public:
    explicit TokenLearning(std::unique_ptr<TrainingRun> run) : run_(std::move(run)) {}

    Result<TrainingEnd> run(const Events& events) override {
        TrainingCallbacks callbacks;
        callbacks.cancelled = events.cancelled;
        callbacks.stepped = [&events](const StepReport& report, double cpuSeconds) {
            events.stepped(report.step, report.loss, cpuSeconds);
        };
        callbacks.progress = [&events](const TrainingProgress& progress) {
            const Score& score = progress.evaluation.teacherForced;
            events.scored({progress.step, progress.cpuSeconds, score.accuracy, score.exact, {}});
        };
        return run_->run(callbacks);
    }
    std::int64_t step() const override { return run_->step(); }
    std::int64_t steps() const override { return run_->recipe().settings.steps; }
    double cpuSeconds() const override { return run_->cpuSeconds(); }
    std::optional<LearningOutcome> outcome() const override {
        const auto& measured = run_->recipe().measured;
        if (!measured) return std::nullopt;
        return LearningOutcome{measured->exact, {}, measured->cpuSeconds};
    }
    LearningMoment moment() const override {
        return LearningMoment(std::make_shared<const Checkpoint>(run_->checkpoint()));
    }
    Model model() const override { return run_->model(); }

  private:
    std::unique_ptr<TrainingRun> run_;
};

class FilterLearning : public LearningRun {
  public:
    explicit FilterLearning(std::unique_ptr<FilterRun> run) : run_(std::move(run)) {}

    Result<TrainingEnd> run(const Events& events) override {
        while (!run_->finished()) {
            if (events.cancelled()) return TrainingEnd::interrupted;
            const auto report = run_->step();
            if (!report) return tl::unexpected(report.error());
            events.stepped(run_->updates(), report->loss, run_->cpuSeconds());
            if (run_->recipe().evaluateEvery > 0 &&
                run_->stepsDone() % run_->recipe().evaluateEvery == 0 && !run_->finished())
                if (auto done = evaluate(events); !done) return tl::unexpected(done.error());
        }
        if (auto done = evaluate(events); !done) return tl::unexpected(done.error());
        return TrainingEnd::finished;
    }
    std::int64_t step() const override { return run_->updates(); }
    std::int64_t steps() const override { return run_->updatesToEnd(); }
    int restarts() const override { return run_->restarts(); }
    double cpuSeconds() const override { return run_->cpuSeconds(); }
    std::optional<LearningOutcome> outcome() const override {
        if (!run_->finished()) return std::nullopt;
        return LearningOutcome{0, run_->result().relativeError, run_->cpuSeconds()};
    }
    LearningMoment moment() const override {
        return LearningMoment(std::make_shared<const FilterCheckpoint>(run_->checkpoint()));
    }
    Model model() const override {
        return modelOf(run_->recipe(), run_->checkpoint().state.weights);
    }

  private:
    Result<void> evaluate(const Events& events) {
        const auto error = run_->evaluate();
        if (!error) return tl::unexpected(error.error());
        events.scored({run_->updates(), run_->cpuSeconds(), 0, 0, *error});
        return {};
    }

    std::unique_ptr<FilterRun> run_;
};

template <class Learning, class Run>
Result<std::unique_ptr<LearningRun>> wrapped(Result<std::unique_ptr<Run>> run) {
    if (!run) return tl::unexpected(run.error());
    return std::make_unique<Learning>(std::move(*run));
}

}  // namespace

LearningMoment::LearningMoment(State state) : state_(std::move(state)) {
    if (const auto* tokens = std::get_if<0>(&state_)) {
        step_ = (*tokens)->state.step;
        bytes_ = bytesOf((*tokens)->state);
    } else {
        const FilterCheckpoint& filter = *std::get<1>(state_);
        step_ = filter.updates;
        bytes_ = bytesOf(filter.state);
    }
}

double LearningMoment::cpuSeconds() const {
    return std::visit([](const auto& at) { return at->cpuSeconds; }, state_);
}

Result<Model> LearningMoment::model() const {
    return std::visit(
        [](const auto& at) -> Result<Model> { return modelOf(at->recipe, at->state.weights); },
        state_);
}

Result<std::unique_ptr<LearningRun>> startLearning(const LearningRecipe& recipe,
                                                   const std::string& backend) {
    if (const auto* tokens = std::get_if<Recipe>(&recipe))
        return wrapped<TokenLearning>(TrainingRun::start(*tokens, backend, 1));
    return wrapped<FilterLearning>(FilterRun::start(std::get<FilterRecipe>(recipe), backend));
}

Result<std::unique_ptr<LearningRun>> resumeLearning(const LearningMoment& moment,
                                                    const std::string& backend) {
    if (const auto* tokens = std::get_if<0>(&moment.state()))
        return wrapped<TokenLearning>(TrainingRun::resume(**tokens, backend, 1));
    return wrapped<FilterLearning>(FilterRun::resume(*std::get<1>(moment.state()), backend));
}

Result<Model> firstModel(const LearningRecipe& recipe) {
    return std::visit(
        [](const auto& one) -> Result<Model> {
            return modelOf(one, initialWeights(one.config, one.seed, one.mixing));
        },
        recipe);
}

SavedFilter savedFilter(const FilterCheckpoint& moment, const LearningCurve& curve) {
    SavedFilter saved{moment.recipe, {}, moment.state.weights};
    FilterResult& result = saved.result;
    result.relativeError = 1;  // of predicting zero: nothing was measured yet
    for (const ScorePoint& score : curve.scores)
        if (score.step <= moment.updates) result.relativeError = score.error.value_or(1);
    const auto attempts = static_cast<std::uint64_t>(moment.restarts);
    result.seed = moment.recipe.seed + FilterRecipe::seedsApart * attempts;
    result.restarts = moment.restarts;
    result.updates = moment.updates;
    result.cpuSeconds = moment.cpuSeconds;
    result.parameters = moment.state.weights.parameterCount();
    return saved;
}

LearningRecipe seeded(LearningRecipe recipe, std::uint64_t seed) {
    std::visit([seed](auto& one) { one.seed = seed; }, recipe);
    return recipe;
}

std::int64_t stepsOf(const LearningRecipe& recipe) {
    if (const auto* tokens = std::get_if<Recipe>(&recipe)) return tokens->settings.steps;
    return std::get<FilterRecipe>(recipe).steps;
}

}  // namespace headloom
