#include "tests/gpu/device/passes.h"

#include "core/base/rng.h"
#include "core/models/guarded.h"

namespace headloom::device {

Tensor randomIds(std::int64_t batch, std::int64_t tokens, int vocabulary) {
    Rng rng(1);
    const Tensor ids = Tensor::host({batch, tokens}, DType::i32);
    for (std::int32_t& id : ids.values<std::int32_t>())
        id = static_cast<std::int32_t>(rng.below(static_cast<std::uint32_t>(vocabulary)));
    return ids;
}

Weights inDouble(const Weights& weights) {
    Weights made;
    for (const auto& [name, tensor] : weights.entries()) made.add(name, tensor.cast(DType::f64));
    return made;
}

Weights ownCopy(const Weights& weights, Backend& backend) {
    const Weights host = weights.clone();
    Weights made;
    for (const auto& [name, tensor] : host.entries()) made.add(name, place(tensor, backend));
    return made;
}

Result<Tensor> decodeToken(const Decoder& decoder, const Tensor& id, KvCache& cache,
                           Backend& backend) {
    ForwardOptions options;
    options.captureMaps = options.keepActivations = false;
    options.cache = &cache;
    return guarded([&]() -> Result<Tensor> {
        Result<ActivationTrace> trace;
        const Tensor fed = pinned(id, backend);
        const auto work = [&] { trace = decoder.forward(fed, options); };
        if (decoder.queuesAll())
            backend.together(work);
        else
            work();
        if (!trace) return tl::unexpected(trace.error());
        return onHost(trace->logits, backend);
    });
}

TrainingStep::TrainingStep(const ModelConfig& config, const Weights& weights, Backend& backend)
    : backend_(&backend),
      decoder_(config, weights, backend),
      gradients_(zerosLike(weights, backend)),
      first_(zerosLike(weights, backend)),
      second_(zerosLike(weights, backend)) {
    adamw_.weightDecay = 0.01;
    adamw_.epsilon = 1e-5;
}

Result<double> TrainingStep::operator()(const Tensor& ids) {
    return guarded([&]() -> Result<double> {
        for (const auto& entry : gradients_.entries()) backend_->zero(entry.second);
        const auto trace = decoder_.forward(ids);
        if (!trace) return tl::unexpected(trace.error());
        const Tensor targets = ids.reshaped({ids.size(0), ids.size(1), 1}).copy();
        for (std::int32_t& target : targets.values<std::int32_t>())
            target = (target + 1) % decoder_.config().nClasses();
        const auto loss =
            decoder_.backward(*trace, targets, 1.0 / static_cast<double>(ids.count()), gradients_);
        if (!loss) return loss;
        const auto& weights = decoder_.weights().entries();
        for (std::size_t i = 0; i < weights.size(); ++i)
            backend_->adamw(adamw_, weights[i].second, gradients_.entries()[i].second,
                            first_.entries()[i].second, second_.entries()[i].second);
        ++adamw_.step;
        return loss;
    });
}

}  // namespace headloom::device
