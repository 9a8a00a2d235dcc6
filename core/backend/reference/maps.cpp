#include "core/backend/reference/multiplier.h"
#include "core/backend/reference/reference_backend.h"
#include "core/backend/reference/view.h"
#include "core/backend/reference/weigh.h"

namespace headloom::reference {

void ReferenceBackend::attentionScores(const AttentionParams& params, const Tensor& q,
                                       const Tensor& k, const Tensor& scores) {
    const std::int64_t nBatch = q.size(0), nHeads = q.size(1), nQueries = q.size(2);
    const std::int64_t dHead = q.size(3), nGroups = k.size(1), nKeys = scores.size(3);
    assert(nHeads % nGroups == 0 && nKeys <= k.size(2));
    withType(q, [&]<class T>(T) {
        const View<T> query(q), key(k), result(scores);
        const T scale = T(params.scaleFor(dHead));
        for (std::int64_t b = 0; b < nBatch; ++b)
            for (std::int64_t h = 0; h < nHeads; ++h)
                for (std::int64_t i = 0; i < nQueries; ++i)
                    for (std::int64_t j = 0; j < nKeys; ++j) {
                        T dot = 0;
                        for (std::int64_t x = 0; x < dHead; ++x)
                            dot += query(b, h, i, x) * key(b, h * nGroups / nHeads, j, x);
                        result(b, h, i, j) = dot * scale;
                    }
    });
}

void ReferenceBackend::attentionScoresBackward(const AttentionParams& params, const Tensor& q,
                                               const Tensor& k, const Tensor& dScores,
                                               const Tensor& dQ, const Tensor& dK) {
    const std::int64_t nBatch = q.size(0), nHeads = q.size(1), nQueries = q.size(2);
    const std::int64_t dHead = q.size(3), nGroups = k.size(1), nKeys = dScores.size(3);
    withType(q, [&]<class T>(T) {
        const View<T> query(q), key(k), above(dScores), toQ(dQ), toK(dK);
        const T scale = T(params.scaleFor(dHead));
        for (std::int64_t b = 0; b < nBatch; ++b)
            for (std::int64_t h = 0; h < nHeads; ++h)
                for (std::int64_t i = 0; i < nQueries; ++i)
                    for (std::int64_t j = 0; j < nKeys; ++j) {
                        const std::int64_t g = h * nGroups / nHeads;
                        const T dS = scale * above(b, h, i, j);
                        for (std::int64_t x = 0; x < dHead; ++x) {
                            if (toQ) toQ(b, h, i, x) += dS * key(b, g, j, x);
                            if (toK) toK(b, g, j, x) += dS * query(b, h, i, x);
                        }
                    }
    });
}

void ReferenceBackend::attentionPattern(const AttentionParams& params, const Tensor& scores,
                                        const Tensor& maps) {
    const std::int64_t nBatch = scores.size(0), nHeads = scores.size(1);
    const std::int64_t nQueries = scores.size(2), nKeys = scores.size(3);
    assert(!params.multiplier);
    withType(scores, [&]<class T>(T) {
        const View<T> score(scores), result(maps);
        Row<T> row{std::vector<T>(nKeys), std::vector<bool>(nKeys)};
        for (std::int64_t b = 0; b < nBatch; ++b)
            for (std::int64_t h = 0; h < nHeads; ++h)
                for (std::int64_t i = 0; i < nQueries; ++i) {
                    for (std::int64_t j = 0; j < nKeys; ++j) {
                        row.value[j] = score(b, h, i, j);
                        row.allowed[j] = allows(params, 1, params.queryStart + i, 0, j, 0);
                    }
                    weigh(params.score, row);
                    for (std::int64_t j = 0; j < nKeys; ++j) result(b, h, i, j) = row.value[j];
                }
    });
}

// Softmax couples the cells of its row, dS = A (dA - sum A dA); linear does not.
void ReferenceBackend::attentionPatternBackward(const AttentionParams& params, const Tensor& maps,
                                                const Tensor& dMaps, const Tensor& dScores) {
    const std::int64_t nBatch = maps.size(0), nHeads = maps.size(1);
    const std::int64_t nQueries = maps.size(2), nKeys = maps.size(3);
    assert(params.score != ScoreKind::hard);
    if (!dScores) return;
    withType(maps, [&]<class T>(T) {
        const View<T> weight(maps), above(dMaps), toScores(dScores);
        for (std::int64_t b = 0; b < nBatch; ++b)
            for (std::int64_t h = 0; h < nHeads; ++h)
                for (std::int64_t i = 0; i < nQueries; ++i) {
                    T coupling = 0;
                    for (std::int64_t j = 0; j < nKeys; ++j)
                        coupling += weight(b, h, i, j) * above(b, h, i, j);
                    for (std::int64_t j = 0; j < nKeys; ++j) {
                        if (!allows(params, 1, params.queryStart + i, 0, j, 0)) continue;
                        const T dA = above(b, h, i, j);
                        toScores(b, h, i, j) += params.score == ScoreKind::linear
                                                    ? dA
                                                    : weight(b, h, i, j) * (dA - coupling);
                    }
                }
    });
}

void ReferenceBackend::scaleMaps(const Tensor& multiplier, const Tensor& maps) {
    withType(maps, [&]<class T>(T) {
        const Multiplier<T> factor(multiplier);
        const View<T> weight(maps);
        for (std::int64_t b = 0; b < maps.size(0); ++b)
            for (std::int64_t h = 0; h < maps.size(1); ++h)
                for (std::int64_t i = 0; i < maps.size(2); ++i)
                    for (std::int64_t j = 0; j < maps.size(3); ++j)
                        weight(b, h, i, j) *= factor(h, 0, 0, i, j);
    });
}

void ReferenceBackend::attentionValues(const Tensor& maps, const Tensor& v, const Tensor& y) {
    const std::int64_t nBatch = maps.size(0), nHeads = maps.size(1), nQueries = maps.size(2);
    const std::int64_t nKeys = maps.size(3), nGroups = v.size(1), dValue = v.size(3);
    assert(nHeads % nGroups == 0 && nKeys <= v.size(2));
    withType(maps, [&]<class T>(T) {
        const View<T> weight(maps), value(v), result(y);
        for (std::int64_t b = 0; b < nBatch; ++b)
            for (std::int64_t h = 0; h < nHeads; ++h)
                for (std::int64_t i = 0; i < nQueries; ++i)
                    for (std::int64_t x = 0; x < dValue; ++x) {
                        T sum = 0;
                        for (std::int64_t j = 0; j < nKeys; ++j)
                            sum += weight(b, h, i, j) * value(b, h * nGroups / nHeads, j, x);
                        result(b, h, i, x) = sum;
                    }
    });
}

void ReferenceBackend::attentionValuesBackward(const Tensor& maps, const Tensor& v,
                                               const Tensor& dY, const Tensor& dMaps,
                                               const Tensor& dV) {
    const std::int64_t nBatch = maps.size(0), nHeads = maps.size(1), nQueries = maps.size(2);
    const std::int64_t nKeys = maps.size(3), nGroups = v.size(1), dValue = v.size(3);
    withType(maps, [&]<class T>(T) {
        const View<T> weight(maps), value(v), above(dY), toMaps(dMaps), toV(dV);
        for (std::int64_t b = 0; b < nBatch; ++b)
            for (std::int64_t h = 0; h < nHeads; ++h)
                for (std::int64_t i = 0; i < nQueries; ++i)
                    for (std::int64_t j = 0; j < nKeys; ++j)
                        for (std::int64_t x = 0; x < dValue; ++x) {
                            const std::int64_t g = h * nGroups / nHeads;
                            const T dOut = above(b, h, i, x);
                            if (toMaps) toMaps(b, h, i, j) += dOut * value(b, g, j, x);
                            if (toV) toV(b, g, j, x) += dOut * weight(b, h, i, j);
                        }
    });
}

}  // namespace headloom::reference
