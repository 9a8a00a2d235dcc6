#include "core/backend/reference/reference_backend.h"
#include "core/backend/reference/view.h"

#include <algorithm>
#include <cmath>

namespace headloom::reference {

double ReferenceBackend::crossEntropy(const Tensor& logits, const Tensor& targets, double weight,
                                      const Tensor& dLogits) {
    double loss = 0;
    withType(logits, [&]<class T>(T) {
        const Tensor rows = asRows(logits);
        const std::int64_t nRows = rows.size(0), nClasses = rows.size(1);
        assert(targets.count() == nRows);
        const View<T> logit(rows), gradient(asRows(dLogits));
        if (dLogits) zero(dLogits);
        for (std::int64_t row = 0; row < nRows; ++row) {
            const std::int32_t target = targets.data<std::int32_t>()[row];
            if (target < 0) continue;
            T largest = logit(row, 0);
            for (std::int64_t c = 1; c < nClasses; ++c) largest = std::max(largest, logit(row, c));
            T sum = 0;
            for (std::int64_t c = 0; c < nClasses; ++c) sum += std::exp(logit(row, c) - largest);
            loss += weight * double(std::log(sum) + largest - logit(row, target));
            if (!gradient) continue;
            for (std::int64_t c = 0; c < nClasses; ++c)
                gradient(row, c) = T(weight) * (std::exp(logit(row, c) - largest) / sum -
                                                (c == target ? T(1) : T(0)));
        }
    });
    return loss;
}

double ReferenceBackend::sumOfSquares(const Tensor& x) {
    double sum = 0;
    withType(x, [&]<class T>(T) {
        for (const T value : x.values<T>()) sum += double(value) * double(value);
    });
    return sum;
}

// Decay first and apart from the gradient, then Adam; epsilon is added after the root.
void ReferenceBackend::adamw(const AdamWParams& params, const Tensor& weight,
                             const Tensor& gradient, const Tensor& firstMoment,
                             const Tensor& secondMoment) {
    const double correction1 = 1 - std::pow(params.beta1, double(params.step));
    const double correction2 = 1 - std::pow(params.beta2, double(params.step));
    withType(weight, [&]<class T>(T) {
        for (std::int64_t i = 0; i < weight.count(); ++i) {
            T& w = weight.data<T>()[i];
            T& m = firstMoment.data<T>()[i];
            T& v = secondMoment.data<T>()[i];
            const T g = gradient.data<T>()[i] * T(params.gradientScale);
            w *= T(1 - params.learningRate * params.weightDecay);
            m = T(params.beta1) * m + T(1 - params.beta1) * g;
            v = T(params.beta2) * v + T(1 - params.beta2) * g * g;
            const T deviation = std::sqrt(v / T(correction2)) + T(params.epsilon);
            w -= T(params.learningRate / correction1) * m / deviation;
        }
    });
}

}  // namespace headloom::reference
