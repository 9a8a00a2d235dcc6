#pragma once

#include <Eigen/Core>
#include <functional>
#include <vector>

namespace headloom {

// Decompositions that can be given up: Eigen's own run to their end, seconds for large matrices.
// `cancelled`, which may be empty, is polled every few milliseconds to a tenth of a second; true
// gives nothing.

/// The triangle of a matrix's QR decomposition, [min(rows, columns), columns], block by block of
/// rows (Golub and Van Loan, 5.2).
Eigen::MatrixXd triangleOf(const Eigen::MatrixXd& matrix, const std::function<bool()>& cancelled);

/// Largest first, min(rows, columns) of them: Householder bidiagonalisation, then the eigenvalues
/// of the tridiagonal matrix of Golub and Kahan, which come in pairs of +/- a singular value.
std::vector<double> singularValuesOf(Eigen::MatrixXd matrix,
                                     const std::function<bool()>& cancelled);

}  // namespace headloom
