#include "core/train/trainer.h"

#include "core/models/guarded.h"
#include "core/train/host_copy.h"
#include "core/train/non_finite.h"
#include "core/train/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace headloom {

namespace {

constexpr int mostShards = 256;

tl::unexpected<Error> impossible(std::string what, std::string remedy) {
    return fail(Error::Kind::badInput, "training settings", std::move(what), std::move(remedy));
}

/// Copies by name, so that a file in another order is read as well.
void fill(const Weights& from, const Weights& to, Backend& backend) {
    for (const auto& [name, tensor] : to.entries())
        if (const Tensor source = from.find(name)) backend.upload(source, tensor);
}

}  // namespace

Result<void> validate(const ModelConfig& config, const TrainSettings& settings) {
    if (settings.steps < 1) return impossible("there must be at least one step", "raise steps");
    if (settings.batch < 1)
        return impossible("a batch holds at least one sample", "raise the batch size");
    if (!(settings.learningRate > 0) || !std::isfinite(settings.learningRate))
        return impossible("the learning rate must be above 0", "try 0.01 or 0.003");
    if (settings.warmupSteps < 0)
        return impossible("the warm-up cannot be negative", "use 0 for none");
    if (!(settings.clipNorm >= 0))
        return impossible("the largest gradient norm cannot be negative", "use 0 for no clipping");
    if (!(settings.goal >= 0 && settings.goal <= 1))
        return impossible("the goal is a share of whole chains", "use 0 for none, at most 1");
    if (settings.shards < 0 || settings.shards > mostShards)
        return impossible(fmt::format("{} shards are out of range", settings.shards),
                          fmt::format("use 0 to {}", mostShards));
    for (const double one : {settings.mixingRate, settings.collapseRate, settings.mixingDecay,
                             settings.collapseDecay, settings.weightDecay})
        if (!(one >= 0) || !std::isfinite(one))
            return impossible("rates and decays cannot be negative",
                              "use 1 for the common rate, 0 for no decay");
    for (const LayerConfig& layer : config.layers)
        if (layer.score == ScoreKind::hard)
            return fail(Error::Kind::unsupported, "training", "hard scores have no gradient",
                        "train with softmax or linear scores");
    return {};
}

Trainer::Trainer(const BatchSource& source, const TrainSettings& settings, int threads)
    : source_(source), settings_(settings), pool_(threads) {}

Result<std::unique_ptr<Trainer>> Trainer::make(const ModelConfig& config,
                                               const TrainSettings& settings,
                                               const TrainState& state, const BatchSource& source,
                                               const std::string& backend, int threads) {
    if (auto fine = validate(config); !fine) return tl::unexpected(fine.error());
    if (auto fine = validate(config, settings); !fine) return tl::unexpected(fine.error());
    if (auto fine = checkWeights(config, state.weights); !fine) return tl::unexpected(fine.error());
    std::vector<std::unique_ptr<Backend>> backends;
    int wanted = std::clamp(settings.shards > 0 ? settings.shards : threads, 1, settings.batch);
    for (int i = 0; i < wanted; ++i) {
        auto made = makeBackend(backend, 1);
        if (!made) return tl::unexpected(made.error());
        if (!(*made)->info().isHost) wanted = 1;
        backends.push_back(std::move(*made));
    }
    std::unique_ptr<Trainer> trainer(new Trainer(source, settings, std::clamp(threads, 1, wanted)));
    return guarded([&]() -> Result<std::unique_ptr<Trainer>> {
        trainer->prepare(config, state, std::move(backends));
        return std::move(trainer);
    });
}

void Trainer::prepare(const ModelConfig& config, const TrainState& state,
                      std::vector<std::unique_ptr<Backend>> backends) {
    Backend& first = *backends.front();
    weights_ = zerosLike(state.weights, first);
    fill(state.weights, weights_, first);
    optimizer_ = std::make_unique<AdamW>(config, weights_, first);
    fill(state.firstMoments, optimizer_->firstMoments(), first);
    fill(state.secondMoments, optimizer_->secondMoments(), first);
    optimizer_->continueFrom(state.step);
    nextSample_ = state.nextSample;
    for (std::unique_ptr<Backend>& backend : backends) {
        Shard shard;
        shard.backend = std::move(backend);
        shard.decoder = std::make_unique<Decoder>(config, weights_, *shard.backend);
        shard.gradients = flatZerosLike(weights_, *shard.backend);
        shards_.push_back(std::move(shard));
    }
}

