#include "core/backend/conformance/case.h"

#include <fmt/format.h>

#include <algorithm>

namespace headloom::conformance {

namespace {

Case crossEntropyCase(Draw& draw, std::int64_t nRows, std::int64_t nClasses, double deviation,
                      bool wantGradient) {
    const double weight = 1.0 / static_cast<double>(nRows);
    Case one;
    one.op = "crossEntropy";
    one.shape = fmt::format("R{} V{} deviation {}{}", nRows, nClasses, deviation,
                            wantGradient ? "" : " no gradient");
    one.in = {draw.normal({nRows, nClasses}, deviation), draw.ids({nRows}, -1, nClasses - 1)};
    one.in[1].data<std::int32_t>()[0] = 0;  // at least one row counts
    one.out = {unwritten({1})};
    if (wantGradient) one.out.push_back(unwritten({nRows, nClasses}));
    one.forward = [weight](Backend& backend, const Tensors& in, const Tensors& out) {
        const Tensor gradient = out.size() > 1 ? out[1] : Tensor();
        store(backend, backend.crossEntropy(in[0], in[1], weight, gradient), out[0]);
    };
    one.backward = [weight](Backend& backend, const Tensors& in, const Tensors&, const Tensor&,
                            const Tensors& gradient) {
        backend.crossEntropy(in[0], in[1], weight, gradient[0]);
    };
    one.differentiable = {true, false};
    one.dOut = Tensor::of<double>({1}, {1.0});
    one.gradientAdds = false;
    one.sumLength = static_cast<double>(nClasses + nRows);
    one.magnified = std::max(1.0, 4 * deviation);  // the error of exp(x) is that of x, not of x/x
    return one;
}

Case sumOfSquaresCase(Draw& draw, std::int64_t count) {
    Case one;
    one.op = "sumOfSquares";
    one.shape = fmt::format("{} numbers", count);
    one.in = {draw.normal({count})};
    one.out = {unwritten({1})};
    one.forward = [](Backend& backend, const Tensors& in, const Tensors& out) {
        store(backend, backend.sumOfSquares(in[0]), out[0]);
    };
    // No more for longer ones: sums of positive terms lose nothing to cancellation, and a norm for
    // clipping is worth summing with care.
    one.sumLength = 32;
    return one;
}

Case adamwCase(Draw& draw, std::int64_t count, const AdamWParams& params) {
    Case one;
    one.op = "adamw";
    one.shape = fmt::format("{} numbers step {} decay {}", count, params.step, params.weightDecay);
    one.in = {draw.normal({count})};
    one.out = {draw.normal({count}), draw.normal({count}, 0.1), draw.whole({count}, 1, 5)};
    one.forward = [params](Backend& backend, const Tensors& in, const Tensors& out) {
        backend.adamw(params, out[0], in[0], out[1], out[2]);
    };
    return one;
}

}  // namespace

void addLearningCases(std::vector<Case>& cases, Draw& draw) {
    cases.push_back(crossEntropyCase(draw, 1, 1, 1, true));
    cases.push_back(crossEntropyCase(draw, 5, 7, 1, true));
    cases.push_back(crossEntropyCase(draw, 9, 67, 1, false));
    cases.push_back(crossEntropyCase(draw, 33, 259, 2, true));
    cases.push_back(crossEntropyCase(draw, 6, 13, 60, true));  // exp overflows unless shifted
    for (const std::int64_t count : {1, 37, 100003}) cases.push_back(sumOfSquaresCase(draw, count));

    AdamWParams params;
    cases.push_back(adamwCase(draw, 1, params));
    params = {3e-3, 0.9, 0.95, 1e-8, 0.1, 0.37, 7};
    cases.push_back(adamwCase(draw, 133, params));
    params.step = 4000;
    params.epsilon = 1e-2;  // large enough that inside and outside the root differ
    cases.push_back(adamwCase(draw, 67, params));
}

}  // namespace headloom::conformance
