// Tokens, norms, activations and learning.
#include "core/backend/cpu/cpu_backend.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

namespace headloom::cpu {

namespace {

// Rough nanoseconds for one number.
constexpr double cheap = 0.3, dear = 1.5;

/// Elements that belong together, so that pieces of a loop do not share cache lines.
constexpr std::int64_t line = 1024;

std::int64_t rowsOf(const Tensor& tensor) {
    return tensor.size(-1) == 0 ? 0 : tensor.count() / tensor.size(-1);
}

}  // namespace

void CpuBackend::embed(const Tensor& ids, const Tensor& table, const Tensor& positions,
                       std::int64_t start, const Tensor& out) {
    const std::int64_t nTokens = out.size(1), width = out.size(2), count = out.size(0) * nTokens;
    const std::int64_t sharers = ids.shape().rank() == 3 ? ids.size(2) : 1;
    assert(ids.count() == count * sharers && table.size(1) == width);
    assert(!positions || start + nTokens <= positions.size(0));
    const double cost = cheap * static_cast<double>(width * sharers);
    workers_.each(count, cost, [&](std::int64_t at, int) {
        const std::int32_t* id = ids.data<std::int32_t>() + at * sharers;
        float* to = out.data<float>() + at * width;
        const auto row = [&](std::int64_t k) {
            assert(id[k] < table.size(0));
            return table.data<float>() + id[k] * width;
        };
        assert(id[0] >= 0);
        if (positions && sharers == 1)
            return kernels_.sum(width, row(0),
                                positions.data<float>() + (start + at % nTokens) * width, to);
        kernels_.moveRows(1, width, row(0), width, to, width, Start::zero);
        for (std::int64_t k = 1; k < sharers; ++k)
            if (id[k] >= 0) kernels_.add(width, row(k), to);
        if (positions)
            kernels_.add(width, positions.data<float>() + (start + at % nTokens) * width, to);
    });
}

void CpuBackend::embedBackward(const Tensor& ids, const Tensor& dOut, const Tensor& dTable,
                               const Tensor& dPositions) {
    const std::int64_t nTokens = dOut.size(1), width = dOut.size(2);
    const std::int64_t count = dOut.size(0) * nTokens;
    const std::int64_t sharers = ids.shape().rank() == 3 ? ids.size(2) : 1;
    assert(ids.count() == count * sharers);
    // Tokens repeat, so pieces are ranges of columns.
    workers_.ranges(width, 16, cheap * static_cast<double>(count * sharers),
                    [&](std::int64_t begin, std::int64_t end, int) {
                        for (std::int64_t at = 0; at < count; ++at) {
                            const std::int32_t* id = ids.data<std::int32_t>() + at * sharers;
                            const float* from = dOut.data<float>() + at * width + begin;
                            for (std::int64_t k = 0; dTable && k < sharers; ++k)
                                if (id[k] >= 0)
                                    kernels_.add(end - begin, from,
                                                 dTable.data<float>() + id[k] * width + begin);
                            if (dPositions)
                                kernels_.add(
                                    end - begin, from,
                                    dPositions.data<float>() + at % nTokens * width + begin);
                        }
                    });
}

void CpuBackend::norm(NormKind kind, double epsilon, const Tensor& x, const Tensor& weight,
                      const Tensor& bias, const Tensor& out, const Tensor& statistics) {
    const std::int64_t width = x.size(-1);
    assert(weight.count() == width && statistics.count() == 2 * rowsOf(x));
    workers_.ranges(rowsOf(x), 8, dear * static_cast<double>(width),
                    [&](std::int64_t begin, std::int64_t end, int) {
                        NormTask task;
                        task.rows = end - begin;
                        task.width = width;
                        task.centred = kind == NormKind::layer;
                        task.epsilon = static_cast<float>(epsilon);
                        task.x = x.data<float>() + begin * width;
                        task.weight = weight.data<float>();
                        task.bias = task.centred ? floats(bias) : nullptr;
                        task.out = out.data<float>() + begin * width;
                        task.statistics = statistics.data<float>() + 2 * begin;
                        kernels_.norm(task);
                    });
}

void CpuBackend::normBackward(NormKind kind, const Tensor& x, const Tensor& weight,
                              const Tensor& statistics, const Tensor& dOut, const Tensor& dX,
                              const Tensor& dWeight, const Tensor& dBias) {
    const std::int64_t width = x.size(-1), rows = rowsOf(x);
    NormGradient task;
    task.rows = rows;
    task.width = width;
    task.centred = kind == NormKind::layer;
    task.x = x.data<float>();
    task.weight = weight.data<float>();
    task.statistics = statistics.data<float>();
    task.dOut = dOut.data<float>();
    if (dX)
        workers_.ranges(rows, 8, dear * static_cast<double>(width),
                        [&](std::int64_t begin, std::int64_t end, int) {
                            NormGradient part = task;
                            part.rows = end - begin;
                            part.x += begin * width;
                            part.statistics += 2 * begin;
                            part.dOut += begin * width;
                            part.dX = dX.data<float>() + begin * width;
                            kernels_.normBackward(part);
                        });
    float* toBias = task.centred ? floats(dBias) : nullptr;
    if (dWeight || toBias)
        workers_.ranges(width, 16, dear * static_cast<double>(rows),
                        [&](std::int64_t begin, std::int64_t end, int) {
                            kernels_.normBackwardWeights(task, floats(dWeight), toBias, begin, end);
                        });
}

namespace {

Curve curveOf(Activation kind) {
    switch (kind) {
        case Activation::gelu:
            break;
        case Activation::geluTanh:
            return Curve::geluTanh;
        case Activation::relu:
            return Curve::relu;
        case Activation::silu:
            return Curve::silu;
        case Activation::reluSquared:
            return Curve::reluSquared;
        case Activation::tanh:
            return Curve::tanh;
    }
    return Curve::gelu;
}

}  // namespace

void CpuBackend::activate(Activation kind, const Tensor& x, const Tensor& out) {
    workers_.ranges(x.count(), line, dear, [&](std::int64_t begin, std::int64_t end, int) {
        kernels_.activate(curveOf(kind), end - begin, x.data<float>() + begin,
                          out.data<float>() + begin);
    });
}

void CpuBackend::activateBackward(Activation kind, const Tensor& x, const Tensor& dOut,
                                  const Tensor& dX) {
    if (!dX) return;
    workers_.ranges(x.count(), line, dear, [&](std::int64_t begin, std::int64_t end, int) {
        kernels_.activateBackward(curveOf(kind), end - begin, x.data<float>() + begin,
                                  dOut.data<float>() + begin, dX.data<float>() + begin);
    });
}

void CpuBackend::gate(const Tensor& a, const Tensor& b, const Tensor& out) {
    assert(a.count() == b.count() && a.count() == out.count());
    workers_.ranges(a.count(), line, cheap, [&](std::int64_t begin, std::int64_t end, int) {
        kernels_.times(end - begin, a.data<float>() + begin, b.data<float>() + begin,
                       out.data<float>() + begin);
    });
}

void CpuBackend::gateBackward(const Tensor& a, const Tensor& b, const Tensor& dOut,
                              const Tensor& dA, const Tensor& dB) {
    workers_.ranges(a.count(), line, cheap, [&](std::int64_t begin, std::int64_t end, int) {
        const float* above = dOut.data<float>() + begin;
        if (dA)
            kernels_.addTimes(end - begin, above, b.data<float>() + begin,
                              dA.data<float>() + begin);
        if (dB)
            kernels_.addTimes(end - begin, above, a.data<float>() + begin,
                              dB.data<float>() + begin);
    });
}

void CpuBackend::add(const Tensor& x, const Tensor& out) {
    assert(x.count() == out.count());
    workers_.ranges(x.count(), line, cheap, [&](std::int64_t begin, std::int64_t end, int) {
        kernels_.add(end - begin, x.data<float>() + begin, out.data<float>() + begin);
    });
}

void CpuBackend::topK(const Tensor& x, const Tensor& values, const Tensor& ids) {
    const std::int64_t width = x.size(1), count = values.size(1);
    workers_.each(x.size(0), cheap * static_cast<double>(width), [&](std::int64_t row, int) {
        const float* const from = x.data<float>() + row * width;
        const auto key = [from](std::int32_t at) {
            return std::isfinite(from[at]) ? from[at] : -std::numeric_limits<float>::infinity();
        };
        std::vector<std::int32_t> order(sizeOf(width));
        std::iota(order.begin(), order.end(), 0);
        const auto end = order.begin() + static_cast<std::ptrdiff_t>(count);
        std::partial_sort(order.begin(), end, order.end(), [&](std::int32_t a, std::int32_t b) {
            return key(a) != key(b) ? key(a) > key(b) : a < b;
        });
        std::copy(order.begin(), end, ids.data<std::int32_t>() + row * count);
        std::transform(order.begin(), end, values.data<float>() + row * count,
                       [from](std::int32_t at) { return from[at]; });
    });
}

double CpuBackend::crossEntropy(const Tensor& logits, const Tensor& targets, double weight,
                                const Tensor& dLogits) {
    const std::int64_t rows = rowsOf(logits), nClasses = logits.size(-1);
    assert(targets.count() == rows);
    std::vector<double> losses(sizeOf(rows), 0.0);
    workers_.each(rows, 2 * dear * static_cast<double>(nClasses), [&](std::int64_t row, int) {
        const std::int32_t target = targets.data<std::int32_t>()[row];
        const float* from = logits.data<float>() + row * nClasses;
        float* to = dLogits ? dLogits.data<float>() + row * nClasses : nullptr;
        if (target < 0) {
            if (to) std::fill(to, to + nClasses, 0.f);
            return;
        }
        assert(target < nClasses);
        const Normaliser by = kernels_.normaliser(nClasses, from);
        losses[sizeOf(row)] = std::log(double(by.sum)) + double(by.largest) - double(from[target]);
        if (!to) return;
        kernels_.shares(nClasses, from, by, static_cast<float>(weight), to);
        to[target] -= static_cast<float>(weight);
    });
    return weight * std::accumulate(losses.begin(), losses.end(), 0.0);
}

double CpuBackend::sumOfSquares(const Tensor& x) {
    constexpr std::int64_t block = 1 << 16;  // fixed, so that the order of summation is
    const std::int64_t blocks = (x.count() + block - 1) / block;
    std::vector<double> sums(sizeOf(blocks), 0.0);
    workers_.each(blocks, cheap * block, [&](std::int64_t at, int) {
        sums[sizeOf(at)] = kernels_.sumOfSquares(std::min(block, x.count() - at * block),
                                                 x.data<float>() + at * block);
    });
    return std::accumulate(sums.begin(), sums.end(), 0.0);
}

void CpuBackend::adamw(const AdamWParams& params, const Tensor& weight, const Tensor& gradient,
                       const Tensor& firstMoment, const Tensor& secondMoment) {
    const double steps = static_cast<double>(params.step);
    AdamWStep step;
    step.decay = static_cast<float>(1 - params.learningRate * params.weightDecay);
    step.gradientScale = static_cast<float>(params.gradientScale);
    step.beta1 = static_cast<float>(params.beta1);
    step.beta2 = static_cast<float>(params.beta2);
    step.rest1 = static_cast<float>(1 - params.beta1);
    step.rest2 = static_cast<float>(1 - params.beta2);
    step.rate = static_cast<float>(params.learningRate / (1 - std::pow(params.beta1, steps)));
    step.secondCorrection = static_cast<float>(1 - std::pow(params.beta2, steps));
    step.epsilon = static_cast<float>(params.epsilon);
    workers_.ranges(weight.count(), line, dear, [&](std::int64_t begin, std::int64_t end, int) {
        kernels_.adamw(step, end - begin, weight.data<float>() + begin,
                       gradient.data<float>() + begin, firstMoment.data<float>() + begin,
                       secondMoment.data<float>() + begin);
    });
}

}  // namespace headloom::cpu
