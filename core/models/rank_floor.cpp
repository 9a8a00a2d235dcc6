#include "core/models/rank_floor.h"

#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <vector>

namespace headloom {

namespace {

using Matrix = Eigen::MatrixXd;

double traceOfProduct(const Matrix& a, const Matrix& b) {
    return a.cwiseProduct(b.transpose()).sum();
}

std::vector<Matrix> powersOf(const Tensor& matrix, int order) {
    const auto n = matrix.size(0);
    using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    const Matrix a = Eigen::Map<const RowMajor>(matrix.data<double>(), n, n);
    std::vector<Matrix> powers = {Matrix::Identity(n, n)};
    while (static_cast<int>(powers.size()) < order) powers.push_back(powers.back() * a);
    return powers;
}

/// Sum over j of C_j^T C_j, the quadratic form of an error made of these operators.
Matrix gram(const std::vector<Matrix>& operators, Eigen::Index n) {
    Matrix sum = Matrix::Zero(n, n);
    for (const Matrix& one : operators) sum += one.transpose() * one;
    return sum;
}

}  // namespace

RankFloor rankFloor(const Tensor& matrix, int order, int dNode, int nMaps, int samples) {
    const std::vector<Matrix> powers = powersOf(matrix, order);
    const Eigen::Index n = matrix.size(0);
    Matrix columns(n * n, order);
    for (int i = 0; i < order; ++i) columns.col(i) = powers[static_cast<std::size_t>(i)].reshaped();
    const Eigen::JacobiSVD<Matrix> svd(columns, Eigen::ComputeThinU | Eigen::ComputeThinV);
    const Eigen::ArrayXd squares = svd.singularValues().array().square();
    const auto kept = std::min<Eigen::Index>(nMaps, squares.size());
    RankFloor floor;
    floor.expected = squares.tail(squares.size() - kept).sum() / squares.sum();
    if (floor.expected < 1e-12) return {};

    // The operators along the right singular vectors. Those well below the cut are lost by every
    // best approximation; of those that equal the first one lost, any `lost` dimensions may be.
    const double tie = 1e-9 * squares(0), cut = squares(kept);
    std::vector<Matrix> surely, equal;
    Eigen::Index lost = 0;
    for (Eigen::Index j = 0; j < squares.size(); ++j) {
        Matrix along = Matrix::Zero(n, n);
        for (int i = 0; i < order; ++i)
            along += svd.matrixV()(i, j) * powers[static_cast<std::size_t>(i)];
        if (std::abs(squares(j) - cut) <= tie) {
            equal.push_back(along);
            lost += j >= kept;
        } else if (j >= kept) {
            surely.push_back(along);
        }
    }
    // The squared error is x^T E x and the squared target x^T T x. A random projector Pi onto m of
    // c dimensions has E[Pi_ab Pi_cd] = alpha 1ab 1cd + beta (1ac 1bd + 1ad 1bc); its two traces
    // give alpha and beta, and with them the mean of tr(E^2).
    const auto c = static_cast<double>(equal.size()), m = static_cast<double>(lost);
    const double beta = c > 1 ? m * (c - m) / (c * (c - 1) * (c + 2)) : 0.0;
    const double alpha = m * m / (c * c) - 2 * beta / c;
    const Matrix sure = gram(surely, n), among = gram(equal, n), target = gram(powers, n);
    const Matrix error = sure + m / c * among;
    double pairs = 0;
    Matrix outer = Matrix::Zero(n, n);
    for (const Matrix& a : equal) {
        outer += a * a.transpose();
        for (const Matrix& b : equal) {
            const Matrix product = a.transpose() * b;
            pairs += traceOfProduct(product, product);
        }
    }
    const double errorSquared =
        traceOfProduct(sure, sure) + 2 * m / c * traceOfProduct(sure, among) +
        alpha * traceOfProduct(among, among) + beta * (pairs + traceOfProduct(outer, outer));
    const double f = floor.expected;
    const double spread = errorSquared - 2 * f * traceOfProduct(error, target) +
                          f * f * traceOfProduct(target, target);
    const double size = target.trace();
    floor.deviation = std::sqrt(std::max(0.0, 2 * spread / (dNode * samples * size * size)));
    return floor;
}

}  // namespace headloom
