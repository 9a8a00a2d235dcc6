#include "core/session/filter_training.h"

#include "core/base/memory.h"
#include "core/models/guarded.h"
#include "core/tasks/filter_nodes.h"
#include "core/train/host_copy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>

namespace headloom {

namespace {

constexpr std::int64_t mostSteps = 10'000'000;
constexpr int mostSamples = 100'000, evaluationBatch = 100;

tl::unexpected<Error> impossible(std::string where, std::string what, std::string remedy) {
    return fail(Error::Kind::badInput, std::move(where), std::move(what), std::move(remedy));
}

/// Adds the CPU time of this thread while it lives.
class CpuTimer {
  public:
    explicit CpuTimer(double& total) : total_(total), start_(now()) {}
    ~CpuTimer() { total_ += now() - start_; }
    CpuTimer(const CpuTimer&) = delete;
    CpuTimer& operator=(const CpuTimer&) = delete;

  private:
    static double now() {
        timespec time{};
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
    }
    double& total_;
    double start_;
};

/// Maps, values and results of one batch, forward and backward, and the evaluation set.
Result<void> checkRoom(const FilterRecipe& recipe) {
    const FilterConfig& c = recipe.config;
    const double nodes = c.nNodes, heads = c.nHeads, pseudo = c.nPseudo, width = c.width(),
                 batch = std::max(recipe.batch, evaluationBatch);
    const double cells = 2 * heads * pseudo * pseudo * nodes * nodes +
                         nodes * batch * width * (6 + 4 * pseudo) +
                         nodes * recipe.evaluateSamples * (c.dNode + width);
    return checkMemory(
        cells * sizeof(float),
        fmt::format("maps {} and {} samples a step",
                    Shape{c.nHeads, c.nPseudo, c.nPseudo, c.nNodes, c.nNodes}.text(), recipe.batch),
        "use fewer nodes, heads, pseudo-heads or samples");
}

}  // namespace

TrainSettings FilterRecipe::settings() const {
    TrainSettings settings;
    settings.steps = steps;
    settings.batch = batch;
    settings.learningRate = learningRate;
    settings.warmupSteps = steps / 20;
    settings.finalFraction = 0.01;
    settings.weightDecay = 0;
    return settings;
}

Result<void> validate(const FilterRecipe& recipe) {
    if (auto fine = validate(recipe.config); !fine) return fine;
    if (recipe.steps < 1 || recipe.steps > mostSteps)
        return impossible("steps", fmt::format("{} steps cannot be made", recipe.steps),
                          fmt::format("use 1 to {}", mostSteps));
    if (recipe.batch < 1 || recipe.batch > mostSamples)
        return impossible("batch", fmt::format("{} samples cannot be had", recipe.batch),
                          fmt::format("use 1 to {}", mostSamples));
    if (recipe.evaluateSamples < 1 || recipe.evaluateSamples > mostSamples)
        return impossible("evaluation samples",
                          fmt::format("{} samples cannot be had", recipe.evaluateSamples),
                          fmt::format("use 1 to {}", mostSamples));
    if (!(recipe.learningRate > 0) || !std::isfinite(recipe.learningRate))
        return impossible("learning rate", "must be above 0", "try 0.01");
    if (recipe.restarts < 0 || recipe.restarts > 100)
        return impossible("restarts", fmt::format("{} restarts cannot be had", recipe.restarts),
                          "use 0 for none, at most 100");
    for (const double noise : {recipe.mixing.alphaNoise, recipe.mixing.collapseNoise})
        if (!(noise >= 0) || !std::isfinite(noise))
            return impossible("mixing noise", "must be 0 or more", "try 0.3");
    return checkRoom(recipe);
}

RankFloor mhaFloor(const FilterRecipe& recipe) {
    const FilterConfig& config = recipe.config;
    return rankFloor(graphMatrix(recipe.graph, config.nNodes), config.order, config.dNode,
                     config.nHeads, recipe.evaluateSamples);
}

Result<std::unique_ptr<FilterRun>> FilterRun::start(const FilterRecipe& recipe,
                                                    const std::string& backend) {
    if (auto fine = validate(recipe); !fine) return tl::unexpected(fine.error());
    auto made = makeBackend(backend, 1);
    if (!made) return tl::unexpected(made.error());
    return guarded([&]() -> Result<std::unique_ptr<FilterRun>> {
        std::unique_ptr<FilterRun> run(new FilterRun(recipe));
        run->backend_ = std::move(*made);
        run->makeEvaluationSet();
        run->begin();
        return run;
    });
}

Result<std::unique_ptr<FilterRun>> FilterRun::resume(const FilterCheckpoint& checkpoint,
                                                     const std::string& backend) {
    if (auto fine = validate(checkpoint.recipe); !fine) return tl::unexpected(fine.error());
    auto made = makeBackend(backend, 1);
    if (!made) return tl::unexpected(made.error());
    return guarded([&]() -> Result<std::unique_ptr<FilterRun>> {
        std::unique_ptr<FilterRun> run(new FilterRun(checkpoint.recipe));
        run->backend_ = std::move(*made);
        run->makeEvaluationSet();
        run->trainer_ =
            std::make_unique<FilterTrainer>(checkpoint.recipe.config, checkpoint.recipe.settings(),
                                            checkpoint.state, *run->backend_);
        run->restarts_ = checkpoint.restarts;
        run->updates_ = checkpoint.updates;
        run->cpuSeconds_ = checkpoint.cpuSeconds;
        return run;
    });
}

void FilterRun::makeEvaluationSet() {
    for (int first = 0; first < recipe_.evaluateSamples; first += evaluationBatch)
        evaluationSet_.push_back(
            task_.batch(Split::heldOut, 0, static_cast<std::uint64_t>(first),
                        std::min(evaluationBatch, recipe_.evaluateSamples - first)));
}

FilterRun::FilterRun(const FilterRecipe& recipe)
    : recipe_(recipe),
      task_(recipe.graph, recipe.config.order, recipe.config.nNodes, recipe.config.dNode) {}

void FilterRun::begin() {
    trainer_ = std::make_unique<FilterTrainer>(
        recipe_.config, recipe_.settings(), initialWeights(recipe_.config, seed(), recipe_.mixing),
        *backend_);
    evaluatedAt_ = -1;
}

Weights FilterRun::weights() const {
    return hostCopy(model().weights(), *backend_);
}

Result<StepReport> FilterRun::update() {
    const CpuTimer timer(cpuSeconds_);
    return guarded([&] {
        const FilterBatch batch = task_.batch(
            Split::training, seed(),
            static_cast<std::uint64_t>(stepsDone()) * static_cast<std::uint64_t>(recipe_.batch),
            recipe_.batch);
        auto report = trainer_->step(batch.x, batch.target);
        updates_ += report.has_value();
        return report;
    });
}

Result<StepReport> FilterRun::step() {
    auto report = update();
    if (!report || stepsDone() != recipe_.restartStep() || restarts_ >= recipe_.restarts)
        return report;
    const auto error = evaluate();
    if (!error) return tl::unexpected(error.error());
    if (*error > recipe_.restartAbove) {
        ++restarts_;
        begin();
    }
    return report;
}

Result<double> FilterRun::evaluate() {
    if (evaluatedAt_ == updates_) return error_;
    const CpuTimer timer(cpuSeconds_);
    return guarded([&]() -> Result<double> {
        SquaredError total;
        for (const FilterBatch& batch : evaluationSet_) {
            const SquaredError part = trainer_->measure(batch.x, batch.target);
            total.error += part.error;
            total.size += part.size;
        }
        evaluatedAt_ = updates_;
        return error_ = total.error / total.size;
    });
}

FilterProgress FilterRun::progress(const StepReport& report) const {
    return {report.step, recipe_.steps,       restarts_, seed(),
            report.loss, report.learningRate, error_,    cpuSeconds_};
}

Result<FilterResult> FilterRun::run(const FilterCallbacks& callbacks) {
    while (!finished()) {
        if (callbacks.cancelled && callbacks.cancelled())
            return fail(Error::Kind::interrupted, "training",
                        fmt::format("stopped after step {}", stepsDone()));
        FilterProgress before = progress({});
        const auto report = step();
        if (!report) return tl::unexpected(report.error());
        if (restarts_ != before.restarts) {
            FilterProgress given = progress(*report);
            given.restarts = before.restarts;
            given.seed = before.seed;
            if (callbacks.restarted) callbacks.restarted(given);
            continue;
        }
        if (!callbacks.progress || recipe_.evaluateEvery <= 0 ||
            (report->step % recipe_.evaluateEvery != 0 && !finished()))
            continue;
        if (const auto error = evaluate(); !error) return tl::unexpected(error.error());
        callbacks.progress(progress(*report));
    }
    const auto error = evaluate();
    if (!error) return tl::unexpected(error.error());
    return result();
}

FilterResult FilterRun::result() const {
    return {error_, seed(), restarts_, updates_, cpuSeconds_, model().weights().parameterCount()};
}

FilterCheckpoint FilterRun::checkpoint() const {
    return {recipe_, trainer_->state(), restarts_, updates_, cpuSeconds_};
}

Model modelOf(const FilterRecipe& recipe, const Weights& weights) {
    const FilterConfig& filter = recipe.config;
    Model model;
    model.name = filter.summary();
    model.filter = filter;
    model.config.dModel = filter.width();
    model.config.nHeads = filter.nHeads;
    model.config.dVocab = model.config.nCtx = filter.nNodes;
    model.config.nSlots = 0;
    model.config.headBias = false;
    LayerConfig layer;
    layer.kind = filter.kind;
    layer.nPseudo = filter.nPseudo;
    layer.mask = MaskKind::none;
    layer.score = ScoreKind::linear;
    model.config.layers = {layer};
    for (const auto& [name, tensor] : weights.entries())
        model.weights.add("blocks.0." + name, tensor);
    model.vocabulary = nodeNames(filter.nNodes);
    return model;
}

}  // namespace headloom
