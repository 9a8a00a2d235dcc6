#include "core/session/backend_comparison.h"

#include "core/base/counted.h"
#include "core/models/trace_tensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace headloom {

namespace {

constexpr int mostPasses = 5;
/// Passes are repeated until so long was measured, so that a large model is not kept waiting.
constexpr double enoughMilliseconds = 500;

constexpr double besidesSums = 16;  ///< roundings of exp, division and the like, a step
constexpr double unit = 0x1p-23;

/// K of the tensors of one stage of a layer, over those of the stage before.
double addedRoundings(TraceStage stage, const ModelConfig& config, const LayerConfig& layer,
                      int rows) {
    const double width = config.dModel, head = config.dHead(), heads = config.nHeads,
                 keys = double(rows) * layer.nPseudo;
    switch (stage) {
        case TraceStage::input:
            return 0;
        case TraceStage::norm:
        case TraceStage::projected:
        case TraceStage::mlpNorm:
        case TraceStage::mlpIn:
            return width + besidesSums;
        case TraceStage::mixed:
            return heads + besidesSums;
        case TraceStage::scored:
            return head + besidesSums;
        case TraceStage::weighed:
        case TraceStage::attended:
            return keys + besidesSums;
        case TraceStage::collapsed:
            return heads * layer.nPseudo + besidesSums;
        case TraceStage::attentionAdded:
            return heads * head + besidesSums;
    }
    return 0;
}

TensorDifference difference(std::string name, const Tensor& tested, const Tensor& against,
                            double roundings) {
    TensorDifference made{std::move(name), against.shape(), 0, 0, 2 * roundings * unit};
    const auto a = tested.values<float>(), b = against.values<float>();
    double largest = 0;
    for (std::size_t i = 0; i < b.size(); ++i) {
        // equal infinities, as a difference, would be NaN
        if (a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i]))) {
            if (std::isfinite(b[i])) largest = std::max(largest, std::abs(double(b[i])));
            continue;
        }
        const double apart = std::abs(double(a[i]) - double(b[i]));
        made.maxAbsolute = std::max(
            made.maxAbsolute, std::isnan(apart) ? std::numeric_limits<double>::infinity() : apart);
        if (std::isfinite(b[i])) largest = std::max(largest, std::abs(double(b[i])));
    }
    // beside nothing but zeros any difference is too large
    if (made.maxAbsolute > 0) made.maxRelative = made.maxAbsolute / largest;
    return made;
}

/// Walks both traces in the order of computation.
std::vector<TensorDifference> differences(const ChainRun& tested, const ChainRun& against) {
    const ModelConfig& config = against.model->config;
    std::vector<TensorDifference> all;
    const auto add = [&](std::string name, const Tensor& a, const Tensor& b, double roundings) {
        if (b) all.push_back(difference(std::move(name), a, b, roundings));
    };
    double roundings = 1;  // of the sum of token and position
    for (std::size_t l = 0; l < against.trace.layers.size(); ++l) {
        TraceStage stage = TraceStage::input;
        for (const LayerTensor& tensor : layerTensors) {
            for (; stage != tensor.stage; stage = static_cast<TraceStage>(int(stage) + 1))
                roundings += addedRoundings(static_cast<TraceStage>(int(stage) + 1), config,
                                            config.layers[l], against.rows);
            add(fmt::format("blocks.{}.{}", l, tensor.name), tested.trace.layers[l].*tensor.member,
                against.trace.layers[l].*tensor.member, roundings);
        }
        roundings += config.dMlp + besidesSums;
    }
    for (const TraceTensor& tensor : traceTensors) {
        if (tensor.member == &ActivationTrace::normFinal ||
            tensor.member == &ActivationTrace::logits)
            roundings += config.dModel + besidesSums;
        add(tensor.name, tested.trace.*tensor.member, against.trace.*tensor.member, roundings);
    }
    return all;
}

/// The first pass opens what a backend opens once; the rest are timed.
Result<ChainRun> timedRun(const ChainRequest& request, Backend& backend,
                          BackendComparison::Side& side) {
    side.device = backend.info();
    auto run = runChain(request, backend);
    if (!run) return run;
    std::vector<double> times;
    double measured = 0;
    while (times.empty() ||
           (measured < enoughMilliseconds && static_cast<int>(times.size()) < mostPasses)) {
        run = runChain(request, backend);
        if (!run) return run;
        times.push_back(run->milliseconds);
        measured += run->milliseconds;
    }
    std::sort(times.begin(), times.end());
    side.passes = static_cast<int>(times.size());
    side.milliseconds = times[times.size() / 2];
    return run;
}

}  // namespace

int BackendComparison::beyond() const {
    return static_cast<int>(
        std::count_if(tensors.begin(), tensors.end(),
                      [](const TensorDifference& tensor) { return !tensor.within(); }));
}

const TensorDifference* BackendComparison::worst() const {
    const auto found = std::max_element(
        tensors.begin(), tensors.end(), [](const TensorDifference& a, const TensorDifference& b) {
            return a.maxRelative / a.tolerance < b.maxRelative / b.tolerance;
        });
    return found == tensors.end() ? nullptr : &*found;
}

Result<BackendComparison> compareBackends(ChainRequest request, Backend& tested, Backend& against) {
    request.maps = request.activations = true;
    request.mapLayers.clear();
    request.mostMapBytes = 0;
    request.effectiveMaps = request.keepResiduals = false;
    request.before = request.editOf = nullptr;
    BackendComparison made;
    if (request.mode == ChainMode::onItsOwn) {
        // Once for what it says: two backends may choose differently where two tokens are level.
        ChainRequest said = request;
        said.maps = said.activations = false;
        const auto run = runChain(said, against);
        if (!run) return tl::unexpected(run.error());
        request.prompt.assign(run->tokens.begin(), run->tokens.begin() + run->rows);
        request.mode = ChainMode::trueChain;
        request.truth.reset();
    }
    const auto b = timedRun(request, against, made.against);
    if (!b) return tl::unexpected(b.error());
    const auto a = timedRun(request, tested, made.tested);
    if (!a) return tl::unexpected(a.error());
    made.rows = b->rows;
    made.tensors = differences(*a, *b);
    return made;
}

std::string toleranceReason() {
    return "Both compute in float32. A tensor may differ by 2 K 2^-23 of its largest entry, where "
           "K "
           "counts the roundings that lie between the tokens and it on either side: the length of "
           "every sum, and 16 a step for exp, division and the like.";
}

std::string verdictOn(const BackendComparison& comparison) {
    const auto count = comparison.tensors.size();
    if (const int beyond = comparison.beyond(); beyond > 0)
        return fmt::format("{} of {} differ{} by more than rounding can explain", beyond,
                           counted(count, "tensor"), beyond == 1 ? "s" : "");
    return fmt::format("all {} tensors agree within rounding", count);
}

std::string comparisonAsCsv(const BackendComparison& comparison) {
    std::string text = "tensor,shape,max_absolute,max_relative,tolerance,within\n";
    for (const TensorDifference& tensor : comparison.tensors) {
        std::string shape;
        for (const std::int64_t size : tensor.shape.sizes())
            shape += (shape.empty() ? "" : "x") + std::to_string(size);
        text += fmt::format("{},{},{},{},{},{}\n", tensor.name, shape, tensor.maxAbsolute,
                            tensor.maxRelative, tensor.tolerance, tensor.within() ? 1 : 0);
    }
    return text;
}

}  // namespace headloom
