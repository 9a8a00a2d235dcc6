#include "core/session/filter_training.h"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

using namespace headloom;

namespace {

FilterRecipe small(AttentionKind kind = AttentionKind::mha, int nPseudo = 1) {
    FilterRecipe recipe;
    recipe.config.kind = kind;
    recipe.config.nPseudo = nPseudo;
    recipe.config.order = 2;
    recipe.config.nNodes = 4;
    recipe.config.dNode = 1;
    recipe.steps = 20;
    recipe.evaluateSamples = 150;  // one whole part and a rest
    recipe.evaluateEvery = 5;
    return recipe;
}

std::unique_ptr<FilterRun> started(const FilterRecipe& recipe) {
    return FilterRun::start(recipe, "cpu").value();
}

}  // namespace

TEST_CASE("settings of the lesson") {
    const FilterRecipe recipe;
    const TrainSettings settings = recipe.settings();
    CHECK(settings.steps == 1500);
    CHECK(settings.warmupSteps == 75);  // 5 %
    CHECK(settings.finalFraction == 0.01);
    CHECK(settings.weightDecay == 0);
    CHECK(settings.clipNorm == 1);
    CHECK(recipe.restartStep() == 900);
    const RankFloor floor = mhaFloor(recipe);
    CHECK(floor.expected == doctest::Approx(0.5));
    CHECK(floor.deviation > 0.001);
    CHECK(floor.deviation < 0.01);
}

TEST_CASE("the same recipe gives the same bits, another seed others") {
    const auto ends = [](std::uint64_t seed) {
        FilterRecipe recipe = small(AttentionKind::iha, 2);
        recipe.seed = seed;
        return started(recipe)->run({})->relativeError;
    };
    CHECK(ends(3) == ends(3));
    CHECK(ends(3) != ends(4));
    FilterRecipe other = small();
    other.seed = 1;  // other weights too, not only other samples
    CHECK(*started(small())->evaluate() != *started(other)->evaluate());
}

TEST_CASE("steps one by one are the run, evaluations change nothing") {
    const auto whole = started(small()), steps = started(small());
    std::vector<FilterProgress> seen;
    FilterCallbacks callbacks;
    callbacks.progress = [&](const FilterProgress& progress) { seen.push_back(progress); };
    const auto result = whole->run(callbacks);
    REQUIRE(result);
    double loss = 0;
    while (!steps->finished()) loss = steps->step()->loss;
    CHECK(*steps->evaluate() == result->relativeError);
    CHECK(result->updates == 20);
    CHECK(result->restarts == 0);
    CHECK(result->parameters == 2 * 2 * 16 + 2 + 4);
    CHECK(result->cpuSeconds > 0);
    REQUIRE(seen.size() == 4);
    CHECK(seen[1].step == 10);
    CHECK(seen[3].loss == loss);
    CHECK(seen[3].relativeError == result->relativeError);
    CHECK(seen[3].cpuSeconds >= seen[2].cpuSeconds);
}

// Two heads, two filters: solved, and so no restart; the tolerance is far above where 400 steps end
// (1e-6) and far below what a wrong gradient reaches.
TEST_CASE("as many heads as filters solve them") {
    FilterRecipe recipe = small();
    recipe.steps = 400;
    recipe.restarts = 3;
    const auto result = started(recipe)->run({});
    REQUIRE(result);
    CHECK(result->relativeError < 1e-3);
    CHECK(result->restarts == 0);
}

