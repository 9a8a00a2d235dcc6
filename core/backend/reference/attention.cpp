#include "core/backend/reference/multiplier.h"
#include "core/backend/reference/reference_backend.h"
#include "core/backend/reference/view.h"
#include "core/backend/reference/weigh.h"

#include <cmath>

namespace headloom::reference {

void ReferenceBackend::rotate(const RotaryParams& params, const Tensor& x) {
    if (params.positions == PositionKind::none) return;
    const std::int64_t nBatch = x.size(0), nHeads = x.size(1), nPseudo = x.size(2);
    const std::int64_t nTokens = x.size(3), dHead = x.size(4), half = params.widthFor(dHead) / 2;
    assert(params.widthFor(dHead) % 2 == 0);
    withType(x, [&]<class T>(T) {
        const View<T> value(x);
        for (std::int64_t p = 0; p < nPseudo; ++p)
            for (std::int64_t n = 0; n < nTokens; ++n)
                for (std::int64_t c = 0; c < half; ++c) {
                    const std::int64_t token = params.start + n;
                    const std::int64_t position =
                        params.positions == PositionKind::token ? token : token * nPseudo + p;
                    // In double even for float32: a late position times a frequency loses the
                    // fraction of a turn that matters.
                    const double turn =
                        double(position) * params.factor * params.frequency(c, dHead);
                    const double angle = params.inverse ? -turn : turn;
                    const T cosine = T(std::cos(angle)), sine = T(std::sin(angle));
                    for (std::int64_t b = 0; b < nBatch; ++b)
                        for (std::int64_t h = 0; h < nHeads; ++h) {
                            T& first = value(b, h, p, n, c);
                            T& second = value(b, h, p, n, c + half);
                            const T before = first;
                            first = before * cosine - second * sine;
                            second = second * cosine + before * sine;
                        }
                }
    });
}

void ReferenceBackend::append(const Tensor& rows, std::int64_t start, const Tensor& cache) {
    withType(rows, [&]<class T>(T) {
        const View<T> from(rows), to(cache);
        for (std::int64_t b = 0; b < rows.size(0); ++b)
            for (std::int64_t g = 0; g < rows.size(1); ++g)
                for (std::int64_t p = 0; p < rows.size(2); ++p)
                    for (std::int64_t n = 0; n < rows.size(3); ++n)
                        for (std::int64_t c = 0; c < rows.size(4); ++c)
                            to(b, g, p, start + n, c) = from(b, g, p, n, c);
    });
}

void ReferenceBackend::attention(const AttentionParams& params, const Tensor& q, const Tensor& k,
                                 const Tensor& v, const Tensor& y, const Tensor& maps) {
    const std::int64_t nBatch = q.size(0), nHeads = q.size(1), nPseudo = q.size(2);
    const std::int64_t nQueries = q.size(3), dHead = q.size(4);
    const std::int64_t nGroups = k.size(1), nKeys = keysInUse(params, k), dValue = v.size(4);
    assert(nHeads % nGroups == 0);
    withType(q, [&]<class T>(T) {
        const View<T> query(q), key(k), value(v), result(y), kept(maps);
        const Multiplier<T> multiplier(params.multiplier);
        const T scale = T(params.scaleFor(dHead));
        Row<T> row{std::vector<T>(nPseudo * nKeys), std::vector<bool>(nPseudo * nKeys)};

        const auto attend = [&](std::int64_t b, std::int64_t h, std::int64_t p, std::int64_t i) {
            const std::int64_t g = h * nGroups / nHeads;
            for (std::int64_t r = 0; r < nPseudo; ++r)
                for (std::int64_t j = 0; j < nKeys; ++j) {
                    T dot = 0;
                    for (std::int64_t c = 0; c < dHead; ++c)
                        dot += query(b, h, p, i, c) * key(b, g, r, j, c);
                    const bool removed = params.renormalise && multiplier(h, p, r, i, j) == T(0);
                    row.value[r * nKeys + j] = dot * scale;
                    row.allowed[r * nKeys + j] =
                        !removed && allows(params, nPseudo, params.queryStart + i, p, j, r);
                }
            weigh(params.score, row);
            for (std::int64_t c = 0; c < dValue; ++c) result(b, h, p, i, c) = 0;
            for (std::int64_t r = 0; r < nPseudo; ++r)
                for (std::int64_t j = 0; j < nKeys; ++j) {
                    T weight = row.value[r * nKeys + j];
                    if (!params.renormalise) weight *= multiplier(h, p, r, i, j);
                    if (kept) kept(b, h, p, r, i, j) = weight;
                    for (std::int64_t c = 0; c < dValue; ++c)
                        result(b, h, p, i, c) += weight * value(b, g, r, j, c);
                }
        };
        for (std::int64_t b = 0; b < nBatch; ++b)
            for (std::int64_t h = 0; h < nHeads; ++h)
                for (std::int64_t p = 0; p < nPseudo; ++p)
                    for (std::int64_t i = 0; i < nQueries; ++i) attend(b, h, p, i);
    });
}

// Per row: dA = dY . v. Softmax couples the cells of its row, dS = A (dA - sum A dA); linear does
// not, dS = dA on allowed cells. Then the product rule of S = scale * q . k.
void ReferenceBackend::attentionBackward(const AttentionParams& params, const Tensor& q,
                                         const Tensor& k, const Tensor& v, const Tensor& maps,
                                         const Tensor& dY, const Tensor& dQ, const Tensor& dK,
                                         const Tensor& dV) {
    const std::int64_t nBatch = q.size(0), nHeads = q.size(1), nPseudo = q.size(2);
    const std::int64_t nQueries = q.size(3), dHead = q.size(4);
    const std::int64_t nGroups = k.size(1), nKeys = keysInUse(params, k), dValue = v.size(4);
    assert(params.score != ScoreKind::hard && !params.multiplier);
    withType(q, [&]<class T>(T) {
        const View<T> query(q), key(k), value(v), weight(maps), above(dY);
        const View<T> toQ(dQ), toK(dK), toV(dV);
        const T scale = T(params.scaleFor(dHead));
        std::vector<T> dWeight(nPseudo * nKeys);  // of one row

        const auto backward = [&](std::int64_t b, std::int64_t h, std::int64_t p, std::int64_t i) {
            const std::int64_t g = h * nGroups / nHeads;
            T coupling = 0;
            for (std::int64_t r = 0; r < nPseudo; ++r)
                for (std::int64_t j = 0; j < nKeys; ++j) {
                    T sum = 0;
                    for (std::int64_t c = 0; c < dValue; ++c)
                        sum += above(b, h, p, i, c) * value(b, g, r, j, c);
                    dWeight[r * nKeys + j] = sum;
                    coupling += weight(b, h, p, r, i, j) * sum;
                }
            for (std::int64_t r = 0; r < nPseudo; ++r)
                for (std::int64_t j = 0; j < nKeys; ++j) {
                    if (!allows(params, nPseudo, params.queryStart + i, p, j, r)) continue;
                    const T a = weight(b, h, p, r, i, j);
                    const T dA = dWeight[r * nKeys + j];
                    const T dS =
                        scale * (params.score == ScoreKind::linear ? dA : a * (dA - coupling));
                    for (std::int64_t c = 0; c < dHead; ++c) {
                        if (toQ) toQ(b, h, p, i, c) += dS * key(b, g, r, j, c);
                        if (toK) toK(b, g, r, j, c) += dS * query(b, h, p, i, c);
                    }
                    for (std::int64_t c = 0; c < dValue; ++c)
                        if (toV) toV(b, g, r, j, c) += a * above(b, h, p, i, c);
                }
        };
        for (std::int64_t b = 0; b < nBatch; ++b)
            for (std::int64_t h = 0; h < nHeads; ++h)
                for (std::int64_t p = 0; p < nPseudo; ++p)
                    for (std::int64_t i = 0; i < nQueries; ++i) backward(b, h, p, i);
    });
}

}  // namespace headloom::reference
