#include "core/base/rng.h"
#include "core/train/non_finite.h"
#include "core/train/schedule.h"
#include "core/train/trainer.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <mutex>
#include <set>
#include <string>
#include <vector>

using namespace headloom;

namespace {

constexpr int nTokens = 5;
constexpr int nClasses = 4;

ModelConfig smallConfig() {
    ModelConfig config;
    config.dModel = 8;
    config.nHeads = 2;
    config.dVocab = nClasses;
    config.nCtx = nTokens;
    config.dMlp = 8;
    LayerConfig layer;
    layer.kind = AttentionKind::iha;
    layer.nPseudo = 2;
    layer.positions = PositionKind::virtualToken;
    config.layers = {layer};
    return config;
}

/// Random symbols; the target is the symbol two back. Remembers which samples were asked for.
class TwoBack : public BatchSource {
  public:
    Batch batch(std::uint64_t first, std::int64_t count) const override {
        Batch batch{Tensor::host({count, nTokens}, DType::i32),
                    Tensor::host({count, nTokens, 1}, DType::i32)};
        for (std::int64_t b = 0; b < count; ++b) {
            const std::uint64_t number = first + static_cast<std::uint64_t>(b);
            Rng rng(1, number);
            std::int32_t* id = batch.ids.at(b).data<std::int32_t>();
            std::int32_t* target = batch.targets.at(b).data<std::int32_t>();
            for (int n = 0; n < nTokens; ++n) {
                id[n] = static_cast<std::int32_t>(rng.below(nClasses));
                target[n] = n < 2 ? -1 : id[n - 2];
            }
            const std::lock_guard lock(mutex_);
            asked.push_back(number);
        }
        return batch;
    }
    mutable std::vector<std::uint64_t> asked;

