#include "core/analysis/singular_values.h"

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>

namespace headloom {

namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;
using Cancelled = std::function<bool()>;

constexpr Eigen::Index rowsAtOnce = 2048;

bool isStopped(const Cancelled& cancelled) {
    return cancelled && cancelled();
}

/// The two diagonals of an upper bidiagonal matrix with the same singular values.
struct Bidiagonal {
    Vector diagonal, above;
};

/// Of a matrix with at least as many rows as columns, which is overwritten. False: cancelled.
bool bidiagonalise(Matrix& a, Bidiagonal& out, const Cancelled& cancelled) {
    const Eigen::Index rows = a.rows(), columns = a.cols();
    out.diagonal = Vector::Zero(columns);
    out.above = Vector::Zero(std::max<Eigen::Index>(columns - 1, 0));
    Vector work(std::max(rows, columns));
    for (Eigen::Index k = 0; k < columns; ++k) {
        if (isStopped(cancelled)) return false;
        const Eigen::Index below = rows - k, right = columns - k - 1;
        double tau = 0;
        a.col(k).tail(below).makeHouseholderInPlace(tau, out.diagonal[k]);
        a.bottomRightCorner(below, right)
            .applyHouseholderOnTheLeft(a.col(k).tail(below - 1), tau, work.data());
        if (right == 0) break;
        a.row(k).tail(right).makeHouseholderInPlace(tau, out.above[k]);
        a.bottomRightCorner(below - 1, right)
            .applyHouseholderOnTheRight(a.row(k).tail(right - 1).transpose(), tau, work.data());
    }
    return true;
}

}  // namespace

Matrix triangleOf(const Matrix& matrix, const Cancelled& cancelled) {
    Matrix triangle(0, matrix.cols());
    for (Eigen::Index first = 0; first < matrix.rows(); first += rowsAtOnce) {
        if (isStopped(cancelled)) return {};
        const Eigen::Index taken = std::min(rowsAtOnce, matrix.rows() - first);
        Matrix stacked(triangle.rows() + taken, matrix.cols());
        stacked << triangle, matrix.middleRows(first, taken);
        const Eigen::HouseholderQR<Matrix> qr(stacked);
        triangle = qr.matrixQR()
                       .topRows(std::min(stacked.rows(), stacked.cols()))
                       .triangularView<Eigen::Upper>();
    }
    return triangle;
}

std::vector<double> singularValuesOf(Matrix matrix, const Cancelled& cancelled) {
    if (matrix.cols() > matrix.rows()) matrix = matrix.transpose().eval();
    // the triangle of a tall matrix has the same singular values and far fewer rows
    if (matrix.rows() > 2 * matrix.cols()) matrix = triangleOf(matrix, cancelled);
    Bidiagonal made;
    if (matrix.size() == 0 || !bidiagonalise(matrix, made, cancelled)) return {};
    const Eigen::Index count = made.diagonal.size();
    if (count == 1) return {std::abs(made.diagonal[0])};
    Vector beside(2 * count - 1);
    for (Eigen::Index i = 0; i < count; ++i) {
        beside[2 * i] = made.diagonal[i];
        if (i + 1 < count) beside[2 * i + 1] = made.above[i];
    }
    Eigen::SelfAdjointEigenSolver<Matrix> solver;
    solver.computeFromTridiagonal(Vector::Zero(2 * count), beside, Eigen::EigenvaluesOnly);
    std::vector<double> values;
    for (Eigen::Index i = 0; i < count; ++i)  // ascending: the positive ones are behind
        values.push_back(std::max(0.0, solver.eigenvalues()[2 * count - 1 - i]));
    return values;
}

}  // namespace headloom
