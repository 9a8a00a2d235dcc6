#include "core/backend/conformance/case.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace headloom::conformance {

namespace {

Case normCase(Draw& draw, NormKind kind, std::int64_t nRows, std::int64_t width, bool bias,
              double mean = 0) {
    Case one;
    one.op = kind == NormKind::rms ? "norm rms" : "norm layer";
    one.shape = fmt::format("R{} D{}{}{}", nRows, width, bias ? " bias" : "",
                            mean != 0 ? fmt::format(" mean {}", mean) : "");
    one.in = {draw.normal({nRows, width}), draw.normal({width}),
              bias ? draw.normal({width}) : Tensor()};
    for (double& value : one.in[0].values<double>()) value = static_cast<float>(value + mean);
    one.out = {unwritten({nRows, width}), unwritten({nRows, 2})};
    one.forward = [kind](Backend& backend, const Tensors& in, const Tensors& out) {
        backend.norm(kind, 1e-5, in[0], in[1], in[2], out[0], out[1]);
    };
    one.backward = [kind](Backend& backend, const Tensors& in, const Tensors& out,
                          const Tensor& dOut, const Tensors& gradient) {
        backend.normBackward(kind, in[0], in[1], out[1], dOut, gradient[0], gradient[1],
                             gradient[2]);
    };
    one.differentiable = {true, true, true};
    one.dOut = draw.normal({nRows, width});
    one.sumLength = static_cast<double>(std::max(nRows, width));
    one.magnified = 1 + mean;  // x - mean keeps the absolute error of numbers as large as the mean
    return one;
}

Case linearCase(Draw& draw, std::int64_t nRows, std::int64_t nIn, std::int64_t nOut, bool bias,
                bool transposed = false) {
    Case one;
    one.op = transposed ? "linearTransposed" : "linear";
    one.shape = fmt::format("R{} I{} O{}{}", nRows, nIn, nOut, bias ? " bias" : "");
    one.in = {draw.normal({nRows, nIn}),
              draw.normal(transposed ? Shape{nOut, nIn} : Shape{nIn, nOut}),
              bias ? draw.normal({nOut}) : Tensor()};
    one.out = {unwritten({nRows, nOut})};
    const auto forward = transposed ? &Backend::linearTransposed : &Backend::linear;
    const auto backward =
        transposed ? &Backend::linearTransposedBackward : &Backend::linearBackward;
    one.forward = [forward](Backend& backend, const Tensors& in, const Tensors& out) {
        (backend.*forward)(in[0], in[1], in[2], out[0]);
    };
    one.backward = [backward](Backend& backend, const Tensors& in, const Tensors&,
                              const Tensor& dOut, const Tensors& gradient) {
        (backend.*backward)(in[0], in[1], dOut, gradient[0], gradient[1], gradient[2]);
    };
    one.differentiable = {true, true, true};
    one.dOut = draw.normal({nRows, nOut});
    one.sumLength = static_cast<double>(std::max({nRows, nIn, nOut}));
    return one;
}

Case addCase(Draw& draw, std::int64_t count) {
    Case one;
    one.op = "add";
    one.shape = fmt::format("{} numbers", count);
    one.in = {draw.normal({count})};
    one.out = {draw.normal({count})};
    one.forward = [](Backend& backend, const Tensors& in, const Tensors& out) {
        backend.add(in[0], out[0]);
    };
    return one;
}

Case zeroCase(std::int64_t count) {
    Case one;
    one.op = "zero";
    one.shape = fmt::format("{} numbers", count);
    one.out = {unwritten({count})};
    one.forward = [](Backend& backend, const Tensors&, const Tensors& out) {
        backend.zero(out[0]);
    };
    return one;
}

/// Whole numbers, so that many are equal; `broken` of a row are not finite.
Case topCase(Draw& draw, std::int64_t nRows, std::int64_t width, std::int64_t count,
             std::int64_t broken = 0) {
    Case one;
    one.op = "topK";
    one.shape = fmt::format("R{} V{} K{}{}", nRows, width, count,
                            broken > 0 ? fmt::format(" {} not finite", broken) : "");
    one.in = {draw.whole({nRows, width}, -9, 9)};
    constexpr double infinity = std::numeric_limits<double>::infinity();
    for (std::int64_t row = 0; row < nRows; ++row)
        for (std::int64_t at = 0; at < broken; ++at)
            one.in[0].data<double>()[row * width + 3 * at] = at % 3 == 0   ? std::nan("")
                                                             : at % 3 == 1 ? infinity
                                                                           : -infinity;
    one.out = {unwritten({nRows, count}), Tensor::host({nRows, count}, DType::i32)};
    one.forward = [](Backend& backend, const Tensors& in, const Tensors& out) {
        backend.topK(in[0], out[0], out[1]);
    };
    return one;
}

}  // namespace

void addRowCases(std::vector<Case>& cases, Draw& draw) {
    for (const NormKind kind : {NormKind::rms, NormKind::layer}) {
        const bool layer = kind == NormKind::layer;
        cases.push_back(normCase(draw, kind, 1, 3, false));
        cases.push_back(normCase(draw, kind, 3, 7, layer));
        cases.push_back(normCase(draw, kind, 5, 67, layer));
        cases.push_back(normCase(draw, kind, draw.between(2, 40), draw.between(9, 150), layer));
    }
    // a variance from E[x^2] - E[x]^2 has no digit left here
    cases.push_back(normCase(draw, NormKind::layer, 4, 33, true, 1000));

    cases.push_back(linearCase(draw, 1, 1, 1, true));
    cases.push_back(linearCase(draw, 3, 5, 7, true));
    cases.push_back(linearCase(draw, 1, 33, 65, false));
    cases.push_back(linearCase(draw, 70, 9, 131, true));
    cases.push_back(linearCase(draw, 13, 129, 67, true));
    cases.push_back(linearCase(draw, 3, 5, 7, true, true));
    cases.push_back(linearCase(draw, 1, 33, 65, false, true));
    cases.push_back(linearCase(draw, 70, 300, 131, true, true));
    cases.push_back(
        linearCase(draw, draw.between(2, 60), draw.between(2, 90), draw.between(2, 90), false));

    for (const std::int64_t count : {1, 37, 1003}) {
        cases.push_back(addCase(draw, count));
        cases.push_back(zeroCase(count));
    }

    cases.push_back(topCase(draw, 1, 1, 1));
    cases.push_back(topCase(draw, 3, 7, 7));
    cases.push_back(topCase(draw, 2, 1000, 1));
    cases.push_back(topCase(draw, 5, 333, 40, 5));
}

}  // namespace headloom::conformance
