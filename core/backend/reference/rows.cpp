#include "core/backend/reference/reference_backend.h"
#include "core/backend/reference/view.h"

#include <cmath>
#include <vector>

namespace headloom::reference {

void ReferenceBackend::linear(const Tensor& x, const Tensor& weight, const Tensor& bias,
                              const Tensor& out) {
    withType(x, [&]<class T>(T) {
        const Tensor rows = asRows(x);
        const std::int64_t nRows = rows.size(0), nIn = weight.size(0), nOut = weight.size(1);
        const View<T> in(rows), w(weight), shift(bias), result(asRows(out));
        for (std::int64_t row = 0; row < nRows; ++row)
            for (std::int64_t o = 0; o < nOut; ++o) {
                T sum = shift ? shift(o) : T(0);
                for (std::int64_t i = 0; i < nIn; ++i) sum += in(row, i) * w(i, o);
                result(row, o) = sum;
            }
    });
}

void ReferenceBackend::linearBackward(const Tensor& x, const Tensor& weight, const Tensor& dOut,
                                      const Tensor& dX, const Tensor& dWeight,
                                      const Tensor& dBias) {
    withType(x, [&]<class T>(T) {
        const Tensor rows = asRows(x);
        const std::int64_t nRows = rows.size(0), nIn = weight.size(0), nOut = weight.size(1);
        const View<T> in(rows), w(weight), above(asRows(dOut));
        const View<T> toX(asRows(dX)), toWeight(dWeight), toBias(dBias);
        for (std::int64_t row = 0; row < nRows; ++row)
            for (std::int64_t o = 0; o < nOut; ++o) {
                for (std::int64_t i = 0; i < nIn; ++i) {
                    if (toX) toX(row, i) += above(row, o) * w(i, o);
                    if (toWeight) toWeight(i, o) += in(row, i) * above(row, o);
                }
                if (toBias) toBias(o) += above(row, o);
            }
    });
}

void ReferenceBackend::linearTransposed(const Tensor& x, const Tensor& weight, const Tensor& bias,
                                        const Tensor& out) {
    withType(x, [&]<class T>(T) {
        const Tensor rows = asRows(x);
        const std::int64_t nRows = rows.size(0), nOut = weight.size(0), nIn = weight.size(1);
        const View<T> in(rows), w(weight), shift(bias), result(asRows(out));
        for (std::int64_t row = 0; row < nRows; ++row)
            for (std::int64_t o = 0; o < nOut; ++o) {
                T sum = shift ? shift(o) : T(0);
                for (std::int64_t i = 0; i < nIn; ++i) sum += in(row, i) * w(o, i);
                result(row, o) = sum;
            }
    });
}

void ReferenceBackend::linearTransposedBackward(const Tensor& x, const Tensor& weight,
                                                const Tensor& dOut, const Tensor& dX,
                                                const Tensor& dWeight, const Tensor& dBias) {
    withType(x, [&]<class T>(T) {
        const Tensor rows = asRows(x);
        const std::int64_t nRows = rows.size(0), nOut = weight.size(0), nIn = weight.size(1);
        const View<T> in(rows), w(weight), above(asRows(dOut));
        const View<T> toX(asRows(dX)), toWeight(dWeight), toBias(dBias);
        for (std::int64_t row = 0; row < nRows; ++row)
            for (std::int64_t o = 0; o < nOut; ++o) {
                for (std::int64_t i = 0; i < nIn; ++i) {
                    if (toX) toX(row, i) += above(row, o) * w(o, i);
                    if (toWeight) toWeight(o, i) += in(row, i) * above(row, o);
                }
                if (toBias) toBias(o) += above(row, o);
            }
    });
}

void ReferenceBackend::add(const Tensor& x, const Tensor& out) {
    withType(x, [&]<class T>(T) {
        for (std::int64_t i = 0; i < x.count(); ++i) out.data<T>()[i] += x.data<T>()[i];
    });
}

void ReferenceBackend::topK(const Tensor& x, const Tensor& values, const Tensor& ids) {
    withType(x, [&]<class T>(T) {
        const View<T> from(x), value(values);
        const View<std::int32_t> id(ids);
        for (std::int64_t row = 0; row < x.size(0); ++row) {
            std::vector<bool> taken(static_cast<std::size_t>(x.size(1)));
            for (std::int64_t rank = 0; rank < values.size(1); ++rank) {
                std::int64_t best = -1;
                for (std::int64_t v = 0; v < x.size(1); ++v) {
                    if (taken[static_cast<std::size_t>(v)]) continue;
                    const bool larger =
                        best < 0 ||
                        (std::isfinite(from(row, v)) &&
                         !(std::isfinite(from(row, best)) && from(row, best) >= from(row, v)));
                    if (larger) best = v;
                }
                taken[static_cast<std::size_t>(best)] = true;
                value(row, rank) = from(row, best);
                id(row, rank) = static_cast<std::int32_t>(best);
            }
        }
    });
}

}  // namespace headloom::reference
