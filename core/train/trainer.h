#pragma once

#include "core/base/thread_pool.h"
#include "core/models/decoder.h"
#include "core/train/adamw.h"
#include "core/train/batch_source.h"
#include "core/train/flat_weights.h"
#include "core/train/settings.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace headloom {

/// Everything that decides how training goes on; host tensors. A trainer made from it continues bit
/// for bit on the same machine with the same number of shards.
struct TrainState {
    Weights weights, firstMoments, secondMoments;
    std::int64_t step = 0;         ///< updates made
    std::uint64_t nextSample = 0;  ///< number of the first sample not yet seen
};

/// What one update did.
struct StepReport {
    std::int64_t step = 0;    ///< counts from 1
    double loss = 0;          ///< of the batch, before the update
    double gradientNorm = 0;  ///< before clipping
    double learningRate = 0;
};

/// The first thing that makes a training impossible, as a sentence with a remedy. The configuration
/// itself is taken to be valid.
Result<void> validate(const ModelConfig& config, const TrainSettings& settings);

/// Trains a decoder on fresh samples. A batch is cut into shards, one a thread or as many as the
/// settings say, each with a backend of its own; the shards' gradients are added in the order of
/// the shards, so a run is repeatable bit for bit for the same number of shards. A backend that is
/// not the host gets one shard.
class Trainer {
  public:
    /// A fresh start has moments and counters of zero: pass only the weights. `source` must outlive
    /// the trainer. Errors: an unknown backend, impossible settings, hard scores, no memory.
    static Result<std::unique_ptr<Trainer>> make(const ModelConfig& config,
                                                 const TrainSettings& settings,
                                                 const TrainState& state, const BatchSource& source,
                                                 const std::string& backend, int threads);

    /// One update. A loss or gradient that is not finite is an error that names the first bad
    /// tensor; the weights are then those of before.
    Result<StepReport> step();

    const TrainSettings& settings() const { return settings_; }
    /// The length of the run, hence the shape of the schedule from here on.
    void setSteps(std::int64_t steps) { settings_.steps = steps; }
    std::int64_t stepsDone() const { return optimizer_->steps(); }
    /// What it computes on ("auto" decided).
    DeviceInfo device() const { return shards_.front().backend->info(); }

    TrainState state() const;
    /// A copy of the weights, on the host.
    Weights weights() const;

  private:
    struct Shard {
        std::unique_ptr<Backend> backend;
        std::unique_ptr<Decoder> decoder;
        FlatWeights gradients;
        Batch batch;
        ActivationTrace trace;
        Result<double> loss = 0.0;
    };

    Trainer(const BatchSource& source, const TrainSettings& settings, int threads);
    void prepare(const ModelConfig& config, const TrainState& state,
                 std::vector<std::unique_ptr<Backend>> backends);
    Result<StepReport> update();
    void forward(Shard& shard, std::uint64_t first, std::int64_t count);
    Result<double> gradientNorm(std::int64_t step);
    tl::unexpected<Error> notFinite(std::int64_t step, const std::string& what,
                                    const std::string& tensor) const;

    const BatchSource& source_;
    TrainSettings settings_;
    ThreadPool pool_;
    std::vector<Shard> shards_;
    Weights weights_;  ///< on the backend
    std::unique_ptr<AdamW> optimizer_;
    std::uint64_t nextSample_ = 0;
};

}  // namespace headloom
