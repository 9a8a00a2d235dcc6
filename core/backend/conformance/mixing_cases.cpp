#include "core/backend/conformance/case.h"

#include <fmt/format.h>

#include <algorithm>

namespace headloom::conformance {

namespace {

Case projectCase(Draw& draw, std::int64_t nBatch, std::int64_t nTokens, std::int64_t dModel,
                 std::int64_t nHeads, std::int64_t dHead, bool bias) {
    Case one;
    one.op = "projectHeads";
    one.shape = fmt::format("B{} N{} D{} H{} d{}{}", nBatch, nTokens, dModel, nHeads, dHead,
                            bias ? " bias" : "");
    one.in = {draw.normal({nBatch, nTokens, dModel}), draw.normal({nHeads, dModel, dHead}),
              bias ? draw.normal({nHeads, dHead}) : Tensor()};
    one.out = {unwritten({nBatch, nHeads, nTokens, dHead})};
    one.forward = [](Backend& backend, const Tensors& in, const Tensors& out) {
        backend.projectHeads(in[0], in[1], in[2], out[0]);
    };
    one.backward = [](Backend& backend, const Tensors& in, const Tensors&, const Tensor& dOut,
                      const Tensors& gradient) {
        backend.projectHeadsBackward(in[0], in[1], dOut, gradient[0], gradient[1], gradient[2]);
    };
    one.differentiable = {true, true, true};
    one.dOut = draw.normal({nBatch, nHeads, nTokens, dHead});
    one.sumLength = static_cast<double>(std::max({dModel, nHeads * dHead, nBatch * nTokens}));
    return one;
}

Case mixCase(Draw& draw, std::int64_t nBatch, std::int64_t nSources, std::int64_t nHeads,
             std::int64_t nPseudo, std::int64_t nTokens, std::int64_t dHead) {
    Case one;
    one.op = "mixHeads";
    one.shape =
        fmt::format("B{} M{} H{} P{} N{} d{}", nBatch, nSources, nHeads, nPseudo, nTokens, dHead);
    one.in = {draw.normal({nBatch, nSources, nTokens, dHead}),
              draw.normal({nSources, nHeads, nPseudo})};
    one.out = {unwritten({nBatch, nHeads, nPseudo, nTokens, dHead})};
    one.forward = [](Backend& backend, const Tensors& in, const Tensors& out) {
        backend.mixHeads(in[0], in[1], out[0]);
    };
    one.backward = [](Backend& backend, const Tensors& in, const Tensors&, const Tensor& dOut,
                      const Tensors& gradient) {
        backend.mixHeadsBackward(in[0], in[1], dOut, gradient[0], gradient[1]);
    };
    one.differentiable = {true, true};
    one.dOut = draw.normal({nBatch, nHeads, nPseudo, nTokens, dHead});
    one.sumLength =
        static_cast<double>(std::max({nSources, nHeads * nPseudo, nBatch * nTokens * dHead}));
    return one;
}

}  // namespace

void addMixingCases(std::vector<Case>& cases, Draw& draw) {
    cases.push_back(projectCase(draw, 1, 1, 3, 1, 2, false));
    cases.push_back(projectCase(draw, 2, 3, 5, 3, 2, true));
    cases.push_back(projectCase(draw, 1, 1, 48, 4, 12, true));
    cases.push_back(projectCase(draw, 2, 37, 65, 5, 13, false));
    cases.push_back(projectCase(draw, draw.between(1, 3), draw.between(2, 40), draw.between(3, 70),
                                draw.between(1, 7), draw.between(1, 20), true));

    cases.push_back(mixCase(draw, 1, 1, 1, 1, 1, 2));
    cases.push_back(mixCase(draw, 2, 3, 2, 3, 3, 2));  // P > H
    cases.push_back(mixCase(draw, 1, 2, 3, 1, 4, 3));  // P = 1, fewer sources than heads
    cases.push_back(mixCase(draw, 2, 4, 4, 4, 19, 12));
    cases.push_back(mixCase(draw, 3, 5, 5, 2, 1, 33));  // N = 1
    cases.push_back(mixCase(draw, draw.between(1, 3), draw.between(1, 8), draw.between(1, 8),
                            draw.between(1, 6), draw.between(1, 30), draw.between(1, 40)));
}

}  // namespace headloom::conformance
