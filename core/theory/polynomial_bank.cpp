#include "core/theory/polynomial_bank.h"

#include "core/base/rng.h"
#include "core/models/guarded.h"
#include "core/theory/constructed_layer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace headloom {

namespace {

/// [X, A X, .., A^(k-1) X], [N, k d].
Tensor targetOf(const BankSize& size, const GraphPowers& powers, const Tensor& signal) {
    const std::int64_t n = size.nNodes, d = size.dNode, width = size.width();
    const Tensor target = Tensor::host({n, width}, DType::f64);
    Tensor now = signal;
    for (int i = 0; i < size.nFilters; ++i) {
        for (std::int64_t row = 0; row < n; ++row)
            std::copy_n(now.data<double>() + row * d, d,
                        target.data<double>() + row * width + i * d);
        now = powers.times(now);
    }
    return target;
}

/// `output` may be wider than the target: ceil(sqrt(k))^2 powers come out, k are asked for.
double relativeError(const Tensor& output, const Tensor& target) {
    const std::int64_t rows = target.size(0), width = target.size(1), given = output.size(-1);
    double error = 0, largest = 0;
    for (std::int64_t row = 0; row < rows; ++row)
        for (std::int64_t c = 0; c < width; ++c) {
            const double want = target.data<double>()[row * width + c];
            error = std::max(error, std::abs(output.data<double>()[row * given + c] - want));
            largest = std::max(largest, std::abs(want));
        }
    return largest > 0 ? error / largest : error;
}

BankArm run(const LayerConfig& layer, const AttentionWeights& weights, const Tensor& input,
            const Tensor& target, DType type, Backend& backend) {
    const ConstructedRun made = runConstructed(layer, weights, input, type, backend);
    BankArm arm;
    arm.nHeads = static_cast<int>(weights.wQ.size(0));
    arm.nPseudo = layer.nPseudo;
    arm.parameters = countParameters(weights);
    arm.tiles = made.tiles;
    arm.output = made.output;
    arm.maxError = relativeError(arm.output, target);
    return arm;
}

}  // namespace

Tensor bankSignal(const BankSize& size) {
    const Tensor signal = Tensor::host({size.nNodes, size.dNode}, DType::f64);
    Rng rng(0);
    for (double& value : signal.values<double>()) value = rng.normal();
    return signal;
}

Result<PolynomialBank> runBank(const BankSize& size, const Tensor& matrix, const Tensor& signal,
                               DType type, Backend& backend,
                               const std::function<bool()>& cancelled) {
    if (auto fine = validate(size); !fine) return tl::unexpected(fine.error());
    if (matrix.shape() != Shape{size.nNodes, size.nNodes})
        return fail(Error::Kind::badInput, "nodes N",
                    fmt::format("{} do not fit a graph of {}", size.nNodes, matrix.size(0)),
                    fmt::format("use {}", matrix.size(0)));
    const auto stopped = [&] { return cancelled && cancelled(); };
    const auto interrupted = [] {
        return fail(Error::Kind::interrupted, "filter bank", "was stopped");
    };
    return guarded([&]() -> Result<PolynomialBank> {
        PolynomialBank bank;
        bank.size = size;
        bank.matrix = matrix;
        bank.signal = signal;
        bank.type = type;
        const int heads = interleavedHeads(size.nFilters);
        bank.powers = std::make_shared<const GraphPowers>(
            matrix, std::max(size.nFilters, heads * (heads - 1) + 1));
        const GraphPowers& powers = *bank.powers;
        const Tensor input = withPositions(bank.signal),
                     target = targetOf(size, powers, bank.signal);
        if (stopped()) return interrupted();
        bank.iha = run(constructedLayer(AttentionKind::iha, heads, ScoreKind::linear),
                       ihaBank(powers, size, type), input, target, type, backend);
        if (stopped()) return interrupted();
        bank.mha = run(constructedLayer(AttentionKind::mha, 1, ScoreKind::linear),
                       mhaBank(powers, size, type), input, target, type, backend);
        return bank;
    });
}

}  // namespace headloom
