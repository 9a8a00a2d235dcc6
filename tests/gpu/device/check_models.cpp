#include "tests/gpu/device/check_models.h"

#include "core/models/guarded.h"
#include "tests/gpu/device/passes.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

namespace headloom::device {

namespace {

constexpr double forwardTolerance = 5e-6, gradientTolerance = 2e-5, lossTolerance = 1e-4;

double largestOf(const Tensor& host) {
    const Tensor numbers = host.cast(DType::f64);
    double largest = 0;
    for (const double number : numbers.values<double>())
        largest = std::max(largest, std::abs(number));
    return largest;
}

/// Largest difference over the largest entry of `want`, or over `atLeast` where that is more; NaN
/// counts as infinite. Both on the host.
double errorOf(const Tensor& got, const Tensor& want, double atLeast = 0) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    if (got.count() != want.count()) return infinity;
    const Tensor a = got.cast(DType::f64), b = want.cast(DType::f64);
    const double largest = std::max(largestOf(b), atLeast);
    double error = 0;
    for (std::int64_t i = 0; i < a.count(); ++i) {
        const double difference = std::abs(a.data<double>()[i] - b.data<double>()[i]);
        error = std::max(error, std::isnan(difference) ? infinity : difference);
    }
    return error == 0 ? 0 : largest == 0 ? infinity : error / largest;
}

using NamedTensors = std::vector<std::pair<std::string, Tensor>>;

/// What a pass computed, without the statistics of norms and what only some kinds keep: an error
/// there is seen in what follows.
NamedTensors tensorsOf(const ActivationTrace& trace) {
    NamedTensors all;
    for (std::size_t i = 0; i < trace.layers.size(); ++i) {
        const LayerTrace& layer = trace.layers[i];
        const std::string block = "layer " + std::to_string(i) + " ";
        for (const auto& [name, tensor] : NamedTensors{{"norm1", layer.norm1},
                                                       {"mixedQ", layer.mixedQ},
                                                       {"mixedK", layer.mixedK},
                                                       {"mixedV", layer.mixedV},
                                                       {"scores", layer.scores},
                                                       {"maps", layer.maps},
                                                       {"y", layer.y},
                                                       {"z", layer.z},
                                                       {"residMid", layer.residMid},
                                                       {"mlpPost", layer.mlpPost}})
            if (tensor) all.emplace_back(block + name, tensor);
    }
    all.emplace_back("residFinal", trace.residFinal);
    all.emplace_back("logits", trace.logits);
    return all;
}

/// One model on one backend.
struct Side {
    Backend& backend;
    Weights weights;  ///< on the backend, and its own
    Decoder decoder;

    Side(const ModelConfig& config, const Weights& given, Backend& where)
        : backend(where), weights(ownCopy(given, where)), decoder(config, weights, where) {}
};

class ModelCheck {
  public:
    ModelCheck(const ModelCase& model, Backend& tested, Report& report)
        : model_(model),
          report_(report),
          reference_(makeReferenceBackend()),
          weights_(initialWeights(model.config, 5)),
          ids_(randomIds(model.batch, model.tokens, model.config.dVocab)),
          got_(model.config, weights_, tested),
          want_(model.config, inDouble(weights_), *reference_) {}

    void run() {
        ForwardOptions captured, fused, ablated;
        fused.captureMaps = fused.keepActivations = ablated.keepActivations = false;
        ablated.changes = tilesOff();
        part("captured", [&] { return compareForward("captured ", captured); });
        part("no maps", [&] { return compareForward("no maps ", fused); });
        part("tiles off", [&] { return compareForward("tiles off ", ablated); });
        part("decoding", [&] { return compareDecoding(); });
        part("training", [&] { return compareTraining(); });
    }

  private:
    /// The parts that come after one that broke off are run all the same.
    template <class Work>
    void part(const char* name, Work work) {
        if (const auto done = guarded(work); !done)
            report_.fail(model_.name + ": " + name, done.error().sentence());
    }

    /// The tolerances above are for float32; products of a coarser unit may be off by so much more.
    void add(const std::string& what, double error, double tolerance) {
        report_.add(model_.name + ": " + what, error,
                    tolerance * got_.backend.info().unit / 0x1p-23);
    }

    /// Every third tile of every layer.
    std::vector<LayerChanges> tilesOff() const {
        std::vector<LayerChanges> changes;
        for (const LayerConfig& layer : model_.config.layers) {
            const std::int64_t pseudo = layer.nPseudo;
            LayerChanges& change = changes.emplace_back();
            change.multiplier =
                Tensor::host({model_.config.nHeads, pseudo, pseudo, 1, 1}, DType::f32);
            for (std::int64_t i = 0; i < change.multiplier.count(); ++i)
                change.multiplier.data<float>()[i] = i % 3 == 1 ? 0.f : 1.f;
        }
        return changes;
    }

