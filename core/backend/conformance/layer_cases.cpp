#include "core/backend/conformance/case.h"

#include <fmt/format.h>

#include <cmath>

namespace headloom::conformance {

namespace {

struct LayerSetting {
    MaskKind mask;
    PositionKind positions;
    ScoreKind score;
    bool perHead;
};

enum Argument { x, wq, wk, wv, alphaQ, alphaK, alphaV, r, wo };

/// Projections, mixing and rotation of one of q, k, v: [B, H, P, N, d].
Tensor pseudoHeads(Backend& backend, const Tensor& in, const Tensor& weight, const Tensor& alpha,
                   const RotaryParams& rotary) {
    const std::int64_t nBatch = in.size(0), nTokens = in.size(1), nHeads = weight.size(0);
    const std::int64_t dHead = weight.size(2), nPseudo = alpha.size(2);
    const Tensor base = backend.allocate({nBatch, nHeads, nTokens, dHead}, in.dtype());
    const Tensor mixed = backend.allocate({nBatch, nHeads, nPseudo, nTokens, dHead}, in.dtype());
    backend.projectHeads(in, weight, {}, base);
    backend.mixHeads(base, alpha, mixed);
    backend.rotate(rotary, mixed);
    return mixed;
}

/// The whole IHA layer of iha.md 2 through the seam: out = y, maps, effective maps.
void layer(Backend& backend, const LayerSetting& setting, const Tensors& in, const Tensors& out) {
    AttentionParams params;
    params.mask = setting.mask;
    params.score = setting.score;
    RotaryParams rotary, still;
    rotary.positions = setting.positions;
    still.positions = PositionKind::none;
    const Tensor q = pseudoHeads(backend, in[x], in[wq], in[alphaQ], rotary);
    const Tensor k = pseudoHeads(backend, in[x], in[wk], in[alphaK], rotary);
    const Tensor v = pseudoHeads(backend, in[x], in[wv], in[alphaV], still);
    const Tensor y = backend.allocate(v.shape(), v.dtype());
    backend.attention(params, q, k, v, y, out[1]);
    const std::int64_t nBatch = v.size(0), nHeads = v.size(1), nTokens = v.size(3);
    const Tensor z = backend.allocate({nBatch, nTokens, nHeads, v.size(4)}, v.dtype());
    backend.collapse(y, in[r], z);
    backend.linear(z.reshaped({nBatch * nTokens, nHeads * v.size(4)}), in[wo], {},
                   out[0].reshaped({nBatch * nTokens, out[0].size(2)}));
    backend.effectiveMaps(out[1], in[alphaV], in[r], out[2]);
}

Case layerCase(Draw& draw, const LayerSetting& setting) {
    const std::int64_t nBatch = draw.between(1, 2), nTokens = draw.between(1, 13);
    const std::int64_t nHeads = draw.between(1, 4), nPseudo = draw.between(1, 4);
    const std::int64_t dHead = 2 * draw.between(1, 4), dModel = nHeads * dHead;
    Case one;
    one.op = "layer";
    one.shape = fmt::format("B{} N{} D{} H{} P{} {} {} {} {}", nBatch, nTokens, dModel, nHeads,
                            nPseudo, nameOf(setting.mask), nameOf(setting.positions),
                            nameOf(setting.score), setting.perHead ? "per-head" : "full");
    const double shrink = 1 / std::sqrt(static_cast<double>(dModel));
    const Shape weight{nHeads, dModel, dHead}, alpha{nHeads, nHeads, nPseudo};
    one.in = {draw.normal({nBatch, nTokens, dModel}),
              draw.normal(weight, shrink),
              draw.normal(weight, shrink),
              draw.normal(weight, shrink),
              draw.normal(alpha),
              draw.normal(alpha),
              draw.normal(alpha),
              draw.normal({nHeads, setting.perHead ? nPseudo : nHeads * nPseudo}),
              draw.normal({dModel, dModel}, shrink)};
    one.out = {unwritten({nBatch, nTokens, dModel}),
               unwritten({nBatch, nHeads, nPseudo, nPseudo, nTokens, nTokens}),
               unwritten({nBatch, nHeads, nHeads, nTokens, nTokens})};
    one.forward = [setting](Backend& backend, const Tensors& in, const Tensors& out) {
        layer(backend, setting, in, out);
    };
    one.sumLength = static_cast<double>(2 * dModel + nHeads * nPseudo + nPseudo * nTokens);
    // Mixing H <= 4 heads makes vectors of deviation 2 and scores of deviation 4; four of those.
    one.magnified = 16;
    return one;
}

}  // namespace

void addLayerCases(std::vector<Case>& cases, Draw& draw) {
    for (const MaskKind mask : {MaskKind::flat, MaskKind::token, MaskKind::none})
        for (const PositionKind positions :
             {PositionKind::virtualToken, PositionKind::token, PositionKind::none})
            for (const ScoreKind score : {ScoreKind::softmax, ScoreKind::linear, ScoreKind::hard})
                for (const bool perHead : {false, true})
                    cases.push_back(layerCase(draw, {mask, positions, score, perHead}));
}

}  // namespace headloom::conformance
