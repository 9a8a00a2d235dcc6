#include "core/io/safetensors.h"
#include "core/session/training_run.h"
#include "tests/support/short_recipe.h"
#include "tests/support/temporary_folder.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

using namespace headloom;
using headloom::testing::shortRecipe;

namespace {

std::unique_ptr<TrainingRun> start(const Recipe& recipe, int threads = 1) {
    return TrainingRun::start(recipe, "auto", threads).value();
}

/// Cancels before step `steps` + 1.
TrainingCallbacks stopAfter(int steps) {
    TrainingCallbacks callbacks;
    callbacks.cancelled = [left = steps]() mutable { return left-- == 0; };
    return callbacks;
}

bool sameBytes(const Weights& a, const Weights& b) {
    for (const auto& [name, tensor] : a.entries())
        if (std::memcmp(tensor.raw(), b.find(name).raw(), tensor.bytes()) != 0) return false;
    return a.entries().size() == b.entries().size();
}

std::string sentence(const Result<Checkpoint>& result) {
    return result ? "accepted" : result.error().sentence();
}

bool contains(const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a run reports, measures itself and makes a model that says how") {
    std::vector<std::int64_t> steps;
    bool freeAtTheEnd = false;
    TrainingCallbacks callbacks;
    callbacks.progress = [&](const TrainingProgress& progress) {
        steps.push_back(progress.step);
        freeAtTheEnd = progress.evaluation.freeRunning.has_value();
        CHECK(progress.steps == 12);
        CHECK(progress.evaluation.examples == 10);
        CHECK(progress.loss > 0);
    };
    const auto run = start(shortRecipe(1));
    CHECK(run->run(callbacks).value() == TrainingEnd::finished);
    CHECK(steps == std::vector<std::int64_t>{5, 10, 12});
    CHECK(freeAtTheEnd);
    const Model model = run->model();
    CHECK(model.name == "IHA, 2 heads x 2");
    CHECK(model.vocabulary.size() == 6);
    CHECK(checkWeights(model.config, model.weights));
    const Recipe recipe = recipeFromJson(model.recipe).value();
    CHECK(recipe.seed == 1);
    REQUIRE(recipe.measured);
    CHECK(recipe.measured->steps == 12);
    CHECK(recipe.measured->examples == 10);
    CHECK(recipe.measured->accuracy > 0);
}

TEST_CASE("stopped, saved, loaded and resumed: the same bits as straight on") {
    const testing::TemporaryFolder folder;
    for (const int threads : {1, 2}) {
        CAPTURE(threads);
        Recipe recipe = shortRecipe(1);
        recipe.settings.steps = 60;
        const auto straight = start(recipe, threads);
        CHECK(straight->run({}).value() == TrainingEnd::finished);

        const auto first = start(recipe, threads);
        CHECK(first->run(stopAfter(30)).value() == TrainingEnd::interrupted);
        CHECK(!first->recipe().measured);
        const auto file = folder / "half.checkpoint";
        REQUIRE(saveCheckpoint(file, first->checkpoint()));
        const Checkpoint loaded = loadCheckpoint(file).value();
        CHECK(loaded.state.step == 30);
        CHECK(loaded.threads == threads);
        const auto second = TrainingRun::resume(loaded, "auto", loaded.threads).value();
        CHECK(second->run({}).value() == TrainingEnd::finished);

        CHECK(sameBytes(straight->model().weights, second->model().weights));
        CHECK(!sameBytes(straight->model().weights, first->model().weights));
        CHECK(sameBytes(straight->checkpoint().state.secondMoments,
                        second->checkpoint().state.secondMoments));
        CHECK(straight->recipe().measured->exact == second->recipe().measured->exact);
        CHECK(straight->recipe().measured->accuracy == second->recipe().measured->accuracy);
    }
}

TEST_CASE("a goal that is met ends the run") {
    Recipe recipe = makeRecipe("look-back-bank", "iha", 0).value();
    recipe.settings.evaluateEvery = 10;
    recipe.settings.evaluateExamples = 50;
    recipe.settings.goal = 0.01;  // of whole rows: met soon after the start
    const auto run = start(recipe);
    CHECK(run->run({}).value() == TrainingEnd::goalReached);
    CHECK(run->recipe().measured->steps < 1500);
    CHECK(run->recipe().measured->exact >= 0.01);

    // at the last evaluation it counts as well
    recipe.settings.steps = run->recipe().measured->steps;
    CHECK(start(recipe)->run({}).value() == TrainingEnd::goalReached);
    recipe.settings.goal = 1;
    CHECK(start(recipe)->run({}).value() == TrainingEnd::finished);
    for (const double goal : {-0.1, 1.1, std::nan("")}) {
        recipe.settings.goal = goal;
        CHECK(contains(TrainingRun::start(recipe, "auto", 1).error().sentence(),
                       "the goal is a share of whole chains; use 0 for none, at most 1"));
    }
}

TEST_CASE("a model that does not fit its task is refused before it reads anything") {
    Recipe recipe = shortRecipe(1);
    recipe.task = "pointer-chain";
    const auto run = TrainingRun::start(recipe, "auto", 1);
    REQUIRE(!run);
    CHECK(contains(run.error().sentence(), "do not fit the task pointer-chain"));
}

// The free-running share of whole chains is the teacher-forced one, so a goal needs no pass of its
// own: measured at the evaluations, and only there.
TEST_CASE("a goal is looked for at every evaluation, also after a resumption") {
    Recipe recipe = makeRecipe("look-back-bank", "iha", 0).value();
    recipe.settings.evaluateEvery = 10;
    recipe.settings.evaluateExamples = 50;
    recipe.settings.goal = 0.01;
    const auto straight = start(recipe);
    std::vector<std::int64_t> below;
    TrainingCallbacks watch;
    watch.progress = [&](const TrainingProgress& progress) {
        if (progress.evaluation.teacherForced.exact < recipe.settings.goal)
            below.push_back(progress.step);
    };
    REQUIRE(straight->run(watch).value() == TrainingEnd::goalReached);
    const std::int64_t steps = straight->recipe().measured->steps;
    CHECK(static_cast<std::int64_t>(below.size()) == steps / 10 - 1);  // all but the last
    const auto first = start(recipe);
    REQUIRE(first->run(stopAfter(5)).value() == TrainingEnd::interrupted);
    const auto second = TrainingRun::resume(first->checkpoint(), "auto", 1).value();
    CHECK(second->run({}).value() == TrainingEnd::goalReached);
    CHECK(second->recipe().measured->steps == steps);
}

TEST_CASE("a run saves itself between steps, and what it saved goes on with the same bits") {
    Recipe recipe = shortRecipe(1);
    recipe.settings.steps = 40;
    std::optional<Checkpoint> kept;
    int saves = 0;
    TrainingCallbacks callbacks;
    callbacks.saveEvery = 1e-9;  // whenever a twentieth of the time allows it
    callbacks.save = [&](const Checkpoint& checkpoint) -> Result<void> {
        if (saves++ == 0) kept = checkpoint;
        return {};
    };
    const auto straight = start(recipe);
    REQUIRE(straight->run(callbacks).value() == TrainingEnd::finished);
    REQUIRE(kept);
    CHECK(kept->state.step < 40);
    const auto resumed = TrainingRun::resume(*kept, "auto", 1).value();
    REQUIRE(resumed->run({}).value() == TrainingEnd::finished);
    CHECK(sameBytes(straight->model().weights, resumed->model().weights));
    const auto silent = start(recipe);
    REQUIRE(silent->run({}).value() == TrainingEnd::finished);
    CHECK(sameBytes(straight->model().weights, silent->model().weights));

    callbacks.save = [](const Checkpoint&) -> Result<void> {
        return fail(Error::Kind::ioFailure, "disk", "is full");
    };
    const auto stopped = start(recipe)->run(callbacks);
    REQUIRE(!stopped);
    CHECK(stopped.error().sentence() == "disk: is full.");
}

TEST_CASE("training that breaks down says where") {
    Recipe recipe = shortRecipe(1);
    recipe.settings.learningRate = 1e30;
    const auto end = start(recipe)->run({});
    REQUIRE(!end);
    CHECK(contains(end.error().sentence(), "is not finite; the first bad tensor is "));
}

TEST_CASE("a file that is no checkpoint is refused with a sentence") {
    const testing::TemporaryFolder folder;
    const auto file = folder / "run.checkpoint";
    CHECK(contains(sentence(loadCheckpoint(folder / "none")), "none"));
    const auto run = start(shortRecipe(1));
    REQUIRE(saveCheckpoint(file, run->checkpoint()));
    REQUIRE(loadCheckpoint(file));

    const auto model = folder / "model.safetensors";
    REQUIRE(writeSafetensors(model, run->model().weights.entries()));
    CHECK(contains(sentence(loadCheckpoint(model)), "is not a training checkpoint"));

    std::filesystem::resize_file(file, std::filesystem::file_size(file) - 100);
    CHECK(!loadCheckpoint(file));

    Checkpoint lacking = run->checkpoint();
    lacking.state.secondMoments = {};
    REQUIRE(saveCheckpoint(file, lacking));
    CHECK(contains(sentence(loadCheckpoint(file)), "adam.v.embed.W_E is missing"));

    Checkpoint other = run->checkpoint();
    other.recipe = makeRecipe("four-witnesses", "mha-h4", 0).value();
    REQUIRE(saveCheckpoint(file, other));
    CHECK(contains(sentence(loadCheckpoint(file)), "has shape"));
}
