#pragma once

#include "core/backend/backend.h"
#include "core/models/weights.h"
#include "core/train/settings.h"

#include <cstdint>
#include <vector>

namespace headloom {

/// AdamW over all weights of a model (Loshchilov & Hutter 2019, decoupled decay). Matrices,
/// embeddings and learned positions decay, norms and biases do not; mixing and R go by their own
/// settings.
class AdamW {
  public:
    /// `weights` live on the backend and are updated in place. Throws BackendFailure.
    AdamW(const ModelConfig& config, Weights weights, Backend& backend);

    /// One update with the rate given; betas, epsilon and decay from the settings. `gradients` in
    /// the order of the weights, multiplied by gradientScale first. Throws BackendFailure.
    void step(const TrainSettings& settings, double learningRate, double gradientScale,
              const Weights& gradients);

    std::int64_t steps() const { return steps_; }
    const Weights& firstMoments() const { return firstMoments_; }
    const Weights& secondMoments() const { return secondMoments_; }
    /// Continues after `steps` updates; the caller has filled the moments.
    void continueFrom(std::int64_t steps) { steps_ = steps; }

  private:
    Backend* backend_;
    Weights weights_, firstMoments_, secondMoments_;
    std::vector<WeightRole> roles_;
    std::int64_t steps_ = 0;
};

}  // namespace headloom