// One head, two filters: never below 1/2, so it starts again as often as it may. The error is
// measured on 150 samples: the floor's deviation there is 1.4 %, four of them are allowed.
TEST_CASE("fewer heads stop at the floor, and the restart rule counts all it costs") {
    FilterRecipe recipe = small();
    recipe.config.nHeads = 1;
    recipe.steps = 300;
    recipe.restarts = 2;
    recipe.seed = 7;
    const auto run = started(recipe);
    std::vector<FilterProgress> given;
    FilterCallbacks callbacks;
    callbacks.restarted = [&](const FilterProgress& progress) { given.push_back(progress); };
    const auto result = run->run(callbacks);
    REQUIRE(result);
    const RankFloor floor = mhaFloor(recipe);
    CHECK(result->relativeError > floor.expected - 4 * floor.deviation);
    CHECK(result->relativeError < 0.6);
    CHECK(result->restarts == 2);
    CHECK(result->seed == 2007);
    CHECK(result->updates == 300 + 2 * 180);
    REQUIRE(given.size() == 2);
    CHECK(given[1].step == 180);
    CHECK(given[1].seed == 1007);
    CHECK(given[1].restarts == 1);
    CHECK(given[1].relativeError > 0.4);
    CHECK(result->cpuSeconds > given[1].cpuSeconds);

    // what was kept is what that seed gives alone
    recipe.seed = 2007;
    recipe.restarts = 0;
    CHECK(started(recipe)->run({})->relativeError == result->relativeError);
}

// The whole lesson, a fifth of a second. 50 of 50 seeds ended below 0.26, those caught at the
// saddle of a quarter included; MHA's floor is a half.
TEST_CASE("IHA with two heads gets below the floor of MHA with two heads") {
    FilterRecipe recipe;
    const double mha = started(recipe)->run({})->relativeError;
    recipe.config.kind = AttentionKind::iha;
    recipe.config.nPseudo = 2;
    const double iha = started(recipe)->run({})->relativeError;
    const RankFloor floor = mhaFloor(recipe);
    CHECK(mha > floor.expected - 4 * floor.deviation);
    CHECK(mha < 0.55);
    CHECK(iha < 0.3);
}

TEST_CASE("a run can be cancelled and goes on") {
    const auto run = started(small());
    FilterCallbacks callbacks;
    callbacks.cancelled = [&] { return run->stepsDone() == 7; };
    const auto stopped = run->run(callbacks);
    REQUIRE_FALSE(stopped);
    CHECK(stopped.error().kind == Error::Kind::interrupted);
    CHECK(run->stepsDone() == 7);
    CHECK(run->run({})->relativeError == started(small())->run({})->relativeError);
}

TEST_CASE("pictures have one map a tile and a pair of heads") {
    const auto run = started(small(AttentionKind::iha, 3));
    CHECK(run->model().maps().shape() == Shape{2, 3, 3, 4, 4});
    CHECK(run->model().effectiveMaps().shape() == Shape{2, 2, 4, 4});
}

TEST_CASE("impossible recipes are sentences") {
    const auto said = [](auto change) {
        FilterRecipe recipe = small();
        change(recipe);
        const auto run = FilterRun::start(recipe, "cpu");
        return run ? "" : run.error().sentence();
    };
    CHECK(said([](FilterRecipe&) {}) == "");
    CHECK(said([](FilterRecipe& r) { r.steps = 0; }) ==
          "steps: 0 steps cannot be made; use 1 to 10000000.");
    CHECK(said([](FilterRecipe& r) { r.batch = 0; }) ==
          "batch: 0 samples cannot be had; use 1 to 100000.");
    CHECK(said([](FilterRecipe& r) { r.evaluateSamples = -1; }) ==
          "evaluation samples: -1 samples cannot be had; use 1 to 100000.");
    CHECK(said([](FilterRecipe& r) { r.learningRate = NAN; }) ==
          "learning rate: must be above 0; try 0.01.");
    CHECK(said([](FilterRecipe& r) { r.restarts = -1; }) ==
          "restarts: -1 restarts cannot be had; use 0 for none, at most 100.");
    CHECK(said([](FilterRecipe& r) { r.mixing.alphaNoise = -0.1; }) ==
          "mixing noise: must be 0 or more; try 0.3.");
    CHECK(
        said([](FilterRecipe& r) { r.config.nHeads = 5; }).starts_with("heads H: 5 heads do not"));
    CHECK(
        FilterRun::start(small(), "abacus").error().sentence().starts_with("backend: \"abacus\""));
}
