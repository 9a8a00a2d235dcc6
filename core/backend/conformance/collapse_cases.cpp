#include "core/backend/conformance/case.h"

#include <fmt/format.h>

#include <algorithm>

namespace headloom::conformance {

namespace {

enum class Form { full, perHead, none };

Shape shapeOf(Form form, std::int64_t nHeads, std::int64_t nPseudo) {
    return form == Form::full ? Shape{nHeads, nHeads * nPseudo} : Shape{nHeads, nPseudo};
}
const char* nameOf(Form form) {
    return form == Form::full ? "full" : form == Form::perHead ? "per-head" : "no R";
}

Case collapseCase(Draw& draw, Form form, std::int64_t nBatch, std::int64_t nHeads,
                  std::int64_t nPseudo, std::int64_t nTokens, std::int64_t dHead) {
    Case one;
    one.op = "collapse";
    one.shape = fmt::format("B{} H{} P{} N{} d{} {}", nBatch, nHeads, nPseudo, nTokens, dHead,
                            nameOf(form));
    one.in = {draw.normal({nBatch, nHeads, nPseudo, nTokens, dHead}),
              form == Form::none ? Tensor() : draw.normal(shapeOf(form, nHeads, nPseudo))};
    one.out = {unwritten({nBatch, nTokens, nHeads, dHead})};
    one.forward = [](Backend& backend, const Tensors& in, const Tensors& out) {
        backend.collapse(in[0], in[1], out[0]);
    };
    one.backward = [](Backend& backend, const Tensors& in, const Tensors&, const Tensor& dOut,
                      const Tensors& gradient) {
        backend.collapseBackward(in[0], in[1], dOut, gradient[0], gradient[1]);
    };
    one.differentiable = {true, true};
    one.dOut = draw.normal({nBatch, nTokens, nHeads, dHead});
    one.sumLength = static_cast<double>(std::max(nHeads * nPseudo, nBatch * nTokens * dHead));
    return one;
}

Case effectiveCase(Draw& draw, Form form, std::int64_t nBatch, std::int64_t nHeads,
                   std::int64_t nSources, std::int64_t nPseudo, std::int64_t nQueries,
                   std::int64_t nKeys) {
    Case one;
    one.op = "effectiveMaps";
    one.shape = fmt::format("B{} H{} M{} P{} Nq{} Nk{} {}", nBatch, nHeads, nSources, nPseudo,
                            nQueries, nKeys, nameOf(form));
    const bool mixed = form != Form::none;
    one.in = {draw.normal({nBatch, nHeads, nPseudo, nPseudo, nQueries, nKeys}),
              mixed ? draw.normal({nSources, nHeads, nPseudo}) : Tensor(),
              mixed ? draw.normal(shapeOf(form, nHeads, nPseudo)) : Tensor()};
    one.out = {unwritten({nBatch, nHeads, nSources, nQueries, nKeys})};
    one.forward = [](Backend& backend, const Tensors& in, const Tensors& out) {
        backend.effectiveMaps(in[0], in[1], in[2], out[0]);
    };
    one.sumLength = static_cast<double>(nHeads * nPseudo * nPseudo);
    return one;
}

}  // namespace

void addCollapseCases(std::vector<Case>& cases, Draw& draw) {
    for (const Form form : {Form::full, Form::perHead}) {
        cases.push_back(collapseCase(draw, form, 1, 1, 1, 1, 1));
        cases.push_back(collapseCase(draw, form, 2, 2, 3, 3, 2));  // P > H
        cases.push_back(collapseCase(draw, form, 2, 3, 2, 17, 9));
        cases.push_back(collapseCase(draw, form, draw.between(1, 3), draw.between(1, 7),
                                     draw.between(1, 7), draw.between(1, 40), draw.between(1, 30)));
        cases.push_back(effectiveCase(draw, form, 1, 1, 1, 1, 1, 1));
        cases.push_back(effectiveCase(draw, form, 2, 2, 2, 3, 5, 7));
        cases.push_back(effectiveCase(draw, form, 1, 4, 4, 2, 13, 13));
    }
    cases.push_back(effectiveCase(draw, Form::full, 1, 3, 2, 2, 4, 9));
    cases.push_back(collapseCase(draw, Form::none, 2, 3, 1, 5, 4));
    cases.push_back(effectiveCase(draw, Form::none, 2, 3, 3, 1, 4, 6));
}

}  // namespace headloom::conformance
