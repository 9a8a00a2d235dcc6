#include "core/analysis/gram.h"

#include "core/analysis/tensor_statistics.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

namespace headloom {

namespace {

constexpr std::int64_t cellsAtOnce = 4096;  // of every pattern, in double: a few MB for hundreds

/// Cells of a block [count, width] that are not 0 in every pattern: a causal mask hides half.
std::vector<std::int64_t> usedCells(const float* block, std::int64_t count, std::int64_t width,
                                    std::int64_t stride) {
    std::vector<char> used(static_cast<std::size_t>(width));
    for (std::int64_t pattern = 0; pattern < count; ++pattern)
        for (std::int64_t cell = 0; cell < width; ++cell)
            used[static_cast<std::size_t>(cell)] |= block[pattern * stride + cell] != 0;
    std::vector<std::int64_t> cells;
    for (std::int64_t cell = 0; cell < width; ++cell)
        if (used[static_cast<std::size_t>(cell)]) cells.push_back(cell);
    return cells;
}

}  // namespace

Gram::Gram(std::int64_t count)
    : count_(count), products_(static_cast<std::size_t>(count * count)) {}

void Gram::add(const float* first, std::int64_t width, std::int64_t stride) {
    Eigen::Map<Eigen::MatrixXd> sums(products_.data(), count_, count_);
    for (std::int64_t cell = 0; cell < width; cell += cellsAtOnce) {
        const float* const block = first + cell;
        const auto used = usedCells(block, count_, std::min(cellsAtOnce, width - cell), stride);
        Eigen::MatrixXd finite(count_, static_cast<Eigen::Index>(used.size()));
        for (Eigen::Index column = 0; column < finite.cols(); ++column)
            for (std::int64_t pattern = 0; pattern < count_; ++pattern) {
                const float value =
                    block[pattern * stride + used[static_cast<std::size_t>(column)]];
                finite(pattern, column) = std::isfinite(value) ? value : 0;
            }
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
