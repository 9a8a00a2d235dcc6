#pragma once

#include "core/base/rng.h"

#include <cstdint>
#include <span>
#include <vector>

namespace headloom {

/// How the next token is chosen from logits.
struct SamplingParams {
    double temperature = 0.0;  ///< 0: greedy (the largest logit, the lowest id on a tie)
    int topK = 0;              ///< choose among the K largest; 0: all
};

struct Candidate {
    int id = 0;
    double logit = 0.0;
    double probability = 0.0;  ///< softmax(logit / T), T = 1 when greedy; over the whole vocabulary
};

/// softmax(logits / temperature) in double; temperature 0 counts as 1 (greedy changes the choice,
/// not what the model believes).
std::vector<double> probabilities(std::span<const float> logits, double temperature);
/// The `count` most probable, largest first, ties by id.
std::vector<Candidate> topCandidates(std::span<const float> logits, double temperature, int count);
/// Non-finite logits never win; if all are, id 0.
int chooseToken(std::span<const float> logits, const SamplingParams& params, Rng& rng);

}  // namespace headloom
