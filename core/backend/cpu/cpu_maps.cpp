// Attention in three steps, for the kinds that work on the maps between them.
#include "core/backend/cpu/cpu_backend.h"

#include <algorithm>
#include <cassert>

namespace headloom::cpu {

namespace {

/// Sizes that the three steps share; `rows` is k or v, of which the first nKeys are in use.
struct Sizes {
    std::int64_t nBatch, nHeads, nGroups, nQueries, nKeys, room, width;

    Sizes(const Tensor& maps, const Tensor& rows)
        : nBatch(maps.size(0)),
          nHeads(maps.size(1)),
          nGroups(rows.size(1)),
          nQueries(maps.size(2)),
          nKeys(maps.size(3)),
          room(rows.size(2)),
          width(rows.size(3)) {
        assert(nGroups > 0 && nHeads % nGroups == 0 && nKeys <= room);
    }
    std::int64_t heads() const { return nBatch * nHeads; }
    std::int64_t groups() const { return nBatch * nGroups; }
    std::int64_t perGroup() const { return nHeads / nGroups; }
    std::int64_t cells() const { return nQueries * nKeys; }
    double cost() const { return 2 * costOf(nQueries, nKeys, width); }
    const float* rowsOf(const Tensor& rows, std::int64_t head) const {
        return rows.data<float>() + head / perGroup() * room * width;
    }
};

/// C [m, n] = or += A B.
Product product(std::int64_t m, std::int64_t n, std::int64_t k, const float* a, const float* b,
                float* c, Start start) {
    Product made;
    made.m = m;
    made.n = n;
    made.k = k;
    made.a = a;
    made.aRow = k;
    made.b = b;
    made.bRow = n;
    made.c = c;
    made.cRow = n;
    made.start = start;
    return made;
}

/// C [m, n] += A^T B with A [k, m].
Product transposedProduct(std::int64_t m, std::int64_t n, std::int64_t k, const float* a,
                          const float* b, float* c) {
    Product made = product(m, n, k, a, b, c, Start::add);
    made.aRow = 1;
    made.aColumn = m;
    return made;
}

void scaled(std::int64_t count, const float* from, float factor, float* to) {
    for (std::int64_t i = 0; i < count; ++i) to[i] = factor * from[i];
}

/// The keys that a row sees are one range.
struct Range {
    std::int64_t begin, end;