  private:
    mutable std::mutex mutex_;
};

TrainSettings smallSettings() {
    TrainSettings settings;
    settings.steps = 20;
    settings.batch = 6;
    settings.warmupSteps = 5;
    return settings;
}

TrainState fresh() {
    TrainState state;
    state.weights = initialWeights(smallConfig(), 7);
    return state;
}

std::unique_ptr<Trainer> makeTrainer(const BatchSource& source, const TrainState& state,
                                     int threads = 1,
                                     const TrainSettings& settings = smallSettings()) {
    return Trainer::make(smallConfig(), settings, state, source, "auto", threads).value();
}

bool sameBytes(const Weights& a, const Weights& b) {
    if (a.entries().size() != b.entries().size()) return false;
    for (const auto& [name, tensor] : a.entries()) {
        const Tensor other = b.find(name);
        if (!other || std::memcmp(tensor.raw(), other.raw(), tensor.bytes()) != 0) return false;
    }
    return true;
}

bool sameBytes(const TrainState& a, const TrainState& b) {
    return a.step == b.step && a.nextSample == b.nextSample && sameBytes(a.weights, b.weights) &&
           sameBytes(a.firstMoments, b.firstMoments) && sameBytes(a.secondMoments, b.secondMoments);
}

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("the learning rate rises in equal parts, then follows half a cosine") {
    TrainSettings settings;
    settings.learningRate = 0.4;
    settings.warmupSteps = 4;
    settings.steps = 12;
    settings.finalFraction = 0.25;
    CHECK(learningRateAt(settings, 1) == doctest::Approx(0.1));
    CHECK(learningRateAt(settings, 4) == doctest::Approx(0.4));
    CHECK(learningRateAt(settings, 6) == doctest::Approx(0.1 + 0.3 * (1 + std::sqrt(0.5)) / 2));
    CHECK(learningRateAt(settings, 8) == doctest::Approx(0.25));  // half way: half of 0.1 + 0.4
    CHECK(learningRateAt(settings, 12) == doctest::Approx(0.1));
    CHECK(learningRateAt(settings, 13) == doctest::Approx(0.1));
    settings.warmupSteps = 0;
    CHECK(learningRateAt(settings, 6) == doctest::Approx(0.25));
    settings.warmupSteps = 100;  // longer than the run: it never gets past the rise
    CHECK(learningRateAt(settings, 12) == doctest::Approx(0.048));
}

TEST_CASE("seconds become steps by the speed seen so far") {
    CHECK(stepsWithin(60, 100, 2) == 3000);
    CHECK(stepsWithin(1, 100, 2) == 101);
    CHECK(stepsWithin(1e9, 1, 0) == 1000000000);
}

TEST_CASE("matrices and embeddings decay, all else does not") {
    const auto backend = makeReferenceBackend();
    ModelConfig config = smallConfig();
    config.norm = NormKind::layer;
    config.learnedPositions = true;
    Weights weights;
    for (const WeightSpec& spec : weightSpecs(config))
        weights.add(
            spec.name,
            Tensor::of<float>(spec.shape, std::vector<float>(
                                              static_cast<std::size_t>(spec.shape.count()), 1.0f)));
    AdamW optimizer(config, weights, *backend);
    TrainSettings settings;
    settings.weightDecay = 0.5;
    optimizer.step(settings, 0.1, 1.0, zerosLike(weights, *backend));
    CHECK(optimizer.steps() == 1);
    for (const char* name : {"embed.W_E", "pos_embed.W_pos", "blocks.0.attn.W_Q",
                             "blocks.0.attn.W_O", "blocks.0.mlp.W_in", "unembed.W_U"})
        CHECK(weights.find(name).data<float>()[0] == doctest::Approx(0.95));
    for (const char* name :
         {"blocks.0.ln1.w", "blocks.0.ln1.b", "blocks.0.attn.alpha_Q", "blocks.0.attn.alpha_V",
          "blocks.0.attn.R", "blocks.0.mlp.b_in", "ln_final.w", "unembed.b_U"})
        CHECK(weights.find(name).data<float>()[0] == 1.0f);
}

// With gradients of 1 and fresh moments an Adam step is the rate itself (but for epsilon).
TEST_CASE("mixing and R have a rate and a decay of their own") {
    const auto backend = makeReferenceBackend();
    const ModelConfig config = smallConfig();
    Weights weights, gradients;
    for (const WeightSpec& spec : weightSpecs(config)) {
        const std::vector<float> ones(static_cast<std::size_t>(spec.shape.count()), 1.0f);
        weights.add(spec.name, Tensor::of<float>(spec.shape, ones));
        gradients.add(spec.name, Tensor::of<float>(spec.shape, ones));
    }
    AdamW optimizer(config, weights, *backend);
    TrainSettings settings;
    settings.weightDecay = 0;
    settings.mixingRate = 3;
    settings.mixingDecay = 0.5;
    settings.collapseRate = 0.5;
    settings.collapseDecay = 2;
    optimizer.step(settings, 0.1, 1.0, gradients);
    const auto value = [&](const char* name) { return weights.find(name).data<float>()[0]; };
    // decay: 1 - rate x decay of the group; then the step itself; float32
    CHECK(value("blocks.0.attn.W_Q") == doctest::Approx(0.9));
    CHECK(value("blocks.0.ln1.w") == doctest::Approx(0.9));
    CHECK(value("blocks.0.attn.alpha_K") == doctest::Approx(1 - 0.3 * 0.5 - 0.3));
    CHECK(value("blocks.0.attn.R") == doctest::Approx(1 - 0.05 * 2 - 0.05));
}

TEST_CASE("training learns, from samples that are never seen twice") {
    const TwoBack source;
    TrainSettings settings = smallSettings();
    settings.steps = 100;
    const auto trainer = makeTrainer(source, fresh(), 2, settings);
    double first = 0, last = 0;
    for (int step = 0; step < 100; ++step) {
        const auto report = trainer->step();
        REQUIRE(report);
        CHECK(report->step == step + 1);
        CHECK(report->learningRate == learningRateAt(settings, step + 1));
        (step == 0 ? first : last) = report->loss;
    }
    CHECK(first > 1.0);  // about ln 4
    CHECK(last < 0.6 * first);
    const std::set<std::uint64_t> once(source.asked.begin(), source.asked.end());
    CHECK(source.asked.size() == 600);
    CHECK(once.size() == 600);
    CHECK(*once.rbegin() == 599);
}

TEST_CASE("a run repeats bit for bit, also in threads") {
    for (const int threads : {1, 3}) {
        const TwoBack source;
        const auto one = makeTrainer(source, fresh(), threads);
        const auto other = makeTrainer(source, fresh(), threads);
        for (int step = 0; step < 10; ++step) {
            const auto a = one->step(), b = other->step();
            REQUIRE(a);
            REQUIRE(b);
            CHECK(a->loss == b->loss);
        }
        CHECK(sameBytes(one->state(), other->state()));
    }
}

TEST_CASE("more threads change the rounding only") {
    const TwoBack source;
    const auto one = makeTrainer(source, fresh(), 1), four = makeTrainer(source, fresh(), 4);
    for (int step = 0; step < 10; ++step) {
        const auto a = one->step(), b = four->step();
        REQUIRE(a);
        REQUIRE(b);
        CHECK(a->loss == doctest::Approx(b->loss).epsilon(1e-4));  // float32 sums in another order
    }
    // a batch of six cannot feed more than six
    CHECK(makeTrainer(source, fresh(), 50)->step());
}

TEST_CASE("with a fixed number of shards any number of threads gives the same bits") {
    TrainSettings settings = smallSettings();
    settings.shards = 4;
    const TwoBack source;
    const auto one = makeTrainer(source, fresh(), 1, settings);
    const auto three = makeTrainer(source, fresh(), 3, settings);
    const auto many = makeTrainer(source, fresh(), 50, settings);
    const auto plain = makeTrainer(source, fresh(), 4);  // four threads are four shards
    const auto whole = makeTrainer(source, fresh(), 1);
    for (int step = 0; step < 10; ++step)
        for (Trainer* trainer : {one.get(), three.get(), many.get(), plain.get(), whole.get()})
            REQUIRE(trainer->step());
    CHECK(sameBytes(one->state(), three->state()));
    CHECK(sameBytes(one->state(), many->state()));
    CHECK(sameBytes(one->state(), plain->state()));
    CHECK(!sameBytes(one->state(), whole->state()));  // sums in another order: the test can tell
}

TEST_CASE("thirty steps and thirty resumed are sixty steps, bit for bit") {
    TrainSettings settings = smallSettings();
    settings.steps = 60;
    for (const int threads : {1, 2}) {
        const TwoBack source;
        const auto straight = makeTrainer(source, fresh(), threads, settings);
        const auto firstHalf = makeTrainer(source, fresh(), threads, settings);
        for (int step = 0; step < 60; ++step) REQUIRE(straight->step());
        for (int step = 0; step < 30; ++step) REQUIRE(firstHalf->step());
        const TrainState between = firstHalf->state();
        CHECK(between.step == 30);
        CHECK(between.nextSample == 180);
        const auto secondHalf = makeTrainer(source, between, threads, settings);
        for (int step = 0; step < 30; ++step) REQUIRE(secondHalf->step());
        CHECK(sameBytes(straight->state(), secondHalf->state()));
        CHECK(sameBytes(between, firstHalf->state()));  // a state is a copy
    }
}

// Adam's update does not depend on the gradient's size, but its first moment does: after one step
// it is (1 - beta1) times the clipped gradient.
TEST_CASE("gradients are clipped to the norm given") {
    const TwoBack source;
    const auto backend = makeReferenceBackend();
    for (const double clip : {0.05, 1e6, 0.0}) {
        CAPTURE(clip);
        TrainSettings settings = smallSettings();
        settings.clipNorm = clip;
        const auto trainer = makeTrainer(source, fresh(), 1, settings);
        const auto report = trainer->step();
        REQUIRE(report);
        CHECK(report->gradientNorm > 0.05);
        double squares = 0;
        const TrainState state = trainer->state();
        for (const auto& entry : state.firstMoments.entries())
            squares += backend->sumOfSquares(entry.second);
        const double expected = clip == 0.05 ? 0.05 : report->gradientNorm;
        // moments are sums of float32: a relative error of some 1e-7
        CHECK(std::sqrt(squares) == doctest::Approx(0.1 * expected).epsilon(1e-5));
    }
}

TEST_CASE("a loss that is not finite names the first bad tensor and changes nothing") {
    const TwoBack source;
    TrainState state = fresh();
    state.weights.find("blocks.0.attn.alpha_K").data<float>()[3] =
        std::numeric_limits<float>::quiet_NaN();
    const auto trainer = makeTrainer(source, state, 2);
    const auto report = trainer->step();
    REQUIRE(!report);
    CHECK(contains(report.error().sentence(), "training step 1: the loss is not finite"));
    CHECK(contains(report.error().sentence(), "first bad tensor is blocks.0.attn.alpha_K"));
    CHECK(contains(report.error().sentence(), "learning rate"));
    CHECK(trainer->stepsDone() == 0);
    CHECK(sameBytes(trainer->weights(), state.weights));
}

TEST_CASE("activations that overflow are found in the order of computation") {
    const TwoBack source;
    TrainState state = fresh();
    for (float& value : state.weights.find("blocks.0.mlp.W_out").values<float>()) value = 1e38f;
    for (float& value : state.weights.find("blocks.0.mlp.W_in").values<float>()) value = 1e10f;
    const auto report = makeTrainer(source, state)->step();
    REQUIRE(!report);
    CHECK(contains(report.error().sentence(), "first bad tensor is hook_resid_post"));
}

TEST_CASE("impossible settings get a sentence") {
    const TwoBack source;
    const auto refusal = [&](auto change) {
        TrainSettings settings = smallSettings();
        change(settings);
        const auto made = Trainer::make(smallConfig(), settings, fresh(), source, "auto", 1);
        return made ? std::string("accepted") : made.error().sentence();
    };
    CHECK(contains(refusal([](TrainSettings& s) { s.steps = 0; }), "at least one step"));
    CHECK(contains(refusal([](TrainSettings& s) { s.batch = 0; }), "at least one sample"));
    CHECK(contains(refusal([](TrainSettings& s) { s.learningRate = -1; }), "above 0"));
    CHECK(contains(refusal([](TrainSettings& s) { s.learningRate = NAN; }), "above 0"));
    CHECK(contains(refusal([](TrainSettings& s) { s.shards = -1; }), "-1 shards"));
    CHECK(contains(refusal([](TrainSettings& s) { s.shards = 257; }), "use 0 to 256"));
    CHECK(contains(refusal([](TrainSettings& s) { s.mixingRate = -1; }), "cannot be negative"));
    CHECK(contains(refusal([](TrainSettings& s) { s.collapseDecay = NAN; }), "be negative"));
    CHECK(contains(refusal([](TrainSettings& s) { s.warmupSteps = -1; }), "warm-up"));
    CHECK(contains(refusal([](TrainSettings& s) { s.clipNorm = -1; }), "gradient norm"));
    ModelConfig hard = smallConfig();
    hard.layers[0].score = ScoreKind::hard;
    CHECK(contains(
        Trainer::make(hard, smallSettings(), fresh(), source, "auto", 1).error().sentence(),
        "hard scores have no gradient"));
    CHECK(!Trainer::make(smallConfig(), smallSettings(), {}, source, "auto", 1));
    CHECK(!Trainer::make(smallConfig(), smallSettings(), fresh(), source, "abacus", 1));
}