    Result<void> compareForward(const std::string& how, const ForwardOptions& options) {
        const auto got = got_.decoder.forward(ids_, options);
        if (!got) return tl::unexpected(got.error());
        // the same numbers with or without maps, and reference's are the exact ones
        const auto want = want_.decoder.forward(ids_, options);
        if (!want) return tl::unexpected(want.error());
        const NamedTensors ours = tensorsOf(*got), theirs = tensorsOf(*want);
        for (std::size_t i = 0; i < std::max(ours.size(), theirs.size()); ++i) {
            if (ours.size() != theirs.size() || ours[i].first != theirs[i].first) {
                report_.fail(model_.name, how + "other tensors than the reference");
                return {};
            }
            add(how + ours[i].first,
                errorOf(onHost(ours[i].second, got_.backend), theirs[i].second), forwardTolerance);
        }
        return {};
    }

    /// One sequence, fed a token at a time.
    Result<void> compareDecoding() {
        const Tensor row = ids_.slice(0, 1);
        const auto want = want_.decoder.forward(row);
        if (!want) return tl::unexpected(want.error());
        auto cache = KvCache::make(model_.config, got_.backend);
        if (!cache) return tl::unexpected(cache.error());
        double worst = 0;
        for (std::int64_t n = 0; n < model_.tokens; ++n) {
            const Tensor id = Tensor::of<std::int32_t>({1, 1}, {row.data<std::int32_t>()[n]});
            const auto got = decodeToken(got_.decoder, id, *cache, got_.backend);
            if (!got) return tl::unexpected(got.error());
            worst = std::max(worst, errorOf(*got, want->logits.at(0).slice(n, 1).copy()));
        }
        add("decoding, logits", worst, forwardTolerance);
        return {};
    }

    Result<void> compareTraining() {
        Side again(model_.config, weights_, got_.backend);
        TrainingStep ours(model_.config, got_.weights, got_.backend);
        TrainingStep repeated(model_.config, again.weights, got_.backend);
        TrainingStep theirs(model_.config, want_.weights, *reference_);
        double worst = 0;
        for (int step = 0; step < model_.steps; ++step) {
            const auto got = ours(ids_), want = theirs(ids_);
            if (!got) return tl::unexpected(got.error());
            if (!want) return tl::unexpected(want.error());
            const double error = std::abs(*got - *want) / *want;
            worst = std::isnan(error) ? std::numeric_limits<double>::infinity()
                                      : std::max(worst, error);
            if (step > 0) continue;
            add("first loss", worst, forwardTolerance);
            compareGradients(ours.gradients(), theirs.gradients());
            const auto same = repeated(ids_);
            if (!same) return tl::unexpected(same.error());
            compareBits(ours.gradients(), repeated.gradients());
        }
        add("losses of " + std::to_string(model_.steps) + " steps", worst, lossTolerance);
        return {};
    }

    void compareGradients(const Weights& got, const Weights& want) {
        double largest = 0;
        for (const auto& entry : want.entries())
            largest = std::max(largest, largestOf(entry.second));
        for (std::size_t i = 0; i < want.entries().size(); ++i)
            add("gradient of " + want.entries()[i].first,
                errorOf(onHost(got.entries()[i].second, got_.backend), want.entries()[i].second,
                        1e-3 * largest),
                gradientTolerance);
    }

    void compareBits(const Weights& once, const Weights& again) {
        int other = 0;
        for (std::size_t i = 0; i < once.entries().size(); ++i) {
            const Tensor a = onHost(once.entries()[i].second, got_.backend);
            const Tensor b = onHost(again.entries()[i].second, got_.backend);
            other += std::memcmp(a.raw(), b.raw(), a.bytes()) != 0;
        }
        add("gradients with other bits when repeated", other, 0);
    }

    const ModelCase& model_;
    Report& report_;
    std::unique_ptr<Backend> reference_;
    Weights weights_;
    Tensor ids_;
    Side got_, want_;
};

}  // namespace

void checkModel(const ModelCase& model, Backend& tested, Report& report) {
    const auto done = guarded([&]() -> Result<void> {
        if (auto valid = validate(model.config); !valid) return valid;
        ModelCheck(model, tested, report).run();
        return {};
    });
    if (!done) report.fail(model.name, done.error().sentence());
}

}  // namespace headloom::device