void Trainer::forward(Shard& shard, std::uint64_t first, std::int64_t count) {
    shard.batch = source_.batch(first, count);
    shard.loss = 0.0;
    auto trace = shard.decoder->forward(shard.batch.ids);
    if (trace)
        shard.trace = std::move(*trace);
    else
        shard.loss = tl::unexpected(trace.error());
}

Result<StepReport> Trainer::step() {
    return guarded([&] { return update(); });
}

Result<StepReport> Trainer::update() {
    const auto count = static_cast<int>(shards_.size());
    const std::int64_t batch = settings_.batch, step = stepsDone() + 1;
    pool_.run(count, [&](int i, int) {
        const std::int64_t begin = batch * i / count, end = batch * (i + 1) / count;
        forward(shards_[static_cast<std::size_t>(i)],
                nextSample_ + static_cast<std::uint64_t>(begin), end - begin);
    });
    std::int64_t counted = 0;
    for (const Shard& shard : shards_) {
        if (!shard.loss) return tl::unexpected(shard.loss.error());
        counted += shard.batch.counted();
    }
    const double weight = 1.0 / static_cast<double>(std::max<std::int64_t>(counted, 1));
    pool_.run(count, [&](int i, int) {
        Shard& shard = shards_[static_cast<std::size_t>(i)];
        shard.backend->zero(shard.gradients.all);
        shard.loss = shard.decoder->backward(shard.trace, shard.batch.targets, weight,
                                             shard.gradients.parts);
    });
    StepReport report;
    report.step = step;
    for (const Shard& shard : shards_) {
        if (!shard.loss) return tl::unexpected(shard.loss.error());
        report.loss += *shard.loss;
    }
    if (!std::isfinite(report.loss)) {
        Backend& backend = *shards_.front().backend;
        std::string bad = firstNonFinite(weights_, backend);
        for (const Shard& shard : shards_)
            if (bad.empty()) bad = firstNonFinite(shard.trace, *shard.backend);
        return notFinite(step, "loss", bad);
    }
    for (Shard& shard : shards_) shard.trace = {};

    const Result<double> norm = gradientNorm(step);
    if (!norm) return tl::unexpected(norm.error());
    report.gradientNorm = *norm;
    report.learningRate = learningRateAt(settings_, step);
    const double scale =
        settings_.clipNorm > 0 ? std::min(1.0, settings_.clipNorm / std::max(*norm, 1e-12)) : 1.0;
    optimizer_->step(settings_, report.learningRate, scale, shards_.front().gradients.parts);
    nextSample_ += static_cast<std::uint64_t>(batch);
    return report;
}

/// Adds the shards' gradients into the first's and measures them.
Result<double> Trainer::gradientNorm(std::int64_t step) {
    Shard& first = shards_.front();
    for (std::size_t i = 1; i < shards_.size(); ++i)
        first.backend->add(shards_[i].gradients.all, first.gradients.all);
    const double norm = std::sqrt(first.backend->sumOfSquares(first.gradients.all));
    if (std::isfinite(norm)) return norm;
    const std::string bad = firstNonFinite(first.gradients.parts, *first.backend);
    return notFinite(step, "gradient", bad.empty() ? "" : "the gradient of " + bad);
}

tl::unexpected<Error> Trainer::notFinite(std::int64_t step, const std::string& what,
                                         const std::string& tensor) const {
    return fail(Error::Kind::badInput, fmt::format("training step {}", step),
                fmt::format("the {} is not finite{}", what,
                            tensor.empty() ? "" : "; the first bad tensor is " + tensor),
                fmt::format("use a learning rate below {}", settings_.learningRate));
}

TrainState Trainer::state() const {
    Backend& backend = *shards_.front().backend;
    return {hostCopy(weights_, backend), hostCopy(optimizer_->firstMoments(), backend),
            hostCopy(optimizer_->secondMoments(), backend), optimizer_->steps(), nextSample_};
}

Weights Trainer::weights() const {
    return hostCopy(weights_, *shards_.front().backend);
}

}  // namespace headloom
