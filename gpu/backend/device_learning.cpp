#include "gpu/backend/device_backend.h"
#include "gpu/kernels/elementwise.h"
#include "gpu/kernels/learning.h"

#include <cmath>

namespace headloom::gpu {

template <class Value>
double DeviceBackend::sumInDouble(const Value& value, Index count) {
    if (count == 0) return 0;
    constexpr int threads = 256;
    constexpr Index each = 64 * threads;
    const std::size_t shared = lanes * sizeof(double);
    const Index chunks = divideUp(count, each);
    const Tensor sums = temporary(chunks + 1, DType::f64);
    auto* partial = sums.data<double>();
    launch({chunks, threads, shared}, SumInDouble<Value>{value, partial, count, each});
    launch({1, threads, shared}, SumInDouble<Same>{{partial}, partial + chunks, chunks, chunks});
    double sum = 0;
    runtime_->toHost(partial + chunks, &sum, sizeof(sum));
    return sum;
}

double DeviceBackend::crossEntropy(const Tensor& logits, const Tensor& targets, double weight,
                                   const Tensor& dLogits) {
    const Index nClasses = logits.size(-1);
    const Index nRows = targets.count();
    assert(nRows * nClasses == logits.count());
    if (nRows == 0) return 0;
    const Tensor losses = temporary(nRows, DType::f64);
    launch({nRows, 128, 2 * lanes * sizeof(float)},
           CrossEntropyRow{logits.data<float>(), targets.data<std::int32_t>(),
                           static_cast<float>(weight), losses.data<double>(), floats(dLogits),
                           nClasses});
    return sumInDouble(Same{losses.data<double>()}, nRows);
}

double DeviceBackend::sumOfSquares(const Tensor& x) {
    return sumInDouble(Square{x.data<float>()}, x.count());
}

void DeviceBackend::adamw(const AdamWParams& params, const Tensor& weight, const Tensor& gradient,
                          const Tensor& firstMoment, const Tensor& secondMoment) {
    const double correction1 = 1 - std::pow(params.beta1, static_cast<double>(params.step));
    const double correction2 = 1 - std::pow(params.beta2, static_cast<double>(params.step));
    AdamwStep step{};
    step.keep = static_cast<float>(1 - params.learningRate * params.weightDecay);
    step.rate = static_cast<float>(params.learningRate / correction1);
    step.correction2 = static_cast<float>(correction2);
    step.beta1 = static_cast<float>(params.beta1);
    step.rest1 = static_cast<float>(1 - params.beta1);
    step.beta2 = static_cast<float>(params.beta2);
    step.rest2 = static_cast<float>(1 - params.beta2);
    step.epsilon = static_cast<float>(params.epsilon);
    step.gradientScale = static_cast<float>(params.gradientScale);
    step.weight = weight.data<float>();
    step.gradient = gradient.data<float>();
    step.first = firstMoment.data<float>();
    step.second = secondMoment.data<float>();
    forEach(weight.count(), step);
}

}  // namespace headloom::gpu
