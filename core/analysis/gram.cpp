#include "core/analysis/gram.h"

#include "core/analysis/tensor_statistics.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

namespace headloom {

namespace {

constexpr std::int64_t cellsAtOnce = 4096;  // of every pattern, in double: a few MB for hundreds

using RowMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

}  // namespace

Gram::Gram(std::int64_t count)
    : count_(count), products_(static_cast<std::size_t>(count * count)) {}

void Gram::add(const float* first, std::int64_t width, std::int64_t stride) {
    Eigen::Map<Eigen::MatrixXd> sums(products_.data(), count_, count_);
    for (std::int64_t cell = 0; cell < width; cell += cellsAtOnce) {
        const Eigen::Map<const RowMajor, 0, Eigen::OuterStride<>> block(
            first + cell, count_, std::min(cellsAtOnce, width - cell),
            Eigen::OuterStride<>(stride));
        const Eigen::MatrixXd finite =
            block.unaryExpr([](float value) { return std::isfinite(value) ? value : 0.F; })
                .cast<double>();
        sums.selfadjointView<Eigen::Lower>().rankUpdate(finite);
    }
    sums.triangularView<Eigen::StrictlyUpper>() = sums.transpose();
}

double Gram::cosine(std::int64_t a, std::int64_t b) const {
    const double lengths = std::sqrt(product(a, a)) * std::sqrt(product(b, b));
    return lengths > 0 ? std::clamp(product(a, b) / lengths, -1.0, 1.0) : 0;
}

double Gram::rank() const {
    // singular values of the stacked patterns are the roots of their Gram matrix's eigenvalues
    const Eigen::Map<const Eigen::MatrixXd> sums(products_.data(), count_, count_);
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(sums, Eigen::EigenvaluesOnly);
    std::vector<double> singular;
    for (const double value : solver.eigenvalues())
        singular.push_back(std::sqrt(std::max(0.0, value)));
    return effectiveRank(singular);
}

}  // namespace headloom
