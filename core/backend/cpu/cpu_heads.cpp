// Pseudo-heads: mixing, collapse and effective maps.
#include "core/backend/cpu/cpu_backend.h"

#include <cassert>
#include <vector>

namespace headloom::cpu {

void CpuBackend::swapMiddle(const float* from, std::int64_t nBatch, std::int64_t first,
                            std::int64_t second, std::int64_t width, float* to, Start start) {
    workers_.each(nBatch, 0.3 * static_cast<double>(first * second * width),
                  [&](std::int64_t b, int) {
                      const float* block = from + b * first * second * width;
                      float* target = to + b * first * second * width;
                      for (std::int64_t at = 0; at < first; ++at)
                          kernels_.moveRows(second, width, block + at * second * width, width,
                                            target + at * width, first * width, start);
                  });
}

void CpuBackend::mixHeads(const Tensor& x, const Tensor& alpha, const Tensor& out) {
    const std::int64_t nSources = x.size(1), targets = alpha.size(1) * alpha.size(2);
    const std::int64_t length = x.size(2) * x.size(3);
    assert(alpha.size(0) == nSources && out.count() == x.size(0) * targets * length);
    multiplyEach(x.size(0), [&](std::int64_t b) {
        Product product;
        product.m = targets;
        product.n = length;
        product.k = nSources;
        product.a = alpha.data<float>();
        product.aRow = 1;
        product.aColumn = targets;
        product.b = x.data<float>() + b * nSources * length;
        product.bRow = length;
        product.c = out.data<float>() + b * targets * length;
        product.cRow = length;
        return product;
    });
}

void CpuBackend::mixHeadsBackward(const Tensor& x, const Tensor& alpha, const Tensor& dOut,
                                  const Tensor& dX, const Tensor& dAlpha) {
    const std::int64_t nBatch = x.size(0), nSources = x.size(1);
    const std::int64_t targets = alpha.size(1) * alpha.size(2), length = x.size(2) * x.size(3);
    if (dX)
        multiplyEach(nBatch, [&](std::int64_t b) {
            Product product;
            product.m = nSources;
            product.n = length;
            product.k = targets;
            product.a = alpha.data<float>();
            product.aRow = targets;
            product.b = dOut.data<float>() + b * targets * length;
            product.bRow = length;
            product.c = dX.data<float>() + b * nSources * length;
            product.cRow = length;
            product.start = Start::add;
            return product;
        });
    if (dAlpha)
        workers_.ranges(targets, 4, costOf(nSources, nBatch, length),
                        [&](std::int64_t begin, std::int64_t end, int) {
                            for (std::int64_t b = 0; b < nBatch; ++b)
                                kernels_.multiplyRows(
                                    nSources, end - begin, length,
                                    x.data<float>() + b * nSources * length, length,
                                    dOut.data<float>() + (b * targets + begin) * length, length,
                                    dAlpha.data<float>() + begin, targets);
                        });
}

namespace {

/// The forms of R: how many groups of outputs there are and how large one is.
struct CollapseForm {
    std::int64_t groups, outputs, inputs;  ///< per group: outputs x inputs weights

