#include "core/backend/conformance.h"

#include "core/backend/conformance/case.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace headloom {

using conformance::Case;
using conformance::Draw;
using conformance::Tensors;

namespace {

std::vector<Case> allCases(std::uint64_t seed) {
    std::vector<Case> cases;
    std::uint64_t group = 0;
    // a stream of its own for each group: more cases leave the other groups as they were
    for (const auto add :
         {conformance::addTokenCases, conformance::addRowCases, conformance::addMixingCases,
          conformance::addAttentionCases, conformance::addCollapseCases, conformance::addLayerCases,
          conformance::addLearningCases, conformance::addMapCases,
          conformance::addActivationCases}) {
        Draw draw(seed, group++);
        add(cases, draw);
    }
    return cases;
}

double toleranceOf(const Case& one, DType type, const DeviceInfo& device) {
    const double unit = type == DType::f64 ? 0x1p-52 : device.unit;
    return (one.sumLength + 16) * one.magnified * unit;
}

/// A copy of host tensors on a backend, floating ones in `type`.
Tensors placed(Backend& backend, const Tensors& tensors, DType type) {
    Tensors made;
    for (const Tensor& tensor : tensors) {
        if (!tensor) {
            made.emplace_back();
            continue;
        }
        const Tensor host = tensor.dtype() == DType::i32 ? tensor : tensor.cast(type);
        made.push_back(backend.allocate(host.shape(), host.dtype()));
        backend.upload(host, made.back());
    }
    return made;
}

/// Back on the host, in float64.
Tensors fetched(Backend& backend, const Tensors& tensors) {
    Tensors made;
    for (const Tensor& tensor : tensors) {
        made.emplace_back();
        if (!tensor) continue;
        const Tensor host = Tensor::host(tensor.shape(), tensor.dtype());
        backend.download(tensor, host);
        made.back() = host.cast(DType::f64);
    }
    return made;
}

/// Widens the record's errors by those of one pair of lists. What an output held `before` counts as
/// a term of its sums (unless it is NaN: to be overwritten).
void compare(const Tensors& got, const Tensors& want, const Tensors& before,
             ConformanceRecord& record) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    for (std::size_t t = 0; t < want.size(); ++t) {
        if (!want[t]) continue;
        double error = 0, largest = 0;
        const Tensor held = before[t].cast(DType::f64);
        for (std::int64_t i = 0; i < want[t].count(); ++i) {
            const double difference =
                std::abs(got[t].data<double>()[i] - want[t].data<double>()[i]);
            error = std::max(error, std::isnan(difference) ? infinity : difference);
            largest = std::max(largest, std::abs(want[t].data<double>()[i]));
            largest = std::fmax(largest, std::abs(held.data<double>()[i]));
        }
        const double relative = error == 0 ? 0 : largest == 0 ? infinity : error / largest;
        record.maxAbsolute = std::max(record.maxAbsolute, error);
        record.maxRelative = std::max(record.maxRelative, relative);
    }
    record.passed = record.maxRelative <= record.tolerance;
}

/// What the operator leaves in its results, as float64 on the host.
Tensors forward(Backend& backend, const Case& one, const Tensors& in, DType type) {
    const Tensors out = placed(backend, one.out, type);
    one.forward(backend, placed(backend, in, type), out);
    return fetched(backend, out);
}

/// What the backward operator leaves in gradients that hold `before`.
Tensors backward(Backend& backend, const Case& one, const Tensors& out, const Tensors& before,
                 DType type) {
    const Tensors gradient = placed(backend, before, type);
    one.backward(backend, placed(backend, one.in, type), placed(backend, out, type),
                 placed(backend, {one.dOut}, type)[0], gradient);
    return fetched(backend, gradient);
}

