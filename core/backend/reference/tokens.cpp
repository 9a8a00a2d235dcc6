#include "core/backend/reference/reference_backend.h"
#include "core/backend/reference/view.h"

namespace headloom::reference {

void ReferenceBackend::embed(const Tensor& ids, const Tensor& table, const Tensor& positions,
                             std::int64_t start, const Tensor& out) {
    const std::int64_t nBatch = out.size(0), nTokens = out.size(1), dModel = out.size(2);
    withType(table, [&]<class T>(T) {
        const View<std::int32_t> id(ids);
        const View<T> row(table), position(positions), result(out);
        for (std::int64_t b = 0; b < nBatch; ++b)
            for (std::int64_t n = 0; n < nTokens; ++n)
                for (std::int64_t x = 0; x < dModel; ++x) {
                    result(b, n, x) = row(id(b, n), x);
                    if (position) result(b, n, x) += position(start + n, x);
                }
    });
}

void ReferenceBackend::embedBackward(const Tensor& ids, const Tensor& dOut, const Tensor& dTable,
                                     const Tensor& dPositions) {
    const std::int64_t nBatch = dOut.size(0), nTokens = dOut.size(1), dModel = dOut.size(2);
    withType(dOut, [&]<class T>(T) {
        const View<std::int32_t> id(ids);
        const View<T> above(dOut), toTable(dTable), toPositions(dPositions);
        for (std::int64_t b = 0; b < nBatch; ++b)
            for (std::int64_t n = 0; n < nTokens; ++n)
                for (std::int64_t x = 0; x < dModel; ++x) {
                    if (toTable) toTable(id(b, n), x) += above(b, n, x);
                    if (toPositions) toPositions(n, x) += above(b, n, x);
                }
    });
}

}  // namespace headloom::reference
