#include "core/backend/conformance/case.h"

#include <fmt/format.h>

namespace headloom::conformance {

namespace {

Case embedCase(Draw& draw, std::int64_t nBatch, std::int64_t nTokens, std::int64_t dModel,
               std::int64_t nVocab, bool positions, std::int64_t start) {
    Case one;
    one.op = "embed";
    one.shape = fmt::format("B{} N{} D{} V{}{}", nBatch, nTokens, dModel, nVocab,
                            positions ? fmt::format(" positions from {}", start) : "");
    one.in = {draw.ids({nBatch, nTokens}, 0, nVocab - 1), draw.normal({nVocab, dModel}),
              positions ? draw.normal({start + nTokens + 2, dModel}) : Tensor()};
    one.out = {unwritten({nBatch, nTokens, dModel})};
    one.forward = [start](Backend& backend, const Tensors& in, const Tensors& out) {
        backend.embed(in[0], in[1], in[2], start, out[0]);
    };
    one.sumLength = static_cast<double>(nBatch * nTokens);  // one row of the table's gradient
    if (start > 0) return one;                              // training always starts at token 0
    one.backward = [](Backend& backend, const Tensors& in, const Tensors&, const Tensor& dOut,
                      const Tensors& gradient) {
        backend.embedBackward(in[0], dOut, gradient[1], gradient[2]);
    };
    one.differentiable = {false, true, true};
    one.dOut = draw.normal({nBatch, nTokens, dModel});
    return one;
}

}  // namespace

void addTokenCases(std::vector<Case>& cases, Draw& draw) {
    cases.push_back(embedCase(draw, 1, 1, 3, 2, false, 0));
    cases.push_back(embedCase(draw, 2, 5, 7, 4, true, 0));
    cases.push_back(embedCase(draw, 1, 1, 9, 11, true, 6));
    cases.push_back(embedCase(draw, 3, 17, 33, 29, true, 0));
    cases.push_back(embedCase(draw, draw.between(1, 4), draw.between(2, 40), draw.between(2, 70),
                              draw.between(2, 60), true, draw.between(1, 9)));
}

}  // namespace headloom::conformance