    CollapseForm(const Tensor& r, std::int64_t nHeads, std::int64_t nPseudo) {
        const bool full = r.size(1) == nHeads * nPseudo;
        assert(full || r.size(1) == nPseudo);
        groups = full ? 1 : nHeads;
        outputs = full ? nHeads : 1;
        inputs = r.size(1);
    }
};

}  // namespace

void CpuBackend::collapse(const Tensor& y, const Tensor& r, const Tensor& z) {
    const std::int64_t nBatch = y.size(0), nHeads = y.size(1), nPseudo = y.size(2);
    const std::int64_t nTokens = y.size(3), dHead = y.size(4), length = nTokens * dHead;
    assert(r || nPseudo == 1);
    const float* heads = y.data<float>();  // [B, H, N, d]
    if (r) {
        const CollapseForm form(r, nHeads, nPseudo);
        float* collapsed = shared_.atLeast(sizeOf(nBatch * nHeads * length));
        multiplyEach(nBatch * form.groups, [&](std::int64_t at) {
            Product product;
            product.m = form.outputs;
            product.n = length;
            product.k = form.inputs;
            product.a = r.data<float>() + at % form.groups * form.inputs;
            product.aRow = form.inputs;
            product.b = y.data<float>() + at * form.inputs * length;
            product.bRow = length;
            product.c = collapsed + at * form.outputs * length;
            product.cRow = length;
            return product;
        });
        heads = collapsed;
    }
    swapMiddle(heads, nBatch, nHeads, nTokens, dHead, z.data<float>(), Start::zero);
}

void CpuBackend::collapseBackward(const Tensor& y, const Tensor& r, const Tensor& dZ,
                                  const Tensor& dY, const Tensor& dR) {
    const std::int64_t nBatch = y.size(0), nHeads = y.size(1), nPseudo = y.size(2);
    const std::int64_t nTokens = y.size(3), dHead = y.size(4), length = nTokens * dHead;
    if (!r) {
        if (dY)
            swapMiddle(dZ.data<float>(), nBatch, nTokens, nHeads, dHead, dY.data<float>(),
                       Start::add);
        return;
    }
    const CollapseForm form(r, nHeads, nPseudo);
    float* above = shared_.atLeast(sizeOf(nBatch * nHeads * length));  // [B, H, N, d]
    swapMiddle(dZ.data<float>(), nBatch, nTokens, nHeads, dHead, above, Start::zero);
    if (dY)
        multiplyEach(nBatch * form.groups, [&](std::int64_t at) {
            Product product;
            product.m = form.inputs;
            product.n = length;
            product.k = form.outputs;
            product.a = r.data<float>() + at % form.groups * form.inputs;
            product.aRow = 1;
            product.aColumn = form.inputs;
            product.b = above + at * form.outputs * length;
            product.bRow = length;
            product.c = dY.data<float>() + at * form.inputs * length;
            product.cRow = length;
            product.start = Start::add;
            return product;
        });
    if (!dR) return;
    workers_.ranges(
        form.groups * form.inputs, form.groups == 1 ? 4 : form.inputs,
        costOf(form.outputs, nBatch, length), [&](std::int64_t begin, std::int64_t end, int) {
            for (std::int64_t group = begin / form.inputs; group * form.inputs < end; ++group) {
                const std::int64_t from = std::max(begin - group * form.inputs, std::int64_t{0});
                const std::int64_t to = std::min(end - group * form.inputs, form.inputs);
                for (std::int64_t b = 0; b < nBatch; ++b) {
                    const std::int64_t at = b * form.groups + group;
                    kernels_.multiplyRows(
                        form.outputs, to - from, length, above + at * form.outputs * length, length,
                        y.data<float>() + (at * form.inputs + from) * length, length,
                        dR.data<float>() + group * form.inputs + from, form.inputs);
                }
            }
        });
}

namespace {

/// R in its full form [H, H*P].
std::vector<float> fullCollapse(const Tensor& r, std::int64_t nHeads, std::int64_t nPseudo) {
    const std::int64_t width = nHeads * nPseudo;
    std::vector<float> full(sizeOf(nHeads * width), 0.f);
    for (std::int64_t g = 0; g < nHeads; ++g)
        if (r && r.size(1) == width)
            std::copy_n(r.data<float>() + g * width, width, full.data() + g * width);
        else
            for (std::int64_t p = 0; p < nPseudo; ++p)
                full[sizeOf(g * width + g * nPseudo + p)] =
                    r ? r.data<float>()[g * nPseudo + p] : 1.f;
    return full;
}

/// alphaV [M, H, P]; without one, every head's values are its own.
std::vector<float> fullMixing(const Tensor& alpha, std::int64_t nSources, std::int64_t nHeads,
                              std::int64_t nPseudo) {
    if (alpha) return {alpha.values<float>().begin(), alpha.values<float>().end()};
    std::vector<float> full(sizeOf(nSources * nHeads * nPseudo), 0.f);
    for (std::int64_t m = 0; m < std::min(nSources, nHeads); ++m)
        std::fill_n(full.data() + (m * nHeads + m) * nPseudo, nPseudo, 1.f);
    return full;
}

}  // namespace

// In two steps, 2 H^2 P^2 instead of H^2 M P^2 products a cell (M = H): for every head h first
// T[g, r] = sum_p R[g, hP+p] A[h, p, r], then M[g, m] += sum_r alphaV[m, h, r] T[g, r].
void CpuBackend::effectiveMaps(const Tensor& maps, const Tensor& alphaV, const Tensor& r,
                               const Tensor& out) {
    const std::int64_t nBatch = maps.size(0), nHeads = maps.size(1), nPseudo = maps.size(2);
    const std::int64_t nCells = maps.size(4) * maps.size(5), nSources = out.size(2);
    const std::int64_t nTiles = nPseudo * nPseudo, width = nHeads * nPseudo;
    zero(out);
    if (!alphaV && !r) {
        assert(nPseudo == 1);
        for (std::int64_t at = 0; at < nBatch * nHeads; ++at)
            kernels_.moveRows(1, nCells, maps.data<float>() + at * nCells, nCells,
                              out.data<float>() + (at * nSources + at % nHeads) * nCells, nCells,
                              Start::zero);
        return;
    }
    const std::vector<float> weights = fullCollapse(r, nHeads, nPseudo);
    const std::vector<float> mixing = fullMixing(alphaV, nSources, nHeads, nPseudo);
    const bool ownHeadOnly = !r || r.size(1) != width;
    constexpr std::int64_t block = 256;
    workers_.reserve(sizeOf(width * block));
    const auto blockOf = [&](std::int64_t b, std::int64_t begin, std::int64_t size, int worker) {
        float* folded = workers_.scratch(worker);  // T [H, P, size]
        for (std::int64_t h = 0; h < nHeads; ++h) {
            const std::int64_t first = ownHeadOnly ? h : 0, count = ownHeadOnly ? 1 : nHeads;
            const float* tiles = maps.data<float>() + (b * nHeads + h) * nTiles * nCells + begin;
            for (std::int64_t key = 0; key < nPseudo; ++key) {
                Product fold;
                fold.m = count;
                fold.n = size;
                fold.k = nPseudo;
                fold.a = weights.data() + first * width + h * nPseudo;
                fold.aRow = width;
                fold.b = tiles + key * nCells;
                fold.bRow = nPseudo * nCells;
                fold.c = folded + key * size;
                fold.cRow = nPseudo * size;
                kernels_.multiply(fold);
            }
            for (std::int64_t g = first; g < first + count; ++g) {
                Product mix;
                mix.m = nSources;
                mix.n = size;
                mix.k = nPseudo;
                mix.a = mixing.data() + h * nPseudo;
                mix.aRow = width;
                mix.b = folded + (g - first) * nPseudo * size;
                mix.bRow = size;
                mix.c = out.data<float>() + (b * nHeads + g) * nSources * nCells + begin;
                mix.cRow = nCells;
                mix.start = Start::add;
                kernels_.multiply(mix);
            }
        }
    };
    const double cost = costOf(width, nTiles + width, 1) / 4;
    for (std::int64_t b = 0; b < nBatch; ++b)
        workers_.ranges(nCells, block, cost, [&](std::int64_t begin, std::int64_t end, int worker) {
            for (std::int64_t at = begin; at < end; at += block)
                blockOf(b, at, std::min(block, end - at), worker);
        });
}

}  // namespace headloom::cpu
