#include "core/session/live_training.h"
#include "core/session/training_run.h"

#include <doctest/doctest.h>

#include <cstring>
#include <thread>

using namespace headloom;

namespace {

Recipe shortRecipe(const char* arm) {
    Recipe recipe = makeRecipe("four-witnesses", arm, 0).value();
    recipe.settings.steps = 12;
    recipe.settings.batch = 4;
    recipe.settings.warmupSteps = 3;
    recipe.settings.evaluateEvery = 5;
    recipe.settings.evaluateExamples = 10;
    return recipe;
}

/// Turns of one step each, so that runs are interrupted as often as can be.
LiveOptions options(int workers = 1) {
    LiveOptions made;
    made.workers = workers;
    made.sliceSeconds = 0;
    return made;
}

std::vector<LiveArm> pair() {
    return {{"MHA", shortRecipe("mha")}, {"IHA", shortRecipe("iha")}};
}

bool sameBytes(const Weights& a, const Weights& b) {
    for (const auto& [name, tensor] : a.entries())
        if (std::memcmp(tensor.raw(), b.find(name).raw(), tensor.bytes()) != 0) return false;
    return a.entries().size() == b.entries().size();
}

Weights alone(const char* arm, std::uint64_t seed) {
    Recipe recipe = shortRecipe(arm);
    recipe.seed = seed;
    auto run = TrainingRun::start(recipe, "auto", 1).value();
    REQUIRE(run->run({}));
    return run->model().weights;
}

}  // namespace

TEST_CASE("every run comes out as if trained alone") {
    for (const int workers : {1, 3}) {
        CAPTURE(workers);
        LiveTraining training(pair(), {1, 7}, options(workers), [] {});
        training.watch({0, 1, 2, 3});
        CHECK(!training.picture().running);
        training.start();
        training.finish();
        const LivePicture picture = training.picture();
        REQUIRE(picture.runs.size() == 4);
        CHECK(!picture.running);
        for (int i = 0; i < 4; ++i) {
            CAPTURE(i);
            const LiveRun& run = picture.runs[static_cast<std::size_t>(i)];
            CHECK(run.arm == i / 2);
            CHECK(run.seed == (i % 2 == 0 ? 1 : 7));
            CHECK(run.state == RunState::finished);
            CHECK(run.step == 12);
            REQUIRE(run.outcome);
            CHECK(run.curve.losses.size() == 12);
            REQUIRE(run.curve.scores.size() == 3);
            CHECK(run.curve.scores[1].step == 10);
            CHECK(run.moments.front() == 0);
            CHECK(run.moments.back() == 12);
            CHECK(training.latest(i)->name == (i < 2 ? "MHA" : "IHA"));
            CHECK(sameBytes(training.latest(i)->weights, alone(i < 2 ? "mha" : "iha", run.seed)));
        }
    }
}

TEST_CASE("rewound and continued: the same bits again") {
    LiveTraining training(pair(), {0}, options(), [] {});
    training.watch({1});
    training.start();
    training.finish();
    const Weights before = training.latest(1)->weights;
    const Model kept = training.modelAt(1, 6).value();
    CHECK(kept.name == "IHA, step 6");
    REQUIRE(training.rewind(1, 6));
    CHECK(sameBytes(training.latest(1)->weights, kept.weights));
    LiveRun run = training.picture().runs[1];
    CHECK(run.step == 6);
    CHECK(run.state == RunState::running);
    CHECK(run.moments.back() == 6);
    CHECK(run.curve.losses.size() == 6);
    CHECK(run.curve.scores.size() == 1);
    CHECK(training.picture().runs[0].step == 12);
    training.start();
    training.finish();
    CHECK(sameBytes(training.latest(1)->weights, before));
    run = training.picture().runs[1];
    CHECK(run.state == RunState::finished);
    CHECK(run.curve.losses.size() == 12);
}

TEST_CASE("a step that is not kept is refused with a sentence") {
    LiveTraining training(pair(), {0}, options(), [] {});
    const auto refused = training.rewind(0, 3);
    REQUIRE(!refused);
    CHECK(refused.error().sentence() ==
          "training: step 3 of this run is not kept; choose one of the moments that are marked.");
    CHECK(!training.modelAt(0, 3));
    CHECK(!training.momentAt(0, 3));
}

TEST_CASE("stopped at once, continued later") {
    std::vector<LiveArm> arms = pair();
    for (LiveArm& arm : arms) std::get<Recipe>(arm.recipe).settings.steps = 100'000;
    LiveTraining training(arms, {0}, options(), [] {});
    training.start();
    training.stop();
    training.finish();
    const std::int64_t before = training.picture().runs[0].step;
    CHECK(before < 100'000);
    training.start();
    while (training.picture().runs[0].step <= before + 1) std::this_thread::yield();
    training.stop();
    training.finish();
    CHECK(training.picture().runs[0].step > before);
}

TEST_CASE("a run that breaks down says so and the others go on") {
    std::vector<LiveArm> arms = pair();
    std::get<Recipe>(arms[0].recipe).settings.learningRate = 1e30;
    LiveTraining training(arms, {0}, options(), [] {});
    training.start();
    training.finish();
    const LivePicture picture = training.picture();
    CHECK(picture.runs[0].state == RunState::failed);
    CHECK(picture.runs[0].problem.find("the first bad tensor is") != std::string::npos);
    CHECK(picture.runs[1].state == RunState::finished);
}

TEST_CASE("an impossible arm fails, not the program") {
    std::vector<LiveArm> arms = pair();
    std::get<Recipe>(arms[1].recipe).config.nHeads = 3;  // does not divide 32
    LiveTraining training(arms, {0}, options(), [] {});
    training.start();
    training.finish();
    CHECK(training.picture().runs[0].state == RunState::finished);
    CHECK(training.picture().runs[1].state == RunState::failed);
}
