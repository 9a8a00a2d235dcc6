#include "core/backend/reference/reference_backend.h"
#include "core/backend/reference/view.h"

namespace headloom::reference {

namespace {

/// ids as [B, N, K].
Tensor bySharer(const Tensor& ids, std::int64_t nBatch, std::int64_t nTokens) {
    return ids.reshaped({nBatch, nTokens, ids.shape().rank() == 3 ? ids.size(2) : 1});
}

}  // namespace

void ReferenceBackend::embed(const Tensor& ids, const Tensor& table, const Tensor& positions,
                             std::int64_t start, const Tensor& out) {
    const std::int64_t nBatch = out.size(0), nTokens = out.size(1), dModel = out.size(2);
    const Tensor shared = bySharer(ids, nBatch, nTokens);
    withType(table, [&]<class T>(T) {
        const View<std::int32_t> id(shared);
        const View<T> row(table), position(positions), result(out);
        for (std::int64_t b = 0; b < nBatch; ++b)
            for (std::int64_t n = 0; n < nTokens; ++n)
                for (std::int64_t x = 0; x < dModel; ++x) {
                    T sum = row(id(b, n, 0), x);
                    for (std::int64_t k = 1; k < shared.size(2); ++k)
                        if (id(b, n, k) >= 0) sum += row(id(b, n, k), x);
                    if (position) sum += position(start + n, x);
                    result(b, n, x) = sum;
                }
    });
}

void ReferenceBackend::embedBackward(const Tensor& ids, const Tensor& dOut, const Tensor& dTable,
                                     const Tensor& dPositions) {
    const std::int64_t nBatch = dOut.size(0), nTokens = dOut.size(1), dModel = dOut.size(2);
    const Tensor shared = bySharer(ids, nBatch, nTokens);
    withType(dOut, [&]<class T>(T) {
        const View<std::int32_t> id(shared);
        const View<T> above(dOut), toTable(dTable), toPositions(dPositions);
        for (std::int64_t b = 0; b < nBatch; ++b)
            for (std::int64_t n = 0; n < nTokens; ++n)
                for (std::int64_t x = 0; x < dModel; ++x) {
                    for (std::int64_t k = 0; toTable && k < shared.size(2); ++k)
                        if (id(b, n, k) >= 0) toTable(id(b, n, k), x) += above(b, n, x);
                    if (toPositions) toPositions(n, x) += above(b, n, x);
                }
    });
}

}  // namespace headloom::reference
