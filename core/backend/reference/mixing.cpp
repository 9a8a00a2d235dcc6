#include "core/backend/reference/reference_backend.h"
#include "core/backend/reference/view.h"

namespace headloom::reference {

void ReferenceBackend::projectHeads(const Tensor& x, const Tensor& weight, const Tensor& bias,
                                    const Tensor& out) {
    const std::int64_t nBatch = out.size(0), nHeads = out.size(1), nTokens = out.size(2);
    const std::int64_t dModel = x.size(2), dHead = out.size(3);
    withType(x, [&]<class T>(T) {
        const View<T> in(x), w(weight), shift(bias), result(out);
        for (std::int64_t b = 0; b < nBatch; ++b)
            for (std::int64_t h = 0; h < nHeads; ++h)
                for (std::int64_t n = 0; n < nTokens; ++n)
                    for (std::int64_t y = 0; y < dHead; ++y) {
                        T sum = shift ? shift(h, y) : T(0);
                        for (std::int64_t c = 0; c < dModel; ++c) sum += in(b, n, c) * w(h, c, y);
                        result(b, h, n, y) = sum;
                    }
    });
}

void ReferenceBackend::projectHeadsBackward(const Tensor& x, const Tensor& weight,
                                            const Tensor& dOut, const Tensor& dX,
                                            const Tensor& dWeight, const Tensor& dBias) {
    const std::int64_t nBatch = dOut.size(0), nHeads = dOut.size(1), nTokens = dOut.size(2);
    const std::int64_t dModel = x.size(2), dHead = dOut.size(3);
    withType(x, [&]<class T>(T) {
        const View<T> in(x), w(weight), above(dOut), toX(dX), toWeight(dWeight), toBias(dBias);
        for (std::int64_t b = 0; b < nBatch; ++b)
            for (std::int64_t h = 0; h < nHeads; ++h)
                for (std::int64_t n = 0; n < nTokens; ++n)
                    for (std::int64_t y = 0; y < dHead; ++y) {
                        for (std::int64_t c = 0; c < dModel; ++c) {
                            if (toX) toX(b, n, c) += above(b, h, n, y) * w(h, c, y);
                            if (toWeight) toWeight(h, c, y) += in(b, n, c) * above(b, h, n, y);
                        }
                        if (toBias) toBias(h, y) += above(b, h, n, y);
                    }
    });
}

void ReferenceBackend::mixHeads(const Tensor& x, const Tensor& alpha, const Tensor& out) {
    const std::int64_t nBatch = out.size(0), nHeads = out.size(1), nPseudo = out.size(2);
    const std::int64_t nTokens = out.size(3), dHead = out.size(4), nSources = x.size(1);
    withType(x, [&]<class T>(T) {
        const View<T> in(x), a(alpha), result(out);
        for (std::int64_t b = 0; b < nBatch; ++b)
            for (std::int64_t h = 0; h < nHeads; ++h)
                for (std::int64_t p = 0; p < nPseudo; ++p)
                    for (std::int64_t n = 0; n < nTokens; ++n)
                        for (std::int64_t c = 0; c < dHead; ++c) {
                            T sum = 0;
                            for (std::int64_t m = 0; m < nSources; ++m)
                                sum += a(m, h, p) * in(b, m, n, c);
                            result(b, h, p, n, c) = sum;
                        }
    });
}

void ReferenceBackend::mixHeadsBackward(const Tensor& x, const Tensor& alpha, const Tensor& dOut,
                                        const Tensor& dX, const Tensor& dAlpha) {
    const std::int64_t nBatch = dOut.size(0), nHeads = dOut.size(1), nPseudo = dOut.size(2);
    const std::int64_t nTokens = dOut.size(3), dHead = dOut.size(4), nSources = x.size(1);
    withType(x, [&]<class T>(T) {
        const View<T> in(x), a(alpha), above(dOut), toX(dX), toAlpha(dAlpha);
        for (std::int64_t b = 0; b < nBatch; ++b)
            for (std::int64_t h = 0; h < nHeads; ++h)
                for (std::int64_t p = 0; p < nPseudo; ++p)
                    for (std::int64_t n = 0; n < nTokens; ++n)
                        for (std::int64_t c = 0; c < dHead; ++c)
                            for (std::int64_t m = 0; m < nSources; ++m) {
                                const T g = above(b, h, p, n, c);
                                if (toX) toX(b, m, n, c) += a(m, h, p) * g;
                                if (toAlpha) toAlpha(m, h, p) += in(b, m, n, c) * g;
                            }
    });
}

}  // namespace headloom::reference
