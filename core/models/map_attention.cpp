#include "core/models/map_attention.h"

#include "core/models/layer_changes.h"

#include <cmath>
#include <vector>

namespace headloom {

namespace {

/// Of the norm over a differential head, as its authors have it.
constexpr double headNormEpsilon = 1e-5;

Tensor zeros(const Shape& shape, DType type, Backend& backend) {
    const Tensor made = backend.allocate(shape, type);
    backend.zero(made);
    return made;
}

Tensor placed(const Shape& shape, const std::vector<double>& values, DType type, Backend& backend) {
    const Tensor host = Tensor::of<double>(shape, values).cast(type);
    if (backend.info().isHost) return host;
    const Tensor made = backend.allocate(shape, type);
    backend.upload(host, made);
    return made;
}

std::vector<double> fetched(const Tensor& tensor, Backend& backend) {
    Tensor host = tensor;
    if (!backend.info().isHost) {
        host = Tensor::host(tensor.shape(), tensor.dtype());
        backend.download(tensor, host);
    }
    const Tensor wide = host.cast(DType::f64);
    return {wide.values<double>().begin(), wide.values<double>().end()};
}

/// [B, H, 1, N, d] as [B, H, N, d].
Tensor withoutPseudo(const Tensor& x) {
    return x.reshaped({x.size(0), x.size(1), x.size(3), x.size(4)});
}
Tensor flatRows(const Tensor& x) {
    return x.reshaped({x.count() / x.size(-1), x.size(-1)});
}

struct Lambda {
    std::vector<double> q1, k1, q2, k2;
    double first = 1, second = 1;  ///< exp(lq1.lk1), exp(lq2.lk2)
    double value = 0;
};

double exponentOf(const std::vector<double>& q, const std::vector<double>& k) {
    double sum = 0;
    for (std::size_t i = 0; i < q.size(); ++i) sum += q[i] * k[i];
    return std::exp(sum);
}

Lambda lambdaOf(const AttentionWeights& weights, Backend& backend) {
    Lambda lambda;
    lambda.q1 = fetched(weights.lambdaQ1, backend);
    lambda.k1 = fetched(weights.lambdaK1, backend);
    lambda.q2 = fetched(weights.lambdaQ2, backend);
    lambda.k2 = fetched(weights.lambdaK2, backend);
    lambda.first = exponentOf(lambda.q1, lambda.k1);
    lambda.second = exponentOf(lambda.q2, lambda.k2);
    lambda.value = lambda.first - lambda.second + weights.lambdaInit;
    return lambda;
}

/// What takes two maps a head to their difference, as a mixing [2H, H, 1]: 1 and -lambda.
Tensor differenceMixing(double lambda, std::int64_t nHeads, DType type, Backend& backend) {
    std::vector<double> mixing(static_cast<std::size_t>(2 * nHeads * nHeads), 0.0);
    for (std::int64_t h = 0; h < nHeads; ++h) {
        mixing[static_cast<std::size_t>(2 * h * nHeads + h)] = 1;
        mixing[static_cast<std::size_t>((2 * h + 1) * nHeads + h)] = -lambda;
    }
    return placed({2 * nHeads, nHeads, 1}, mixing, type, backend);
}

/// The constant 1 - lambdaInit as a per-head R [H, 1].
Tensor outputScale(const AttentionWeights& weights, std::int64_t nHeads, DType type,
                   Backend& backend) {
    return placed({nHeads, 1},
                  std::vector<double>(static_cast<std::size_t>(nHeads), 1 - weights.lambdaInit),
                  type, backend);
}

bool talks(const AttentionWeights& weights) {
    return static_cast<bool>(weights.mixLogits);
}

/// Adds dLambda * factor * other to the gradient of one of the four vectors.
void addLambdaGradient(double factor, std::vector<double> other, const Tensor& gradient,
                       Backend& backend) {
    if (!gradient) return;
    for (double& value : other) value *= factor;
    backend.add(placed(gradient.shape(), other, gradient.dtype(), backend), gradient);
}

/// The gradient that reaches y: dZ back through the constant factor and the norm (differential), or
/// as it is.
Tensor outputBackward(const AttentionWeights& weights, const LayerTrace& trace, const Tensor& dZ,
                      const AttentionWeights& gradients, Backend& backend) {
    const DType type = dZ.dtype();
    const Tensor dY = zeros(trace.y.shape(), type, backend);
    if (talks(weights)) {
        backend.collapseBackward(trace.y, {}, dZ, dY, {});
        return dY;
    }
    const Tensor dNorm = zeros(trace.normZ.shape(), type, backend);
    backend.collapseBackward(trace.normZ, outputScale(weights, trace.y.size(1), type, backend), dZ,
                             dNorm, {});
    backend.normBackward(NormKind::rms, flatRows(trace.y), weights.normZ, trace.statisticsZ,
                         flatRows(dNorm), flatRows(dY), gradients.normZ, {});
    return dY;
}

}  // namespace

bool worksOnMaps(const AttentionWeights& weights) {
    return talks(weights) || weights.lambdaQ1;
}

double differentialLambdaInit(int layer) {
    return 0.8 - 0.6 * std::exp(-0.3 * layer);
}

double differentialLambda(const AttentionWeights& weights, Backend& backend) {
    return lambdaOf(weights, backend).value;
}

void attendOverMaps(const AttentionParams& params, const AttentionWeights& weights,
                    const LayerChanges& changes, AttentionLayerResult& out, Backend& backend) {
    const Tensor q = withoutPseudo(out.mixedQ), k = withoutPseudo(out.mixedK),
                 v = withoutPseudo(out.mixedV);
    const DType type = q.dtype();
    const std::int64_t batch = q.size(0), heads = talks(weights) ? q.size(1) : q.size(1) / 2,
                       rows = q.size(2), keys = params.keyCount > 0 ? params.keyCount : k.size(2),
                       d = v.size(3);
    const Shape softmaxes{batch, q.size(1), rows, keys};
    const Tensor mixed = backend.allocate({batch, heads, 1, rows, keys}, type);
    AttentionParams plain = params;  // the multiplier acts on the mixed maps, not on a softmax
    plain.multiplier = {};
    out.scores = backend.allocate(softmaxes, type);
    backend.attentionScores(params, q, k, out.scores);
    out.pattern = backend.allocate(softmaxes, type);
    if (talks(weights)) {
        const Tensor logits = backend.allocate({batch, heads, 1, rows, keys}, type);
        backend.mixHeads(out.scores, weights.mixLogits, logits);
        backend.attentionPattern(plain, logits.reshaped(softmaxes), out.pattern);
        backend.mixHeads(out.pattern, weights.mixWeights, mixed);
    } else {
        backend.attentionPattern(plain, out.scores, out.pattern);
        out.scores = {};  // its gradient does not need it
        backend.mixHeads(out.pattern,
                         differenceMixing(lambdaOf(weights, backend).value, heads, type, backend),
                         mixed);
    }
    out.maps = mixed.reshaped({batch, heads, 1, 1, rows, keys});
    const Tensor cells = mixed.reshaped({batch, heads, rows, keys});
    if (params.multiplier) backend.scaleMaps(params.multiplier, cells);
    out.y = backend.allocate({batch, heads, 1, rows, d}, type);
    backend.attentionValues(cells, v, withoutPseudo(out.y));
    changeCells(changes, out, backend);
    if (talks(weights)) return;
    out.normZ = backend.allocate(out.y.shape(), type);
    out.statisticsZ = backend.allocate({batch * heads * rows, 2}, type);
    backend.norm(NormKind::rms, headNormEpsilon, flatRows(out.y), weights.normZ, {},
                 flatRows(out.normZ), out.statisticsZ);
}

void collapseOverMaps(const AttentionWeights& weights, AttentionLayerResult& out,
                      Backend& backend) {
    if (talks(weights)) return backend.collapse(out.y, {}, out.z);
    backend.collapse(out.normZ, outputScale(weights, out.y.size(1), out.y.dtype(), backend), out.z);
}

void attendOverMapsBackward(const AttentionParams& params, const AttentionWeights& weights,
                            const LayerTrace& trace, const Tensor& dZ,
                            const AttentionWeights& gradients, const Tensor& dQ, const Tensor& dK,
                            const Tensor& dV, Backend& backend) {
    const Tensor q = withoutPseudo(trace.mixedQ), k = withoutPseudo(trace.mixedK),
                 v = withoutPseudo(trace.mixedV);
    const DType type = q.dtype();
    const std::int64_t batch = q.size(0), heads = trace.y.size(1), rows = q.size(2),
                       keys = k.size(2);
    const Shape cells{batch, heads, rows, keys}, pseudoCells{batch, heads, 1, rows, keys};
    const Tensor dY = outputBackward(weights, trace, dZ, gradients, backend);
    const Tensor dMaps = zeros(cells, type, backend);
    backend.attentionValuesBackward(trace.maps.reshaped(cells), v, withoutPseudo(dY), dMaps,
                                    withoutPseudo(dV));

    const Tensor dPattern = zeros(trace.pattern.shape(), type, backend);
    Tensor dScores = zeros(trace.pattern.shape(), type, backend);
    if (talks(weights)) {
        backend.mixHeadsBackward(trace.pattern, weights.mixWeights, dMaps.reshaped(pseudoCells),
                                 dPattern, gradients.mixWeights);
        const Tensor dLogits = zeros(cells, type, backend);
        backend.attentionPatternBackward(params, trace.pattern, dPattern, dLogits);
        backend.mixHeadsBackward(trace.scores, weights.mixLogits, dLogits.reshaped(pseudoCells),
                                 dScores, gradients.mixLogits);
    } else {
        const Lambda lambda = lambdaOf(weights, backend);
        const Tensor dMixing = zeros({2 * heads, heads, 1}, type, backend);
        backend.mixHeadsBackward(trace.pattern,
                                 differenceMixing(lambda.value, heads, type, backend),
                                 dMaps.reshaped(pseudoCells), dPattern, dMixing);
        backend.attentionPatternBackward(params, trace.pattern, dPattern, dScores);
        const std::vector<double> slope = fetched(dMixing, backend);
        double dLambda = 0;  // lambda stands negated in the mixing, once a head
        for (std::int64_t h = 0; h < heads; ++h)
            dLambda -= slope[static_cast<std::size_t>((2 * h + 1) * heads + h)];
        addLambdaGradient(dLambda * lambda.first, lambda.k1, gradients.lambdaQ1, backend);
        addLambdaGradient(dLambda * lambda.first, lambda.q1, gradients.lambdaK1, backend);
        addLambdaGradient(-dLambda * lambda.second, lambda.k2, gradients.lambdaQ2, backend);
        addLambdaGradient(-dLambda * lambda.second, lambda.q2, gradients.lambdaK2, backend);
    }
    backend.attentionScoresBackward(params, q, k, dScores, withoutPseudo(dQ), withoutPseudo(dK));
}

}  // namespace headloom