/// Contents of the gradients before a backward call, for every differentiable argument but one
/// (leftOut < 0: for all of them).
Tensors gradientsBefore(const Case& one, Draw& draw, int leftOut) {
    Tensors made;
    for (std::size_t t = 0; t < one.in.size(); ++t) {
        made.emplace_back();
        if (one.in[t] && one.differentiable[t] && static_cast<int>(t) != leftOut)
            made.back() = one.gradientAdds ? draw.normal(one.in[t].shape())
                                           : conformance::unwritten(one.in[t].shape());
    }
    return made;
}

/// The gradient of sum(dOut * out[0]) by central differences, at 0 for other arguments.
Tensors differences(Backend& reference, const Case& one) {
    const double step = 1e-5;
    Tensors made;
    for (std::size_t t = 0; t < one.in.size(); ++t) {
        made.emplace_back();
        if (!one.in[t] || !one.differentiable[t]) continue;
        made.back() = Tensor::host(one.in[t].shape(), DType::f64);
        Tensors in = one.in;
        in[t] = one.in[t].copy();
        const auto lossAt = [&](double& place, double value) {
            const double before = place;
            place = value;
            const Tensor out = forward(reference, one, in, DType::f64)[0];
            place = before;
            double loss = 0;
            for (std::int64_t i = 0; i < out.count(); ++i)
                loss += out.data<double>()[i] * one.dOut.data<double>()[i];
            return loss;
        };
        for (std::int64_t i = 0; i < in[t].count(); ++i) {
            double& place = in[t].data<double>()[i];
            made.back().data<double>()[i] =
                (lossAt(place, place + step) - lossAt(place, place - step)) / (2 * step);
        }
    }
    return made;
}

bool isTiny(const Case& one) {
    std::int64_t numbers = 0;
    for (std::size_t t = 0; t < one.in.size(); ++t)
        if (one.in[t]) numbers += one.in[t].count();
    return numbers <= 300;
}

}  // namespace

std::vector<ConformanceRecord> checkAgainstReference(Backend& tested,
                                                     const ConformanceOptions& options) {
    const std::unique_ptr<Backend> reference = makeReferenceBackend();
    Draw draw(options.seed + 1);
    std::vector<ConformanceRecord> records;
    for (const Case& one : allCases(options.seed)) {
        ConformanceRecord record{
            one.op, one.shape, 0, 0, toleranceOf(one, options.type, tested.info()), false};
        const Tensors out = forward(*reference, one, one.in, DType::f64);
        compare(forward(tested, one, one.in, options.type), out, one.out, record);
        records.push_back(record);
        if (!one.backward) continue;

        record = {one.op + " backward", one.shape, 0, 0, record.tolerance, false};
        const int last = isTiny(one) ? static_cast<int>(one.in.size()) : 0;
        for (int leftOut = -1; leftOut < last; ++leftOut) {
            if (leftOut >= 0 && !(one.in[leftOut] && one.differentiable[leftOut])) continue;
            const Tensors before = gradientsBefore(one, draw, leftOut);
            compare(backward(tested, one, out, before, options.type),
                    backward(*reference, one, out, before, DType::f64), before, record);
        }
        records.push_back(record);
    }
    return records;
}

std::vector<ConformanceRecord> checkGradients(Backend& tested, const ConformanceOptions& options) {
    const std::unique_ptr<Backend> reference = makeReferenceBackend();
    std::vector<ConformanceRecord> records;
    for (const Case& one : allCases(options.seed)) {
        if (!one.backward || !isTiny(one)) continue;
        ConformanceRecord record{one.op + " backward",
                                 one.shape,
                                 0,
                                 0,
                                 toleranceOf(one, options.type, tested.info()) + 1e-7,
                                 false};
        Tensors zeros;
        for (std::size_t t = 0; t < one.in.size(); ++t) {
            zeros.emplace_back();
            if (one.in[t] && one.differentiable[t])
                zeros.back() = Tensor::host(one.in[t].shape(), DType::f64);
        }
        const Tensors out = forward(*reference, one, one.in, DType::f64);
        compare(backward(tested, one, out, zeros, options.type), differences(*reference, one),
                zeros, record);
        records.push_back(record);
    }
    return records;
}

}  // namespace headloom
