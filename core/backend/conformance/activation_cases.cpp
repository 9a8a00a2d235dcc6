#include "core/backend/conformance/case.h"

#include <fmt/format.h>

namespace headloom::conformance {

namespace {

Case activationCase(Draw& draw, Activation kind, std::int64_t count) {
    Case one;
    one.op = nameOf(kind);
    one.shape = fmt::format("{} numbers", count);
    one.in = {draw.normal({count}, 3.0)};
    one.out = {unwritten({count})};
    one.forward = [kind](Backend& backend, const Tensors& in, const Tensors& out) {
        backend.activate(kind, in[0], out[0]);
    };
    one.backward = [kind](Backend& backend, const Tensors& in, const Tensors&, const Tensor& dOut,
                          const Tensors& gradient) {
        backend.activateBackward(kind, in[0], dOut, gradient[0]);
    };
    one.differentiable = {true};
    one.dOut = draw.normal({count});
    return one;
}

Case gateCase(Draw& draw, std::int64_t count) {
    Case one;
    one.op = "gate";
    one.shape = fmt::format("{} numbers", count);
    one.in = {draw.normal({count}), draw.normal({count})};
    one.out = {unwritten({count})};
    one.forward = [](Backend& backend, const Tensors& in, const Tensors& out) {
        backend.gate(in[0], in[1], out[0]);
    };
    one.backward = [](Backend& backend, const Tensors& in, const Tensors&, const Tensor& dOut,
                      const Tensors& gradient) {
        backend.gateBackward(in[0], in[1], dOut, gradient[0], gradient[1]);
    };
    one.differentiable = {true, true};
    one.dOut = draw.normal({count});
    return one;
}

}  // namespace

void addActivationCases(std::vector<Case>& cases, Draw& draw) {
    for (const std::int64_t count : {1, 37, 1003}) {
        for (const Activation kind : {Activation::gelu, Activation::geluTanh, Activation::relu,
                                      Activation::silu, Activation::reluSquared, Activation::tanh})
            cases.push_back(activationCase(draw, kind, count));
        cases.push_back(gateCase(draw, count));
    }
}

}  // namespace headloom::conformance
