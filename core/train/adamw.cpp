#include "core/train/adamw.h"

#include "core/models/decoder.h"

namespace headloom {

namespace {

bool decays(WeightRole role) {
    return role == WeightRole::matrix || role == WeightRole::embedding ||
           role == WeightRole::position;
}

}  // namespace

AdamW::AdamW(const ModelConfig& config, Weights weights, Backend& backend)
    : backend_(&backend),
      weights_(std::move(weights)),
      firstMoments_(zerosLike(weights_, backend)),
      secondMoments_(zerosLike(weights_, backend)) {
    const std::vector<WeightSpec> specs = weightSpecs(config);
    for (const auto& entry : weights_.entries()) {
        bool decay = false;
        for (const WeightSpec& spec : specs)
            if (spec.name == entry.first) decay = decays(spec.role);
        decays_.push_back(decay);
    }
}

void AdamW::step(const TrainSettings& settings, double learningRate, double gradientScale,
                 const Weights& gradients) {
    AdamWParams params;
    params.learningRate = learningRate;
    params.beta1 = settings.beta1;
    params.beta2 = settings.beta2;
    params.epsilon = settings.epsilon;
    params.gradientScale = gradientScale;
    params.step = ++steps_;
    for (std::size_t i = 0; i < weights_.entries().size(); ++i) {
        params.weightDecay = decays_[i] ? settings.weightDecay : 0.0;
        backend_->adamw(params, weights_.entries()[i].second, gradients.entries()[i].second,
                        firstMoments_.entries()[i].second, secondMoments_.entries()[i].second);
    }
}

}  // namespace headloom
