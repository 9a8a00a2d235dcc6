#include "core/theory/few_heads.h"

#include "core/base/rng.h"
#include "core/models/guarded.h"
#include "core/theory/constructed_layer.h"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cassert>
#include <cmath>

namespace headloom {

namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using View = Eigen::Map<Matrix>;

View viewOf(const Tensor& tensor, std::int64_t rows, std::int64_t columns) {
    return {tensor.data<double>(), rows, columns};
}

/// The singular vectors of the matrix whose rows are the powers: columns of `vectors` [k, k], the
/// largest first, from its Gram matrix, whose relative error of 1e-16 is far below what counts.
struct Spectrum {
    Eigen::VectorXd squares;
    Eigen::MatrixXd vectors;
};

Spectrum spectrumOf(const GraphPowers& powers, int nFilters) {
    const std::int64_t n = powers.nNodes();
    const View rows = viewOf(powers.all(), powers.count(), n * n);
    Eigen::MatrixXd gram = Eigen::MatrixXd::Zero(nFilters, nFilters);
    gram.selfadjointView<Eigen::Lower>().rankUpdate(rows.topRows(nFilters));
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(gram);
    return {solver.eigenvalues().reverse().cwiseMax(0.0),
            solver.eigenvectors().rowwise().reverse()};
}

/// sum_a (A^a)^T B_a by Horner's rule: only products with A itself, which is sparse. Row a of
/// `terms` is B_a.
Matrix sumOfProducts(const Matrix& terms, const GraphPowers& powers) {
    const std::int64_t n = powers.nNodes(), k = terms.rows();
    Tensor sum = Tensor::host({n, n}, DType::f64);
    for (std::int64_t a = k - 1; a >= 0; --a) {
        if (a < k - 1) sum = powers.transposedTimes(sum);
        viewOf(sum, 1, n * n) += terms.row(a);
    }
    return viewOf(sum, n, n);
}

/// With x^T E x lost of x^T T x in expectation f: a ratio of two sums over `signals` draws has the
/// variance 2 tr((E - f T)^2) / (signals tr(T)^2), to first order. T = sum_a (A^a)^T A^a, and in E
/// the fit, sum_h v_ah maps_h, is taken from each A^a on the right; tr T is the sum of the squares.
double deviationOf(const Spectrum& spectrum, const Eigen::MatrixXd& reading, const View& maps,
                   const GraphPowers& powers, double lost, int signals) {
    const std::int64_t n = powers.nNodes(), k = reading.rows();
    Matrix terms = (1 - lost) * viewOf(powers.all(), powers.count(), n * n).topRows(k);
    terms.noalias() -= reading * maps;
    return std::sqrt(2.0 * sumOfProducts(terms, powers).squaredNorm() / signals) /
           spectrum.squares.sum();
}

/// Signals side by side [N, signals].
Tensor drawnSignals(std::int64_t nNodes, int nSignals) {
    const Tensor x = Tensor::host({nNodes, nSignals}, DType::f64);
    Rng rng(1);
    for (double& value : x.values<double>()) value = rng.normal();
    return x;
}

/// The fit as a layer: head j has the map sum_i v_ij A^i, and power i is read from the heads with
/// weights v_ij (that is W_O, a mixing of whole heads). Its relative squared error on signals.
double measure(const Tensor& maps, const Eigen::MatrixXd& reading, const GraphPowers& powers,
               int nSignals, DType type, Backend& backend) {
    const std::int64_t n = powers.nNodes(), heads = maps.size(0), k = reading.rows();
    const Tensor x = drawnSignals(n, nSignals);
    const Tensor keys = Tensor::host({1, heads, 1, n, n}, DType::f64),
                 values = Tensor::host({1, heads, 1, n, nSignals}, DType::f64),
                 mixing = Tensor::host({heads, k, 1}, DType::f64);
    for (std::int64_t h = 0; h < heads; ++h) {
        viewOf(keys.at(0).at(h), n, n).setIdentity();
        std::copy_n(x.data<double>(), x.count(), values.at(0).at(h).data<double>());
        for (std::int64_t i = 0; i < k; ++i) mixing.data<double>()[h * k + i] = reading(i, h);
    }
    AttentionParams params;
    params.mask = MaskKind::none;
    params.score = ScoreKind::linear;
    params.scale = 1;
    const Tensor y = backend.allocate({1, heads, 1, n, nSignals}, type),
                 out = backend.allocate({1, k, 1, n, nSignals}, type);
    backend.attention(params, placedOn(backend, type, maps.reshaped({1, heads, 1, n, n})),
                      placedOn(backend, type, keys), placedOn(backend, type, values), y, {});
    backend.mixHeads(y.reshaped({1, heads, n, nSignals}), placedOn(backend, type, mixing), out);
    const Tensor got = fetchedFrom(backend, out).reshaped({k, n * nSignals});
    double error = 0, squares = 0;
    Tensor want = x;
    for (std::int64_t i = 0; i < k; ++i) {
        if (i > 0) want = powers.times(want);
        const View expected = viewOf(want, 1, n * nSignals);
        error += (viewOf(got.at(i), 1, n * nSignals) - expected).squaredNorm();
        squares += expected.squaredNorm();
    }
    return error / squares;
}

}  // namespace

Result<FewHeads> fitFewHeads(const BankSize& size, const GraphPowers& powers, int nHeads,
                             DType type, Backend& backend, const std::function<bool()>& cancelled) {
    if (auto fine = validate(size); !fine) return tl::unexpected(fine.error());
    const int k = size.nFilters;
    if (nHeads < 1 || nHeads > k)
        return fail(Error::Kind::badInput, "too few heads", fmt::format("{} cannot be had", nHeads),
                    fmt::format("use 1 to k = {}", k));
    assert(powers.count() >= k && powers.nNodes() == size.nNodes);
    const auto stopped = [&] { return cancelled && cancelled(); };
    const auto interrupted = [] {
        return fail(Error::Kind::interrupted, "too few heads", "was stopped");
    };
    constexpr int signals = 64;
    constexpr double rounding = 1e-12;
    return guarded([&]() -> Result<FewHeads> {
        const Spectrum spectrum = spectrumOf(powers, k);
        if (stopped()) return interrupted();
        FewHeads fit;
        fit.nHeads = nHeads;
        fit.nSignals = signals;
        const double all = spectrum.squares.sum();
        for (int heads = 0; heads <= k; ++heads) {
            const double share = spectrum.squares.tail(k - heads).sum() / all;
            fit.boundByHead.push_back(share < rounding ? 0 : share);
        }
        fit.bound = fit.boundByHead[static_cast<std::size_t>(nHeads)];
        const Eigen::MatrixXd reading = spectrum.vectors.leftCols(nHeads);
        const std::int64_t n = size.nNodes;
        fit.maps = Tensor::host({nHeads, n, n}, DType::f64);
        View maps = viewOf(fit.maps, nHeads, n * n);
        maps.noalias() = reading.transpose() * viewOf(powers.all(), k, n * n);
        if (stopped()) return interrupted();
        if (fit.bound > 0)
            fit.deviation = deviationOf(spectrum, reading, maps, powers, fit.bound, signals);
        if (fit.deviation < rounding) fit.deviation = 0;
        if (stopped()) return interrupted();
        fit.measured = measure(fit.maps, reading, powers, signals, type, backend);
        return fit;
    });
}

}  // namespace headloom
