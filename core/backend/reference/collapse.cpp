#include "core/backend/reference/reference_backend.h"
#include "core/backend/reference/view.h"

namespace headloom::reference {

namespace {

/// The collapse matrix in any of its three forms, read as R[g, h, p]: how much of pseudo-head p of
/// head h goes into output head g.
template <class T>
class CollapseWeights {
  public:
    CollapseWeights(const Tensor& r, std::int64_t nHeads, std::int64_t nPseudo)
        : r_(r), nPseudo_(nPseudo), full_(r && r.size(1) == nHeads * nPseudo) {
        assert(r ? full_ || r.size(1) == nPseudo : nPseudo == 1);
    }

    /// Where R[g, h, p] is stored; null where the form has no such weight.
    T* find(const Tensor& matrix, std::int64_t g, std::int64_t h, std::int64_t p) const {
        if (full_) return &View<T>(matrix)(g, h * nPseudo_ + p);
        return g == h ? &View<T>(matrix)(g, p) : nullptr;
    }
    T operator()(std::int64_t g, std::int64_t h, std::int64_t p) const {
        if (!r_) return g == h ? T(1) : T(0);
        const T* weight = find(r_, g, h, p);
        return weight ? *weight : T(0);
    }

  private:
    Tensor r_;
    std::int64_t nPseudo_;
    bool full_;
};

}  // namespace

void ReferenceBackend::collapse(const Tensor& y, const Tensor& r, const Tensor& z) {
    const std::int64_t nBatch = y.size(0), nHeads = y.size(1), nPseudo = y.size(2);
    const std::int64_t nTokens = y.size(3), dHead = y.size(4);
    withType(y, [&]<class T>(T) {
        const View<T> in(y), result(z);
        const CollapseWeights<T> weight(r, nHeads, nPseudo);
        for (std::int64_t b = 0; b < nBatch; ++b)
            for (std::int64_t n = 0; n < nTokens; ++n)
                for (std::int64_t g = 0; g < nHeads; ++g)
                    for (std::int64_t c = 0; c < dHead; ++c) {
                        T sum = 0;
                        for (std::int64_t h = 0; h < nHeads; ++h)
                            for (std::int64_t p = 0; p < nPseudo; ++p)
                                sum += weight(g, h, p) * in(b, h, p, n, c);
                        result(b, n, g, c) = sum;
                    }
    });
}

void ReferenceBackend::collapseBackward(const Tensor& y, const Tensor& r, const Tensor& dZ,
                                        const Tensor& dY, const Tensor& dR) {
    const std::int64_t nBatch = y.size(0), nHeads = y.size(1), nPseudo = y.size(2);
    const std::int64_t nTokens = y.size(3), dHead = y.size(4);
    withType(y, [&]<class T>(T) {
        const View<T> in(y), above(dZ), toY(dY);
        const CollapseWeights<T> weight(r, nHeads, nPseudo);
        for (std::int64_t b = 0; b < nBatch; ++b)
            for (std::int64_t n = 0; n < nTokens; ++n)
                for (std::int64_t g = 0; g < nHeads; ++g)
                    for (std::int64_t h = 0; h < nHeads; ++h)
                        for (std::int64_t p = 0; p < nPseudo; ++p)
                            for (std::int64_t c = 0; c < dHead; ++c) {
                                const T gradient = above(b, n, g, c);
                                if (toY) toY(b, h, p, n, c) += weight(g, h, p) * gradient;
                                T* dWeight = dR ? weight.find(dR, g, h, p) : nullptr;
                                if (dWeight) *dWeight += in(b, h, p, n, c) * gradient;
                            }
    });
}

void ReferenceBackend::effectiveMaps(const Tensor& maps, const Tensor& alphaV, const Tensor& r,
                                     const Tensor& out) {
    const std::int64_t nBatch = maps.size(0), nHeads = maps.size(1), nPseudo = maps.size(2);
    const std::int64_t nQueries = maps.size(4), nKeys = maps.size(5), nSources = out.size(2);
    withType(maps, [&]<class T>(T) {
        const View<T> a(maps), alpha(alphaV), result(out);
        const CollapseWeights<T> weight(r, nHeads, nPseudo);
        const auto mixing = [&](std::int64_t m, std::int64_t h, std::int64_t key) {
            if (!alpha) return m == h ? T(1) : T(0);
            return alpha(m, h, key);
        };
        zero(out);
        for (std::int64_t b = 0; b < nBatch; ++b)
            for (std::int64_t g = 0; g < nHeads; ++g)
                for (std::int64_t m = 0; m < nSources; ++m)
                    for (std::int64_t h = 0; h < nHeads; ++h)
                        for (std::int64_t p = 0; p < nPseudo; ++p)
                            for (std::int64_t key = 0; key < nPseudo; ++key) {
                                const T factor = weight(g, h, p) * mixing(m, h, key);
                                for (std::int64_t i = 0; i < nQueries; ++i)
                                    for (std::int64_t j = 0; j < nKeys; ++j)
                                        result(b, g, m, i, j) += factor * a(b, h, p, key, i, j);
                            }
    });
}

}  // namespace headloom::reference
