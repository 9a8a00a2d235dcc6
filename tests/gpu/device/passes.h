#pragma once

#include "core/models/decoder.h"

#include <cstdint>

namespace headloom::device {

/// Token numbers [B, N] below `vocabulary`, the same on every backend.
Tensor randomIds(std::int64_t batch, std::int64_t tokens, int vocabulary);

/// The weights in float64, for `reference`.
Weights inDouble(const Weights& weights);

/// A copy on the backend that may be written, which `place` does not give.
Weights ownCopy(const Weights& weights, Backend& backend);

/// A token after those in the cache, as a session decodes: all its work handed over at once where
/// that can be. Its logits [1, 1, V] on the host.
Result<Tensor> decodeToken(const Decoder& decoder, const Tensor& id, KvCache& cache,
                           Backend& backend);

/// Forward, cross-entropy with every token to be answered by the next number, backward, AdamW. Its
/// epsilon is far above the rounding of a gradient: one that is 0 but for that makes no step.
class TrainingStep {
  public:
    /// `weights` lie on the backend and are changed.
    TrainingStep(const ModelConfig& config, const Weights& weights, Backend& backend);

    /// The loss before the update.
    Result<double> operator()(const Tensor& ids);
    /// Of the last step, one tensor a parameter.
    const Weights& gradients() const { return gradients_; }

  private:
    Backend* backend_;
    Decoder decoder_;
    Weights gradients_, first_, second_;
    AdamWParams adamw_;
};

}  // namespace headloom::device
