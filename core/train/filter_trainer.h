#pragma once

#include "core/models/filter_model.h"
#include "core/train/flat_weights.h"
#include "core/train/trainer.h"

#include <memory>

namespace headloom {

/// Sums over a batch; `error / size` is the relative squared error.
struct SquaredError {
    double error = 0;  ///< of the output
    double size = 0;   ///< of the target
};

/// Trains a filter model with Adam on the relative squared error of a batch. Warm-up, cosine,
/// clipping and betas as in TrainSettings; its other fields are not looked at.
class FilterTrainer {
  public:
    /// A copy of `start` is trained, float32. Throws BackendFailure.
    FilterTrainer(const FilterConfig& config, const TrainSettings& settings, const Weights& start,
                  Backend& backend);
    /// Goes on from a state, bit for bit.
    FilterTrainer(const FilterConfig& config, const TrainSettings& settings,
                  const TrainState& state, Backend& backend);

    /// One update. x [N, B, d] and target [N, B, kd] on the host. Error: the loss or its gradient
    /// is not finite; the weights are then those of before. Throws BackendFailure.
    Result<StepReport> step(const Tensor& x, const Tensor& target);
    /// On the host: a copy to go on from.
    TrainState state() const;

    /// Without an update. Throws BackendFailure.
    SquaredError measure(const Tensor& x, const Tensor& target) const;

    std::int64_t stepsDone() const { return steps_; }
    const FilterModel& model() const { return model_; }

  private:
    struct Residual {
        Tensor x, out;  ///< out [N*B, kd] holds output minus target
        AttentionLayerResult trace;
        SquaredError squared;
    };
    Residual forward(const Tensor& x, const Tensor& target) const;

    Backend* backend_;
    TrainSettings settings_;
    FilterModel model_;
    FlatWeights gradients_;
    Weights firstMoments_, secondMoments_;
    std::int64_t steps_ = 0;
};

}  // namespace headloom
