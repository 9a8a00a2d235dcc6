#pragma once

#include <cstdint>

namespace headloom {

/// How a model is trained: AdamW, linear warm-up, cosine to a fraction, gradient clipping. Defaults
/// are those of the toy tasks.
struct TrainSettings {
    std::int64_t steps = 1500;
    double seconds = 0;  ///< stop after this much time; 0: no limit
    int batch = 32;
    double learningRate = 1e-2;
    std::int64_t warmupSteps = 100;
    double finalFraction = 0.1;  ///< of the learning rate, at the last step
    double beta1 = 0.9, beta2 = 0.98, epsilon = 1e-8;
    double weightDecay = 0.01;  ///< on matrices and embeddings; never on norms and biases
    /// Of the mixing (alpha) and of the collapse (R): a factor on the learning rate, and a decay of
    /// their own.
    double mixingRate = 1, mixingDecay = 0, collapseRate = 1, collapseDecay = 0;
    double clipNorm = 1.0;  ///< largest gradient norm; 0: no clipping
    std::int64_t evaluateEvery = 100;
    int evaluateExamples = 1000;
    /// Parts that a batch is cut into, whose gradients are added in order: with a fixed number the
    /// result does not depend on the number of threads. 0: one a thread.
    int shards = 0;
    double goal = 0;  ///< stop when whole-sequence exact (free running) reaches this; 0: never
};

}  // namespace headloom
