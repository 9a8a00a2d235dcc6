#include "core/theory/cpm3_construction.h"

#include "core/models/guarded.h"
#include "core/theory/bank_construction.h"

#include <algorithm>
#include <cmath>

namespace headloom {

namespace {

/// The bank of N filters, one number a node, whose graph is the shift: [x, Pi x, Pi^2 x, ..].
BankSize bankOf(int nTokens) {
    return {nTokens, nTokens, 1};
}

GraphPowers shiftsFor(int nTokens) {
    const int heads = interleavedHeads(nTokens);
    return {cyclicShift(nTokens), std::max(nTokens, heads * (heads - 1) + 1)};
}

Tensor columnOf(const std::vector<int>& sequence) {
    const Tensor x = Tensor::host({static_cast<std::int64_t>(sequence.size()), 1}, DType::f64);
    std::copy(sequence.begin(), sequence.end(), x.data<double>());
    return x;
}

/// The first N columns, rounded; the largest rounding goes to `by`.
Tensor roundedWorkspace(const Tensor& output, double& by) {
    const std::int64_t n = output.size(0), given = output.size(1);
    const Tensor workspace = Tensor::host({n, n}, DType::f64);
    for (std::int64_t i = 0; i < n; ++i)
        for (std::int64_t t = 0; t < n; ++t) {
            const double value = output.data<double>()[i * given + t], whole = std::rint(value);
            workspace.data<double>()[i * n + t] = whole;
            by = std::max(by, std::abs(value - whole));
        }
    return workspace;
}

/// [N, N^2]: what the hidden unit (t1, t2) reads of a row's workspace.
Tensor pairReading(std::int64_t n, int g) {
    const Tensor weight = Tensor::host({n, n * n}, DType::f64);
    double* to = weight.data<double>();
    for (std::int64_t first = 0; first < n; ++first)
        for (std::int64_t second = 0; second < n; ++second) {
            const std::int64_t unit = first * n + second;
            to[unit] += 1;  // the row's own symbol
            to[first * n * n + unit] += g;
            to[second * n * n + unit] += 1;
        }
    return weight;
}

/// The MLP's second layer: every hidden unit counts 1.
std::vector<std::int64_t> countsOf(const Tensor& hidden, DType type, Backend& backend) {
    const std::int64_t n = hidden.size(0), units = n * n;
    const Tensor ones = Tensor::host({units, 1}, DType::f64);
    std::fill_n(ones.data<double>(), units, 1.0);
    const Tensor out = backend.allocate({n, 1}, type);
    backend.linear(placedOn(backend, type, hidden.reshaped({n, units})),
                   placedOn(backend, type, ones), {}, out);
    const Tensor fetched = fetchedFrom(backend, out);
    std::vector<std::int64_t> counts;
    for (const double count : fetched.values<double>()) counts.push_back(std::llround(count));
    return counts;
}

Cpm3Arm run(const LayerConfig& layer, const AttentionWeights& weights, const Cpm3Task& task,
            DType type, Backend& backend) {
    const ConstructedRun made =
        runConstructed(layer, weights, withPositions(columnOf(task.sequence)), type, backend);
    Cpm3Arm arm;
    arm.nHeads = static_cast<int>(weights.wQ.size(0));
    arm.nPseudo = layer.nPseudo;
    arm.parameters = countParameters(weights);
    arm.tiles = made.tiles;
    arm.workspace = roundedWorkspace(made.output, arm.roundedBy);
    arm.hidden = runCpm3Hidden(arm.workspace, task.g, task.m, type, backend);
    arm.counts = countsOf(arm.hidden, type, backend);
    return arm;
}

}  // namespace

Tensor cyclicShift(int nTokens) {
    const Tensor shift = Tensor::host({nTokens, nTokens}, DType::f64);
    for (int i = 0; i < nTokens; ++i) shift.data<double>()[i * nTokens + (i + 1) % nTokens] = 1;
    return shift;
}

AttentionWeights mhaCpm3(int nTokens) {
    return mhaBank(shiftsFor(nTokens), bankOf(nTokens));
}

AttentionWeights ihaCpm3(int nTokens) {
    AttentionWeights weights = ihaBank(shiftsFor(nTokens), bankOf(nTokens));
    for (double& value : weights.wV.values<double>()) value *= interleavedHeads(nTokens);
    return weights;
}

Tensor runCpm3Hidden(const Tensor& workspace, int g, int m, DType type, Backend& backend) {
    const std::int64_t n = workspace.size(0);
    const Tensor sums = backend.allocate({n, n * n}, type);
    backend.linear(placedOn(backend, type, workspace), placedOn(backend, type, pairReading(n, g)),
                   {}, sums);
    const Tensor before = fetchedFrom(backend, sums);
    for (double& sum : before.values<double>()) sum = 1 - std::fmod(sum, m);
    const Tensor hidden = backend.allocate(before.shape(), type);
    backend.activate(Activation::relu, placedOn(backend, type, before), hidden);
    return fetchedFrom(backend, hidden).reshaped({n, n, n});
}

Result<Cpm3Run> runCpm3(const Cpm3Task& task, DType type, Backend& backend,
                        const std::function<bool()>& cancelled) {
    if (auto fine = validate(task); !fine) return tl::unexpected(fine.error());
    return guarded([&]() -> Result<Cpm3Run> {
        Cpm3Run made;
        made.task = task;
        made.type = type;
        made.expected = countPairs(task);
        const int n = task.nTokens(), heads = interleavedHeads(n);
        made.iha = run(constructedLayer(AttentionKind::iha, heads, ScoreKind::hard), ihaCpm3(n),
                       task, type, backend);
        if (cancelled && cancelled()) return fail(Error::Kind::interrupted, "CPM-3", "was stopped");
        made.mha = run(constructedLayer(AttentionKind::mha, 1, ScoreKind::hard), mhaCpm3(n), task,
                       type, backend);
        return made;
    });
}

}  // namespace headloom
