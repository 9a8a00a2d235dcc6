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

/// Up to `sharers` tokens a position; about a third of those after the first are none.
Case sharedCase(Draw& draw, std::int64_t nBatch, std::int64_t nTokens, std::int64_t sharers,
                std::int64_t dModel, std::int64_t nVocab, bool positions) {
    Case one = embedCase(draw, nBatch, nTokens, dModel, nVocab, positions, 0);
    one.shape += fmt::format(" K{}", sharers);
    const Tensor ids = draw.ids({nBatch, nTokens, sharers}, -(nVocab + 1) / 2, nVocab - 1);
    for (std::int64_t at = 0; at < ids.count(); at += sharers) {
        std::int32_t& first = ids.data<std::int32_t>()[at];
        first = first < 0 ? -1 - first : first;
    }
    one.in[0] = ids;
    one.sumLength *= static_cast<double>(sharers);
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
    cases.push_back(sharedCase(draw, 2, 5, 4, 7, 6, false));
    cases.push_back(sharedCase(draw, 3, 9, 3, 40, 12, true));
}

}  // namespace headloom::conformance
