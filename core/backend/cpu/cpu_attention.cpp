// Rotary embedding, caches and attention.
#include "core/backend/cpu/cpu_backend.h"

#include <cassert>

namespace headloom::cpu {

void CpuBackend::rotate(const RotaryParams& params, const Tensor& x) {
    if (params.positions == PositionKind::none || x.count() == 0) return;
    const std::int64_t nPseudo = x.size(2), nTokens = x.size(3), dHead = x.size(4);
    const std::int64_t half = params.widthFor(dHead) / 2;
    assert(params.widthFor(dHead) % 2 == 0);
    const RotaryTable& table = rotary_.of(params, nPseudo, nTokens, half);
    const std::int64_t rows = nPseudo * nTokens;
    workers_.each(
        x.size(0) * x.size(1), 0.6 * static_cast<double>(rows * dHead), [&](std::int64_t at, int) {
            kernels_.rotate(rows, half, x.data<float>() + at * rows * dHead, dHead,
                            table.cosine.data(), table.sine.data(), params.inverse ? -1.f : 1.f);
        });
}

void CpuBackend::append(const Tensor& rows, std::int64_t start, const Tensor& cache) {
    const std::int64_t count = rows.size(3), width = rows.size(4), room = cache.size(3);
    assert(start + count <= room && cache.size(4) == width);
    const std::int64_t blocks = rows.size(0) * rows.size(1) * rows.size(2);
    for (std::int64_t block = 0; block < blocks; ++block)
        kernels_.moveRows(count, width, rows.data<float>() + block * count * width, width,
                          cache.data<float>() + (block * room + start) * width, width, Start::zero);
}

namespace {

/// Sizes of one call and what follows from them.
struct Plan {
    std::int64_t nBatch, nHeads, nGroups, nPseudo, nQueries, nKeys, room, dHead, dValue;
    Visibility sees;
    double costOfRow;  ///< nanoseconds of one query row, forward

