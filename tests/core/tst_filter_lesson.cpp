#include "core/session/chain_run.h"
#include "core/session/filter_arms.h"
#include "core/session/live_training.h"
#include "core/tasks/filter_nodes.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>

using namespace headloom;

namespace {

/// Small enough for a test, long enough for three evaluations.
FilterRecipe shortRecipe(const char* arm) {
    ArmChanges changes;
    changes.steps = 30;
    changes.batch = 4;
    FilterRecipe recipe = filterRecipe({}, arm, changes).value();
    recipe.evaluateSamples = 20;
    recipe.evaluateEvery = 10;
    return recipe;
}

bool sameBytes(const Weights& a, const Weights& b) {
    for (const auto& [name, tensor] : a.entries())
        if (std::memcmp(tensor.raw(), b.find(name).raw(), tensor.bytes()) != 0) return false;
    return a.entries().size() == b.entries().size();
}

/// Turns of one step each, so that runs are interrupted as often as can be.
LiveOptions options() {
    LiveOptions made;
    made.sliceSeconds = 0;
    made.momentsPerRun = 10;
    return made;
}

void trainToEnd(LiveTraining& training) {
    training.start();
    training.finish();
}

}  // namespace

TEST_CASE("filters train side by side as they train alone") {
    LiveTraining training({{"MHA", shortRecipe("mha")}, {"IHA", shortRecipe("iha")}}, {3},
                          options(), [] {});
    training.watch({1});
    trainToEnd(training);
    const LivePicture picture = training.picture();
    for (int arm = 0; arm < 2; ++arm) {
        CAPTURE(arm);
        const LiveRun& run = picture.runs[static_cast<std::size_t>(arm)];
        REQUIRE(run.state == RunState::finished);
        CHECK(run.step == 30);
        FilterRecipe recipe = shortRecipe(arm == 0 ? "mha" : "iha");
        recipe.seed = 3;
        auto alone = FilterRun::start(recipe, "auto").value();
        const FilterResult result = alone->run({}).value();
        REQUIRE(run.outcome);
        CHECK(run.outcome->error == result.relativeError);
        CHECK(run.curve.losses.size() == 30);
        REQUIRE(run.curve.scores.size() == 3);
        CHECK(run.curve.scores.back().error == result.relativeError);
        const Model model = training.modelAt(arm, 30).value();
        CHECK(sameBytes(model.weights, modelOf(recipe, alone->model().weights()).weights));
    }
    CHECK(training.latest(1)->filter->nPseudo == 2);
}

TEST_CASE("a filter taken back to a kept moment comes to the same end") {
    LiveTraining training({{"IHA", shortRecipe("iha")}}, {0}, options(), [] {});
    trainToEnd(training);
    const double error = training.picture().runs[0].outcome->error.value();
    REQUIRE(training.rewind(0, 15));
    CHECK(training.picture().runs[0].step == 15);
    CHECK(!training.picture().runs[0].outcome);
    CHECK(training.picture().runs[0].curve.losses.size() == 15);
    trainToEnd(training);
    CHECK(training.picture().runs[0].outcome->error == error);
}

TEST_CASE("restarts are counted, with their updates") {
    // so short a run is always above the limit at three fifths of its steps
    FilterRecipe recipe = shortRecipe("mha");
    recipe.restarts = 2;
    LiveTraining training({{"MHA", recipe}}, {0}, options(), [] {});
    trainToEnd(training);
    const LiveRun run = training.picture().runs[0];
    CHECK(run.restarts == 2);
    CHECK(run.step == 18 + 18 + 30);
    CHECK(run.steps == run.step);
}

TEST_CASE("a filter is shown as a run over its nodes") {
    const FilterRecipe recipe = shortRecipe("iha");
    ChainRequest request;
    request.model = std::make_shared<const Model>(
        modelOf(recipe, initialWeights(recipe.config, 5, recipe.mixing)));
    request.truth = makeFilterNodes({}).value()->example(Split::heldOut, heldOutSeed, 0);
    request.effectiveMaps = true;
    const auto backend = makeBackend("reference", 1).value();
    const ChainRun run = runChain(request, *backend).value();
    CHECK(run.rows == 8);
    CHECK(run.trace.layers[0].maps.shape() == Shape{1, 2, 2, 2, 8, 8});
    CHECK(run.effective[0].shape() == Shape{1, 2, 2, 8, 8});
    // cell (0, 0, 0) of the first tile: the mixed query of node 2 times the mixed key of node 5
    const Weights& w = request.model->weights;
    double score = 0;
    for (int i = 0; i < 8; ++i) {
        double q = 0, k = 0;
        for (int m = 0; m < 2; ++m) {
            const auto weight = [&](const char* name, int head, int row) {
                return w.find(name).data<float>()[(head * 8 + row) * 8 + i];
            };
            q += w.find("blocks.0.attn.alpha_Q").data<float>()[m * 4] *
                 weight("blocks.0.attn.W_Q", m, 2);
            k += w.find("blocks.0.attn.alpha_K").data<float>()[m * 4] *
                 weight("blocks.0.attn.W_K", m, 5);
        }
        score += q * k;
    }
    // float32 sums of eight terms
    CHECK(run.trace.layers[0].maps.data<float>()[2 * 8 + 5] ==
          doctest::Approx(score).epsilon(1e-5));

    request.truth.reset();
    request.prompt = {0, 1, 2};
    CHECK(!runChain(request, *backend));
}

TEST_CASE("a node's evidence are the nodes that its filters reach") {
    const auto shift = makeFilterNodes({}).value();
    const Example example = shift->example(Split::heldOut, heldOutSeed, 0);
    CHECK(example.evidence[5] == std::vector<int>{2, 3, 4, 5});
    CHECK(example.evidence[1] == std::vector<int>{0, 1, 6, 7});
    CHECK(example.steps[1] == "takes from 0, 1, 6, 7");
    const auto path = makeFilterNodes({{"graph", "path"}, {"k", "2"}, {"nodes", "4"}}).value();
    CHECK(path->example(Split::heldOut, heldOutSeed, 0).evidence[0] == std::vector<int>{0, 1});
    CHECK(shift->fromPrompt(example.tokens));
    CHECK(!shift->fromPrompt({1, 0}));
}

TEST_CASE("what a filter cannot be is said") {
    CHECK(filterRecipe({{"graph", "star"}}, "mha", {}).error().sentence().find("star") !=
          std::string::npos);
    CHECK(filterRecipe({}, "gqa", {}).error().sentence().find("mha, iha or mha-k") !=
          std::string::npos);
    ArmChanges wide;
    wide.width = 64;
    CHECK(filterRecipe({}, "mha", wide).error().sentence().find("no such setting") !=
          std::string::npos);
    ArmChanges heads;
    heads.heads = 3;  // 4 filters of 2 numbers: 8 outputs
    CHECK(!filterRecipe({}, "mha", heads));
    CHECK(filterRecipe({{"k", "9"}, {"dim", "1"}}, "mha-k", {})->config.nHeads == 9);
}
