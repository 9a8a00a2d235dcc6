#include "core/backend/reference/reference_backend.h"
#include "core/backend/reference/view.h"

#include <cmath>

namespace headloom::reference {

void ReferenceBackend::norm(NormKind kind, double epsilon, const Tensor& x, const Tensor& weight,
                            const Tensor& bias, const Tensor& out, const Tensor& statistics) {
    withType(x, [&]<class T>(T) {
        const Tensor rows = asRows(x);
        const std::int64_t nRows = rows.size(0), width = rows.size(1);
        const View<T> in(rows), scale(weight), shift(bias);
        const View<T> result(asRows(out)), saved(asRows(statistics));
        for (std::int64_t row = 0; row < nRows; ++row) {
            T mean = 0;
            if (kind == NormKind::layer)
                for (std::int64_t c = 0; c < width; ++c) mean += in(row, c) / T(width);
            T variance = 0;  // for RMSNorm: the mean square
            for (std::int64_t c = 0; c < width; ++c) {
                const T centred = in(row, c) - mean;
                variance += centred * centred / T(width);
            }
            const T reciprocal = T(1) / std::sqrt(variance + T(epsilon));
            for (std::int64_t c = 0; c < width; ++c) {
                result(row, c) = (in(row, c) - mean) * reciprocal * scale(c);
                if (shift) result(row, c) += shift(c);
            }
            saved(row, 0) = mean;
            saved(row, 1) = reciprocal;
        }
    });
}

// With n = (x - mean) * reciprocal and g = dOut * weight, the chain rule through both the mean and
// the deviation gives dX = reciprocal * (g - mean(g) - n * mean(g * n)); RMSNorm subtracts no mean,
// so mean(g) drops out.
void ReferenceBackend::normBackward(NormKind kind, const Tensor& x, const Tensor& weight,
                                    const Tensor& statistics, const Tensor& dOut, const Tensor& dX,
                                    const Tensor& dWeight, const Tensor& dBias) {
    withType(x, [&]<class T>(T) {
        const Tensor rows = asRows(x);
        const std::int64_t nRows = rows.size(0), width = rows.size(1);
        const View<T> in(rows), scale(weight), saved(asRows(statistics)), above(asRows(dOut));
        const View<T> toX(asRows(dX)), toWeight(dWeight), toBias(dBias);
        for (std::int64_t row = 0; row < nRows; ++row) {
            const T mean = saved(row, 0), reciprocal = saved(row, 1);
            T meanG = 0, meanGN = 0;
            for (std::int64_t c = 0; c < width; ++c) {
                const T normed = (in(row, c) - mean) * reciprocal;
                const T g = above(row, c) * scale(c);
                if (kind == NormKind::layer) meanG += g / T(width);
                meanGN += g * normed / T(width);
            }
            for (std::int64_t c = 0; c < width; ++c) {
                const T normed = (in(row, c) - mean) * reciprocal;
                const T g = above(row, c) * scale(c);
                if (toX) toX(row, c) += reciprocal * (g - meanG - normed * meanGN);
                if (toWeight) toWeight(c) += above(row, c) * normed;
                if (toBias) toBias(c) += above(row, c);
            }
        }
    });
}

}  // namespace headloom::reference
