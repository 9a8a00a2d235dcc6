#include "core/train/filter_trainer.h"

#include "core/models/decoder.h"
#include "core/train/host_copy.h"
#include "core/train/non_finite.h"
#include "core/train/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace headloom {

namespace {

Tensor placed(const Tensor& host, Backend& backend) {
    const Tensor there = backend.allocate(host.shape(), host.dtype());
    backend.upload(host, there);
    return there;
}

Weights copyOnto(const Weights& weights, Backend& backend) {
    Weights copy;
    for (const auto& [name, tensor] : weights.entries()) copy.add(name, placed(tensor, backend));
    return copy;
}

}  // namespace

FilterTrainer::FilterTrainer(const FilterConfig& config, const TrainSettings& settings,
                             const Weights& start, Backend& backend)
    : backend_(&backend),
      settings_(settings),
      model_(config, copyOnto(start, backend), backend),
      gradients_(flatZerosLike(model_.weights(), backend)),
      firstMoments_(zerosLike(model_.weights(), backend)),
      secondMoments_(zerosLike(model_.weights(), backend)) {}

FilterTrainer::FilterTrainer(const FilterConfig& config, const TrainSettings& settings,
                             const TrainState& state, Backend& backend)
    : backend_(&backend),
      settings_(settings),
      model_(config, copyOnto(state.weights, backend), backend),
      gradients_(flatZerosLike(model_.weights(), backend)),
      firstMoments_(copyOnto(state.firstMoments, backend)),
      secondMoments_(copyOnto(state.secondMoments, backend)),
      steps_(state.step) {}

TrainState FilterTrainer::state() const {
    return {hostCopy(model_.weights(), *backend_), hostCopy(firstMoments_, *backend_),
            hostCopy(secondMoments_, *backend_), steps_, 0};
}

FilterTrainer::Residual FilterTrainer::forward(const Tensor& x, const Tensor& target) const {
    Residual residual;
    residual.x = placed(x, *backend_);
    residual.trace = model_.forward(residual.x);
    residual.out = residual.trace.out;
    const Tensor negative = target.copy().reshaped(residual.out.shape());
    for (float& value : negative.values<float>()) value = -value;
    const Tensor wanted = placed(negative, *backend_);
    residual.squared.size = backend_->sumOfSquares(wanted);
    backend_->add(wanted, residual.out);
    residual.squared.error = backend_->sumOfSquares(residual.out);
    return residual;
}

SquaredError FilterTrainer::measure(const Tensor& x, const Tensor& target) const {
    return forward(x, target).squared;
}

Result<StepReport> FilterTrainer::step(const Tensor& x, const Tensor& target) {
    const Residual residual = forward(x, target);
    StepReport report;
    report.step = steps_ + 1;
    report.loss = residual.squared.error / residual.squared.size;
    report.learningRate = learningRateAt(settings_, report.step);
    const auto notFinite = [&](const char* what, const std::string& tensor) {
        return fail(Error::Kind::badInput, fmt::format("training step {}", report.step),
                    fmt::format("the {} is not finite{}", what,
                                tensor.empty() ? "" : "; the first bad tensor is " + tensor),
                    fmt::format("use a learning rate below {}", settings_.learningRate));
    };
    if (!std::isfinite(report.loss))
        return notFinite("loss", firstNonFinite(model_.weights(), *backend_));

    // The residual is the gradient of half the squared error; the factor that makes it that of the
    // relative error goes to the optimizer with the clipping.
    backend_->zero(gradients_.all);
    model_.backward(residual.x, residual.trace, residual.out, gradients_.parts);
    const double factor = 2.0 / residual.squared.size;
    report.gradientNorm = factor * std::sqrt(backend_->sumOfSquares(gradients_.all));
    if (!std::isfinite(report.gradientNorm)) {
        const std::string bad = firstNonFinite(gradients_.parts, *backend_);
        return notFinite("gradient", bad.empty() ? "" : "the gradient of " + bad);
    }
    const double clip =
        settings_.clipNorm > 0
            ? std::min(1.0, settings_.clipNorm / std::max(report.gradientNorm, 1e-12))
            : 1.0;
    AdamWParams params;
    params.learningRate = report.learningRate;
    params.beta1 = settings_.beta1;
    params.beta2 = settings_.beta2;
    params.epsilon = settings_.epsilon;
    params.gradientScale = factor * clip;
    params.step = ++steps_;
    for (std::size_t i = 0; i < model_.weights().entries().size(); ++i)
        backend_->adamw(params, model_.weights().entries()[i].second,
                        gradients_.parts.entries()[i].second, firstMoments_.entries()[i].second,
                        secondMoments_.entries()[i].second);
    return report;
}

}  // namespace headloom
