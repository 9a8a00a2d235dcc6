// Heads: projection, mixing, rotation, collapse.
#include "gpu/backend/column_sums.h"
#include "gpu/backend/device_backend.h"
#include "gpu/kernels/layout.h"
#include "gpu/kernels/mixing.h"
#include "gpu/kernels/rotary.h"

#include <string>

namespace headloom::gpu {

namespace {

constexpr int gradientThreads = 256;

CollapseMatrix collapseMatrix(const Tensor& r, Index nHeads, Index nPseudo) {
    assert(r ? r.size(1) == nHeads * nPseudo || r.size(1) == nPseudo : nPseudo == 1);
    // With one head both forms are the same.
    return {floats(r), nHeads, nPseudo, r && r.size(1) == nHeads * nPseudo};
}

}  // namespace

// One product a head into [B, N, H, d], which then changes to [B, H, N, d].
void DeviceBackend::projectHeads(const Tensor& x, const Tensor& weight, const Tensor& bias,
                                 const Tensor& out) {
    const Index nBatch = out.size(0), nHeads = out.size(1), nTokens = out.size(2);
    const Index dHead = out.size(3), dModel = x.size(2);
    const Tensor byToken = temporary(out.count());
    Product product{.m = nBatch * nTokens, .n = dHead, .k = dModel, .count = nHeads};
    product.a = {x.data<float>(), dModel, 0, false};
    product.b = {weight.data<float>(), dHead, dModel * dHead, false};
    product.c = byToken.data<float>();
    product.leadC = nHeads * dHead;
    product.stepC = dHead;
    multiply(product);
    swapMiddle(byToken.data<float>(), nBatch, nTokens, nHeads, dHead, floats(bias),
               out.data<float>(), false);
}

void DeviceBackend::projectHeadsBackward(const Tensor& x, const Tensor& weight, const Tensor& dOut,
                                         const Tensor& dX, const Tensor& dWeight,
                                         const Tensor& dBias) {
    const Index nBatch = dOut.size(0), nHeads = dOut.size(1), nTokens = dOut.size(2);
    const Index dHead = dOut.size(3), dModel = x.size(2), nRows = nBatch * nTokens;
    const Tensor byToken = temporary(dOut.count());  // [B, N, H, d]
    swapMiddle(dOut.data<float>(), nBatch, nHeads, nTokens, dHead, nullptr, byToken.data<float>(),
               false);
    if (dX) {
        // [H, D, d] as [D, H, d]: all heads in one product.
        const Tensor byRow = temporary(weight.count());
        swapMiddle(weight.data<float>(), 1, nHeads, dModel, dHead, nullptr, byRow.data<float>(),
                   false);
        Product product{.m = nRows, .n = dModel, .k = nHeads * dHead};
        product.a = {byToken.data<float>(), nHeads * dHead, 0, false};
        product.b = {byRow.data<float>(), nHeads * dHead, 0, true};
        product.c = dX.data<float>();
        product.leadC = dModel;
        product.add = true;
        multiply(product);
    }
    if (dWeight) {
        Product product{.m = dModel, .n = dHead, .k = nRows, .count = nHeads};
        product.a = {x.data<float>(), dModel, 0, true};
        product.b = {byToken.data<float>(), nHeads * dHead, dHead, false};
        product.c = dWeight.data<float>();
        product.leadC = dHead;
        product.stepC = dModel * dHead;
        product.add = true;
        multiply(product);
    }
    if (dBias) addColumnSums(Itself{byToken.data<float>()}, nRows, nHeads * dHead, dBias);
}

void DeviceBackend::mixHeads(const Tensor& x, const Tensor& alpha, const Tensor& out) {
    forEach(out.count(), MixHeads{x.data<float>(), alpha.data<float>(), out.data<float>(),
                                  x.size(1), out.size(1) * out.size(2), out.size(3) * out.size(4)});
}

void DeviceBackend::mixHeadsBackward(const Tensor& x, const Tensor& alpha, const Tensor& dOut,
                                     const Tensor& dX, const Tensor& dAlpha) {
    const Index nBatch = dOut.size(0), nTargets = dOut.size(1) * dOut.size(2);
    const Index nTokens = dOut.size(3), dHead = dOut.size(4), nSources = x.size(1);
    const Index rowSize = nTokens * dHead;
    if (dX)
        forEach(x.count(), MixHeadsBackward{dOut.data<float>(), alpha.data<float>(),
                                            dX.data<float>(), nSources, nTargets, rowSize});
    if (dAlpha)
        launch({nSources * nTargets, gradientThreads, lanes * sizeof(float)},
               MixingGradient{{x.data<float>(), nSources * rowSize, rowSize, dHead},
                              {dOut.data<float>(), nTargets * rowSize, rowSize, dHead},
                              dAlpha.data<float>(),
                              nTargets,
                              nBatch,
                              nTokens,
                              dHead,
                              0});
}

void DeviceBackend::rotate(const RotaryParams& params, const Tensor& x) {
    if (params.positions == PositionKind::none || x.count() == 0) return;
    Rotate body{};
    body.x = x.data<float>();
    body.start = params.start;
    body.nPseudo = x.size(2);
    body.nTokens = x.size(3);
    body.dHead = x.size(4);
    body.half = params.widthFor(body.dHead) / 2;
    body.virtualTokens = params.positions == PositionKind::virtualToken;
    assert(params.widthFor(body.dHead) % 2 == 0);
    if (body.half > mostPairs)
        throw BackendFailure({Error::Kind::unsupported, "cuda backend",
                              "rotary embeddings turn at most " + std::to_string(2 * mostPairs) +
                                  " numbers of a head, here " + std::to_string(2 * body.half),
                              "run this model on the CPU"});
    const double sign = params.inverse ? -params.factor : params.factor;
    for (Index pair = 0; pair < body.half; ++pair)
        body.frequencies[pair] = sign * params.frequency(pair, body.dHead);
    forEach(x.count() / body.dHead * body.half, body);
}

void DeviceBackend::append(const Tensor& rows, std::int64_t start, const Tensor& cache) {
    assert(start + rows.size(3) <= cache.size(3) && cache.size(4) == rows.size(4));
    forEach(rows.count(), AppendRows{rows.data<float>(), cache.data<float>(), rows.size(3), start,
                                     cache.size(3), rows.size(4)});
}

void DeviceBackend::collapse(const Tensor& y, const Tensor& r, const Tensor& z) {
    forEach(z.count(), Collapse{y.data<float>(), collapseMatrix(r, y.size(1), y.size(2)),
                                z.data<float>(), y.size(3), y.size(4)});
}

void DeviceBackend::collapseBackward(const Tensor& y, const Tensor& r, const Tensor& dZ,
                                     const Tensor& dY, const Tensor& dR) {
    const Index nBatch = y.size(0), nHeads = y.size(1), nPseudo = y.size(2);
    const Index nTokens = y.size(3), dHead = y.size(4), rowSize = nTokens * dHead;
    const CollapseMatrix matrix = collapseMatrix(r, nHeads, nPseudo);
    if (dY)
        forEach(y.count(),
                CollapseBackward{dZ.data<float>(), matrix, dY.data<float>(), nTokens, dHead});
    if (dR)
        launch({dR.count(), gradientThreads, lanes * sizeof(float)},
               MixingGradient{{dZ.data<float>(), nTokens * nHeads * dHead, dHead, nHeads * dHead},
                              {y.data<float>(), nHeads * nPseudo * rowSize, rowSize, dHead},
                              dR.data<float>(),
                              dR.size(1),
                              nBatch,
                              nTokens,
                              dHead,
                              matrix.full ? 0 : nPseudo});
}

void DeviceBackend::effectiveMaps(const Tensor& maps, const Tensor& alphaV, const Tensor& r,
                                  const Tensor& out) {
    forEach(out.count(), EffectiveMap{maps.data<float>(), floats(alphaV),
                                      collapseMatrix(r, maps.size(1), maps.size(2)),
                                      out.data<float>(), out.size(2), out.size(3) * out.size(4)});
}

}  // namespace headloom::gpu