    Plan(const AttentionParams& params, const Tensor& q, const Tensor& k, const Tensor& v) {
        nBatch = q.size(0);
        nHeads = q.size(1);
        nGroups = k.size(1);
        nPseudo = q.size(2);
        nQueries = q.size(3);
        dHead = q.size(4);
        room = k.size(3);
        nKeys = params.keyCount != 0 ? params.keyCount : room;
        dValue = v.size(4);
        assert(nGroups > 0 && nHeads % nGroups == 0 && nKeys <= room && v.size(3) == room);
        assert(k.size(2) == nPseudo && v.size(2) == nPseudo);
        sees.mask = params.mask == MaskKind::flat    ? Mask::flat
                    : params.mask == MaskKind::token ? Mask::token
                                                     : Mask::none;
        sees.window = params.window;
        sees.queryStart = params.queryStart;
        sees.nKeys = nKeys;
        const auto cells = static_cast<double>(nPseudo * nKeys);
        costOfRow = cells * (1.0 + static_cast<double>(dHead + dValue) / 24);
    }
    std::int64_t familyOf(std::int64_t b, std::int64_t g) const {
        return (b * nGroups + g) * nPseudo;
    }
};

/// Floats of one pseudo-head's packed keys or values.
std::int64_t packedSize(const Kernels& kernels, const Plan& plan, std::int64_t width) {
    return (plan.nKeys + kernels.panelWidth - 1) / kernels.panelWidth * kernels.panelWidth * width;
}

/// Panels of x^T for every pseudo-head of one group, x [P, room, width].
void packGroup(const Kernels& kernels, const Plan& plan, std::int64_t width, const float* x,
               float* panels) {
    const std::int64_t stride = packedSize(kernels, plan, width);
    for (std::int64_t r = 0; r < plan.nPseudo; ++r)
        kernels.packTransposed(width, plan.nKeys, x + r * plan.room * width, width,
                               panels + r * stride);
}

}  // namespace

void CpuBackend::attention(const AttentionParams& params, const Tensor& q, const Tensor& k,
                           const Tensor& v, const Tensor& y, const Tensor& maps) {
    const Plan plan(params, q, k, v);
    const std::int64_t nPseudo = plan.nPseudo, nQueries = plan.nQueries;
    const std::int64_t stride = packedSize(kernels_, plan, plan.dHead);

    AttentionTask common;
    common.nPseudo = nPseudo;
    common.nQueries = nQueries;
    common.dHead = plan.dHead;
    common.dValue = plan.dValue;
    common.sees = plan.sees;
    common.score = params.score == ScoreKind::softmax  ? Score::softmax
                   : params.score == ScoreKind::linear ? Score::linear
                                                       : Score::hard;
    common.scale = static_cast<float>(params.scaleFor(plan.dHead));
    common.packedKeysStride = stride;
    common.vStride = plan.room * plan.dValue;
    // Maps larger than the last cache are on their way to memory at once.
    common.streamMaps = maps && maps.bytes() >= (std::size_t{16} << 20);
    common.renormalise = params.renormalise && params.multiplier;

    std::int64_t step[5] = {};  // of the multiplier, 0 along axes of size 1
    if (params.multiplier) {
        std::int64_t size = 1;
        for (int axis = 4; axis >= 0; --axis) {
            if (params.multiplier.size(axis) > 1) step[axis] = size;
            size *= params.multiplier.size(axis);
        }
        common.multiplierR = step[2];
        common.multiplierI = step[3];
        common.multiplierJ = step[4];
    }

    const auto scratchSize = kernels_.attentionScratch(nPseudo, plan.nKeys, plan.dHead);
    workers_.reserve(sizeOf(scratchSize), sizeOf(3 * nPseudo));
    const auto attend = [&](std::int64_t b, std::int64_t h, std::int64_t p, std::int64_t begin,
                            std::int64_t end, const float* panels, int worker) {
        const std::int64_t rowsAt = ((b * plan.nHeads + h) * nPseudo + p) * nQueries;
        const std::int64_t family = plan.familyOf(b, h * plan.nGroups / plan.nHeads);
        AttentionTask task = common;
        task.p = p;
        task.q = q.data<float>() + rowsAt * plan.dHead;
        task.packedKeys = panels;
        task.v = v.data<float>() + family * common.vStride;
        task.y = y.data<float>() + rowsAt * plan.dValue;
        if (maps) task.maps = maps.data<float>() + rowsAt * nPseudo * plan.nKeys;
        if (params.multiplier)
            task.multiplier = params.multiplier.data<float>() + h * step[0] + p * step[1];
        task.scratch = workers_.scratch(worker);
        task.segments = workers_.integers(worker);
        kernels_.attention(task, begin, end);
    };

    const std::int64_t groups = plan.nBatch * plan.nGroups, perGroup = plan.nHeads / plan.nGroups;
    const std::int64_t unit = kernels_.attentionRows;
    float* panels = shared_.atLeast(sizeOf(groups * nPseudo * stride));
    const auto pack = [&](std::int64_t group) {
        float* to = panels + group * nPseudo * stride;
        packGroup(kernels_, plan, plan.dHead,
                  k.data<float>() + group * nPseudo * plan.room * plan.dHead, to);
        return to;
    };
    if (workers_.size() == 1 || groups >= 4 * workers_.size()) {
        // A group of heads at a time, its packed keys still in the cache.
        const double cost = plan.costOfRow * static_cast<double>(perGroup * nPseudo * nQueries);
        workers_.each(groups, cost, [&](std::int64_t group, int worker) {
            const float* packed = pack(group);
            for (std::int64_t member = 0; member < perGroup; ++member)
                for (std::int64_t p = 0; p < nPseudo; ++p)
                    attend(group / plan.nGroups, group % plan.nGroups * perGroup + member, p, 0,
                           nQueries, packed, worker);
        });
        return;
    }
    workers_.each(groups, static_cast<double>(nPseudo * stride),
                  [&](std::int64_t group, int) { pack(group); });
    const std::int64_t blocks = (nQueries + unit - 1) / unit;
    const double cost = plan.costOfRow * static_cast<double>(unit);
    workers_.each(plan.nBatch * plan.nHeads * nPseudo * blocks, cost,
                  [&](std::int64_t at, int worker) {
                      const std::int64_t begin = at % blocks * unit, p = at / blocks % nPseudo;
                      const std::int64_t head = at / blocks / nPseudo;
                      const std::int64_t b = head / plan.nHeads, h = head % plan.nHeads;
                      const std::int64_t group = b * plan.nGroups + h / perGroup;
                      attend(b, h, p, begin, std::min(begin + unit, nQueries),
                             panels + group * nPseudo * stride, worker);
                  });
}

void CpuBackend::attentionBackward(const AttentionParams& params, const Tensor& q, const Tensor& k,
                                   const Tensor& v, const Tensor& maps, const Tensor& dY,
                                   const Tensor& dQ, const Tensor& dK, const Tensor& dV) {
    assert(params.score != ScoreKind::hard && !params.multiplier);
    const Plan plan(params, q, k, v);
    const std::int64_t nPseudo = plan.nPseudo;
    const std::int64_t stride = packedSize(kernels_, plan, plan.dValue);
    const std::int64_t perGroup = plan.nHeads / plan.nGroups;

    const std::int64_t scratchSize =
        kernels_.attentionBackwardScratch(nPseudo, plan.nKeys, plan.dValue);
    workers_.reserve(sizeOf(nPseudo * stride + scratchSize), sizeOf(3 * nPseudo));
    const double cost =
        2.5 * plan.costOfRow * static_cast<double>(perGroup * nPseudo * plan.nQueries);
    // A group's heads share dK and dV, so a group is one worker's.
    workers_.each(plan.nBatch * plan.nGroups, cost, [&](std::int64_t group, int worker) {
        const std::int64_t keysAt = group * nPseudo * plan.room;
        float* panels = workers_.scratch(worker);
        packGroup(kernels_, plan, plan.dValue, v.data<float>() + keysAt * plan.dValue, panels);
        AttentionGradient task;
        task.nPseudo = nPseudo;
        task.nQueries = plan.nQueries;
        task.dHead = plan.dHead;
        task.dValue = plan.dValue;
        task.sees = plan.sees;
        task.linear = params.score == ScoreKind::linear;
        task.scale = static_cast<float>(params.scaleFor(plan.dHead));
        task.k = k.data<float>() + keysAt * plan.dHead;
        task.kStride = plan.room * plan.dHead;
        task.packedValues = panels;
        task.packedValuesStride = stride;
        task.dK = dK ? dK.data<float>() + keysAt * plan.dHead : nullptr;
        task.dV = dV ? dV.data<float>() + keysAt * plan.dValue : nullptr;
        task.vStride = plan.room * plan.dValue;
        task.scratch = panels + nPseudo * stride;
        task.segments = workers_.integers(worker);
        for (std::int64_t member = 0; member < perGroup; ++member) {
            const std::int64_t rowsAt = (group * perGroup + member) * nPseudo * plan.nQueries;
            task.q = q.data<float>() + rowsAt * plan.dHead;
            task.maps = maps.data<float>() + rowsAt * nPseudo * plan.nKeys;
            task.dY = dY.data<float>() + rowsAt * plan.dValue;
            task.dQ = dQ ? dQ.data<float>() + rowsAt * plan.dHead : nullptr;
            kernels_.attentionBackward(task);
        }
    });
}

}  // namespace headloom::cpu