    Range(const AttentionParams& params, std::int64_t row, std::int64_t nKeys) {
        const std::int64_t token = params.queryStart + row;
        end = params.mask == MaskKind::none ? nKeys : std::min(nKeys, token + 1);
        begin = 0;
        if (params.window > 0) {
            begin = std::max(begin, token - params.window + 1);
            end = std::min(end, token + params.window);
        }
        begin = std::min(begin, nKeys);
        end = std::max(begin, end);
    }
    std::int64_t size() const { return end - begin; }
};

void hardShares(std::int64_t count, const float* score, float* out) {
    const float largest = *std::max_element(score, score + count);
    const float tie = 1e-5f;  // equal scores reached by different roundings (iha.md 2)
    float sum = 0;
    for (std::int64_t j = 0; j < count; ++j) {
        out[j] = score[j] >= largest - tie ? 1.f : 0.f;
        sum += out[j];
    }
    for (std::int64_t j = 0; j < count; ++j) out[j] /= sum;
}

}  // namespace

void CpuBackend::attentionScores(const AttentionParams& params, const Tensor& q, const Tensor& k,
                                 const Tensor& scores) {
    const Sizes n(scores, k);
    const auto scale = static_cast<float>(params.scaleFor(n.width));
    workers_.reserve(sizeOf(n.nKeys * n.width));
    workers_.each(n.heads(), n.cost(), [&](std::int64_t head, int worker) {
        float* keys = workers_.scratch(worker);  // scale * k^T [d, Nk]
        kernels_.transpose(n.nKeys, n.width, n.rowsOf(k, head), n.width, keys, n.nKeys);
        scaled(n.nKeys * n.width, keys, scale, keys);
        kernels_.multiply(product(n.nQueries, n.nKeys, n.width,
                                  q.data<float>() + head * n.nQueries * n.width, keys,
                                  scores.data<float>() + head * n.cells(), Start::zero));
    });
}

void CpuBackend::attentionScoresBackward(const AttentionParams& params, const Tensor& q,
                                         const Tensor& k, const Tensor& dScores, const Tensor& dQ,
                                         const Tensor& dK) {
    const Sizes n(dScores, k);
    const auto scale = static_cast<float>(params.scaleFor(n.width));
    workers_.reserve(sizeOf(std::max(n.nKeys, n.nQueries) * n.width));
    // A group's heads share dK, so a group is one worker's.
    workers_.each(
        n.groups(), 2 * n.cost() * static_cast<double>(n.perGroup()),
        [&](std::int64_t group, int worker) {
            float* copy = workers_.scratch(worker);
            for (std::int64_t head = group * n.perGroup(); head < (group + 1) * n.perGroup();
                 ++head) {
                const float* above = dScores.data<float>() + head * n.cells();
                const std::int64_t queries = head * n.nQueries * n.width;
                if (dQ) {
                    scaled(n.nKeys * n.width, n.rowsOf(k, head), scale, copy);
                    kernels_.multiply(product(n.nQueries, n.width, n.nKeys, above, copy,
                                              dQ.data<float>() + queries, Start::add));
                }
                if (!dK) continue;
                scaled(n.nQueries * n.width, q.data<float>() + queries, scale, copy);
                kernels_.multiply(transposedProduct(n.nKeys, n.width, n.nQueries, above, copy,
                                                    dK.data<float>() + group * n.room * n.width));
            }
        });
}

void CpuBackend::attentionPattern(const AttentionParams& params, const Tensor& scores,
                                  const Tensor& maps) {
    assert(!params.multiplier);
    const std::int64_t nQueries = scores.size(2), nKeys = scores.size(3);
    const std::int64_t rows = scores.size(0) * scores.size(1) * nQueries;
    workers_.each(rows, static_cast<double>(nKeys), [&](std::int64_t at, int) {
        const Range seen(params, at % nQueries, nKeys);
        const float* score = scores.data<float>() + at * nKeys + seen.begin;
        float* row = maps.data<float>() + at * nKeys;
        std::fill(row, row + seen.begin, 0.f);
        std::fill(row + seen.end, row + nKeys, 0.f);
        row += seen.begin;
        if (seen.size() == 0) return;
        if (params.score == ScoreKind::linear)
            std::copy_n(score, seen.size(), row);
        else if (params.score == ScoreKind::hard)
            hardShares(seen.size(), score, row);
        else
            kernels_.shares(seen.size(), score, kernels_.normaliser(seen.size(), score), 1.f, row);
    });
}

void CpuBackend::attentionPatternBackward(const AttentionParams& params, const Tensor& maps,
                                          const Tensor& dMaps, const Tensor& dScores) {
    assert(params.score != ScoreKind::hard);
    if (!dScores) return;
    const std::int64_t nQueries = maps.size(2), nKeys = maps.size(3);
    const std::int64_t rows = maps.size(0) * maps.size(1) * nQueries;
    workers_.each(rows, static_cast<double>(nKeys), [&](std::int64_t at, int) {
        const Range seen(params, at % nQueries, nKeys);
        const float* weight = maps.data<float>() + at * nKeys;
        const float* above = dMaps.data<float>() + at * nKeys;
        float* to = dScores.data<float>() + at * nKeys;
        if (params.score == ScoreKind::linear) {
            for (std::int64_t j = seen.begin; j < seen.end; ++j) to[j] += above[j];
            return;
        }
        float coupling = 0;
        for (std::int64_t j = seen.begin; j < seen.end; ++j) coupling += weight[j] * above[j];
        for (std::int64_t j = seen.begin; j < seen.end; ++j)
            to[j] += weight[j] * (above[j] - coupling);
    });
}

void CpuBackend::scaleMaps(const Tensor& multiplier, const Tensor& maps) {
    const std::int64_t nHeads = maps.size(1), nQueries = maps.size(2), nKeys = maps.size(3);
    assert(multiplier.shape().rank() == 5);
    std::int64_t step[5] = {}, size = 1;  // 0 along axes of size 1
    for (int axis = 4; axis >= 0; --axis) {
        if (multiplier.size(axis) > 1) step[axis] = size;
        size *= multiplier.size(axis);
    }
    workers_.each(maps.count() / nKeys, static_cast<double>(nKeys), [&](std::int64_t at, int) {
        const std::int64_t row = at % nQueries, head = at / nQueries % nHeads;
        const float* factor = multiplier.data<float>() + head * step[0] + row * step[3];
        float* weight = maps.data<float>() + at * nKeys;
        for (std::int64_t j = 0; j < nKeys; ++j) weight[j] *= factor[j * step[4]];
    });
}

void CpuBackend::attentionValues(const Tensor& maps, const Tensor& v, const Tensor& y) {
    const Sizes n(maps, v);
    workers_.each(n.heads(), n.cost(), [&](std::int64_t head, int) {
        kernels_.multiply(product(n.nQueries, n.width, n.nKeys,
                                  maps.data<float>() + head * n.cells(), n.rowsOf(v, head),
                                  y.data<float>() + head * n.nQueries * n.width, Start::zero));
    });
}

void CpuBackend::attentionValuesBackward(const Tensor& maps, const Tensor& v, const Tensor& dY,
                                         const Tensor& dMaps, const Tensor& dV) {
    const Sizes n(maps, v);
    workers_.reserve(sizeOf(n.nKeys * n.width));
    // A group's heads share dV, so a group is one worker's.
    workers_.each(
        n.groups(), 2 * n.cost() * static_cast<double>(n.perGroup()),
        [&](std::int64_t group, int worker) {
            float* values = workers_.scratch(worker);  // v^T [e, Nk]
            const std::int64_t rows = group * n.room * n.width;
            kernels_.transpose(n.nKeys, n.width, v.data<float>() + rows, n.width, values, n.nKeys);
            for (std::int64_t head = group * n.perGroup(); head < (group + 1) * n.perGroup();
                 ++head) {
                const float* above = dY.data<float>() + head * n.nQueries * n.width;
                if (dMaps)
                    kernels_.multiply(product(n.nQueries, n.nKeys, n.width, above, values,
                                              dMaps.data<float>() + head * n.cells(), Start::add));
                if (dV)
                    kernels_.multiply(transposedProduct(n.nKeys, n.width, n.nQueries,
                                                        maps.data<float>() + head * n.cells(),
                                                        above, dV.data<float>() + rows));
            }
        });
}

}  // namespace headloom::cpu
