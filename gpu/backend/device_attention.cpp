#include "gpu/backend/device_backend.h"
#include "gpu/kernels/attention.h"
#include "gpu/kernels/attention_backward.h"
#include "gpu/kernels/maps.h"

#include <algorithm>

namespace headloom::gpu {

namespace {

Sees seesOf(const AttentionParams& params, Index nKeys, Index nPseudo) {
    return {params.mask, params.window, params.queryStart, nKeys, nPseudo};
}

Factors factorsOf(const Tensor& multiplier) {
    if (!multiplier) return {};
    Index step[5] = {}, size = 1;  // 0 along axes of size 1
    for (int axis = 4; axis >= 0; --axis) {
        if (multiplier.size(axis) > 1) step[axis] = size;
        size *= multiplier.size(axis);
    }
    return {multiplier.data<float>(), step[0], step[1], step[2], step[3], step[4]};
}

AttentionShape shapeOf(const AttentionParams& params, const Tensor& q, const Tensor& k,
                       const Tensor& v) {
    AttentionShape shape{};
    shape.nHeads = q.size(1);
    shape.nGroups = k.size(1);
    shape.nPseudo = q.size(2);
    shape.nQueries = q.size(3);
    shape.room = k.size(3);
    shape.nKeys = params.keyCount != 0 ? params.keyCount : shape.room;
    shape.dHead = q.size(4);
    shape.dValue = v.size(4);
    shape.sees = seesOf(params, shape.nKeys, shape.nPseudo);
    shape.score = params.score;
    shape.scale = static_cast<float>(params.scaleFor(shape.dHead));
    shape.factors = factorsOf(params.multiplier);
    shape.renormalise = params.renormalise && params.multiplier;
    assert(shape.nGroups > 0 && shape.nHeads % shape.nGroups == 0 && shape.nKeys <= shape.room);
    return shape;
}

Index blocksOfRows(const AttentionShape& shape, Index nBatch) {
    return nBatch * shape.nHeads * shape.nPseudo * shape.tilesOfRows();
}

/// The heads of a group lie side by side, so that one product serves all of them.
struct GroupedMaps {
    Index groups, rows, nKeys, room;  ///< B * G; members * Nq; Nk; C
    GroupedMaps(const Tensor& maps, const Tensor& keys)
        : groups(keys.size(0) * keys.size(1)),
          rows(maps.size(1) / keys.size(1) * maps.size(2)),
          nKeys(maps.size(3)),
          room(keys.size(2)) {
        assert(maps.size(1) % keys.size(1) == 0 && nKeys <= room);
    }
    /// [rows, Nk] of every group.
    Product::Matrix maps(const Tensor& tensor, bool transposed = false) const {
        return {tensor.data<float>(), nKeys, rows * nKeys, transposed};
    }
    /// [rows, width] of every group.
    Product::Matrix queries(const Tensor& tensor, Index width) const {
        return {tensor.data<float>(), width, rows * width, false};
    }
    /// [Nk, width] of every group.
    Product::Matrix keys(const Tensor& tensor, Index width, bool transposed = false) const {
        return {tensor.data<float>(), width, room * width, transposed};
    }
    Product product(Index m, Index n, Index k) const {
        return {.m = m, .n = n, .k = k, .count = groups};
    }
};

void setResult(Product& product, const Tensor& to, Index lead, Index step, bool add) {
    product.c = to.data<float>();
    product.leadC = lead;
    product.stepC = step;
    product.add = add;
}

}  // namespace

void DeviceBackend::attention(const AttentionParams& params, const Tensor& q, const Tensor& k,
                              const Tensor& v, const Tensor& y, const Tensor& maps) {
    const AttentionShape shape = shapeOf(params, q, k, v);
    if (y.count() == 0) return;
    const Index blocks = blocksOfRows(shape, q.size(0));
    const int threads = threadsFor(shape.dValue);
    const Index common = tileRows * (shape.dHead + threads);
    const auto bytes = [](Index count) { return sizeOf(count) * sizeof(float); };
    if (!maps && shape.score != ScoreKind::hard)
        return launch({blocks, threads, bytes(common + tileRows * (threads + 3))},
                      AttentionFused{shape, q.data<float>(), k.data<float>(), v.data<float>(),
                                     y.data<float>()});
    // Rows in shared memory go to the device's memory once; long ones are read there again.
    const std::size_t withRows = bytes(common + tileRows * shape.rowSize());
    const bool rowsInShared = withRows <= runtime_->sharedBytes();
    Tensor kept = maps;
    if (!kept && !rowsInShared)
        kept =
            temporary(q.size(0) * shape.nHeads * shape.nPseudo * shape.nQueries * shape.rowSize());
    launch({blocks, threads, rowsInShared ? withRows : bytes(common)},
           AttentionRows{shape, q.data<float>(), k.data<float>(), v.data<float>(), y.data<float>(),
                         floats(kept), rowsInShared});
}

void DeviceBackend::attentionBackward(const AttentionParams& params, const Tensor& q,
                                      const Tensor& k, const Tensor& v, const Tensor& maps,
                                      const Tensor& dY, const Tensor& dQ, const Tensor& dK,
                                      const Tensor& dV) {
    assert(params.score != ScoreKind::hard && !params.multiplier);
    const AttentionShape shape = shapeOf(params, q, k, v);
    const int threads = threadsFor(std::max(shape.dHead, shape.dValue));
    const std::size_t scratch = sizeOf(tileRows * threads) * sizeof(float);
    const Index blocksOfKeys =
        q.size(0) * shape.nGroups * shape.nPseudo * divideUp(shape.nKeys, tileRows);
    if (dQ || dK) {
        const Tensor dScores = temporary(maps.count());
        launch({blocksOfRows(shape, q.size(0)), threads,
                scratch + sizeOf(tileRows * shape.dValue) * sizeof(float)},
               AttentionRowsBackward{shape, k.data<float>(), v.data<float>(), maps.data<float>(),
                                     dY.data<float>(), dScores.data<float>(), floats(dQ)});
        if (dK)
            launch({blocksOfKeys, threads, scratch},
                   KeysBackward{shape, dScores.data<float>(), q.data<float>(), dK.data<float>(),
                                shape.dHead});
    }
    if (dV)
        launch({blocksOfKeys, threads, scratch},
               KeysBackward{shape, maps.data<float>(), dY.data<float>(), dV.data<float>(),
                            shape.dValue});
}

void DeviceBackend::attentionScores(const AttentionParams& params, const Tensor& q, const Tensor& k,
                                    const Tensor& scores) {
    const GroupedMaps of(scores, k);
    const Index dHead = q.size(3);
    Product product = of.product(of.rows, of.nKeys, dHead);
    product.a = of.queries(q, dHead);
    product.b = of.keys(k, dHead, true);
    product.scale = static_cast<float>(params.scaleFor(dHead));
    setResult(product, scores, of.nKeys, of.rows * of.nKeys, false);
    multiply(product);
}

void DeviceBackend::attentionScoresBackward(const AttentionParams& params, const Tensor& q,
                                            const Tensor& k, const Tensor& dScores,
                                            const Tensor& dQ, const Tensor& dK) {
    const GroupedMaps of(dScores, k);
    const Index dHead = q.size(3);
    const auto scale = static_cast<float>(params.scaleFor(dHead));
    if (dQ) {
        Product product = of.product(of.rows, dHead, of.nKeys);
        product.a = of.maps(dScores);
        product.b = of.keys(k, dHead);
        product.scale = scale;
        setResult(product, dQ, dHead, of.rows * dHead, true);
        multiply(product);
    }
    if (dK) {
        Product product = of.product(of.nKeys, dHead, of.rows);
        product.a = of.maps(dScores, true);
        product.b = of.queries(q, dHead);
        product.scale = scale;
        setResult(product, dK, dHead, of.room * dHead, true);
        multiply(product);
    }
}

void DeviceBackend::attentionPattern(const AttentionParams& params, const Tensor& scores,
                                     const Tensor& maps) {
    assert(!params.multiplier);
    const Index nKeys = scores.size(3), nQueries = scores.size(2);
    const Index nRows = scores.size(0) * scores.size(1) * nQueries;
    constexpr int threads = 128;
    launch({divideUp(nRows, threads / lanes), threads, 0},
           PatternRows{seesOf(params, nKeys, 1), params.score, scores.data<float>(),
                       maps.data<float>(), nRows, nQueries});
}

void DeviceBackend::attentionPatternBackward(const AttentionParams& params, const Tensor& maps,
                                             const Tensor& dMaps, const Tensor& dScores) {
    assert(params.score != ScoreKind::hard);
    if (!dScores) return;
    const Index nKeys = maps.size(3), nQueries = maps.size(2);
    const Index nRows = maps.size(0) * maps.size(1) * nQueries;
    constexpr int threads = 128;
    launch({divideUp(nRows, threads / lanes), threads, 0},
           PatternRowsBackward{seesOf(params, nKeys, 1), params.score == ScoreKind::linear,
                               maps.data<float>(), dMaps.data<float>(), dScores.data<float>(),
                               nRows, nQueries});
}

void DeviceBackend::scaleMaps(const Tensor& multiplier, const Tensor& maps) {
    forEach(maps.count(), ScaleMap{factorsOf(multiplier), maps.data<float>(), maps.size(1),
                                   maps.size(2), maps.size(3)});
}

void DeviceBackend::attentionValues(const Tensor& maps, const Tensor& v, const Tensor& y) {
    const GroupedMaps of(maps, v);
    const Index dValue = v.size(3);
    Product product = of.product(of.rows, dValue, of.nKeys);
    product.a = of.maps(maps);
    product.b = of.keys(v, dValue);
    setResult(product, y, dValue, of.rows * dValue, false);
    multiply(product);
}

void DeviceBackend::attentionValuesBackward(const Tensor& maps, const Tensor& v, const Tensor& dY,
                                            const Tensor& dMaps, const Tensor& dV) {
    const GroupedMaps of(maps, v);
    const Index dValue = v.size(3);
    if (dMaps) {
        Product product = of.product(of.rows, of.nKeys, dValue);
        product.a = of.queries(dY, dValue);
        product.b = of.keys(v, dValue, true);
        setResult(product, dMaps, of.nKeys, of.rows * of.nKeys, true);
        multiply(product);
    }
    if (dV) {
        Product product = of.product(of.nKeys, dValue, of.rows);
        product.a = of.maps(maps, true);
        product.b = of.queries(dY, dValue);
        setResult(product, dV, dValue, of.room * dValue, true);
        multiply(product);
    }
}

}  // namespace headloom::gpu
