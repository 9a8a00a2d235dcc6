#include "core/train/adamw.h"

#include "core/models/decoder.h"

namespace headloom {

namespace {

/// How one kind of parameter is stepped: a factor on the learning rate, and its decay.
struct Group {
    double rate, decay;
};

Group groupOf(WeightRole role, const TrainSettings& settings) {
    switch (role) {
        case WeightRole::matrix:
        case WeightRole::embedding:
        case WeightRole::position:
            return {1, settings.weightDecay};
        case WeightRole::mixing:
            return {settings.mixingRate, settings.mixingDecay};
        case WeightRole::collapse:
            return {settings.collapseRate, settings.collapseDecay};
        case WeightRole::bias:
        case WeightRole::normScale:
        case WeightRole::normShift:
        case WeightRole::lambda:
            break;
    }
    return {1, 0};
}

}  // namespace

AdamW::AdamW(const ModelConfig& config, Weights weights, Backend& backend)
    : backend_(&backend),
      weights_(std::move(weights)),
      firstMoments_(zerosLike(weights_, backend)),
      secondMoments_(zerosLike(weights_, backend)) {
    const std::vector<WeightSpec> specs = weightSpecs(config);
    for (const auto& entry : weights_.entries()) {
        WeightRole role = WeightRole::bias;
        for (const WeightSpec& spec : specs)
            if (spec.name == entry.first) role = spec.role;
        roles_.push_back(role);
    }
}

void AdamW::step(const TrainSettings& settings, double learningRate, double gradientScale,
                 const Weights& gradients) {
    AdamWParams params;
    params.beta1 = settings.beta1;
    params.beta2 = settings.beta2;
    params.epsilon = settings.epsilon;
    params.gradientScale = gradientScale;
    params.step = ++steps_;
    for (std::size_t i = 0; i < weights_.entries().size(); ++i) {
        const Group group = groupOf(roles_[i], settings);
        params.learningRate = learningRate * group.rate;
        params.weightDecay = group.decay;
        backend_->adamw(params, weights_.entries()[i].second, gradients.entries()[i].second,
                        firstMoments_.entries()[i].second, secondMoments_.entries()[i].second);
    }
}

}  // namespace headloom
