#include "core/session/chosen_backend.h"
#include "core/session/evaluate.h"
#include "core/session/explorer.h"
#include "core/session/live_training.h"
#include "core/session/many_prompts.h"
#include "core/session/prompt_questions.h"
#include "tests/support/far_module.h"
#include "tests/support/short_recipe.h"

#include <doctest/doctest.h>

#include <cstring>

// A device that fails while somebody works on it: the work goes on on the processor, with one
// sentence, and nothing is lost.

using namespace headloom;
using headloom::testing::FarFailure;
using headloom::testing::shortRecipe;
using headloom::testing::useFarModule;

namespace {

/// A device that fails once, or for good, after so many operators; whole again at the end.
class Failing {
  public:
    Failing(std::int64_t after, bool forGood = false) : device_(useFarModule()) {
        device_.forGood = forGood;
        device_.left = after;
    }
    ~Failing() {
        device_.left = -1;
        device_.forGood = false;
    }
    bool happened() const { return device_.forGood ? device_.left == 0 : device_.left == -1; }

  private:
    FarFailure& device_;
};

const std::string sentence =
    "far: 8 MiB are wanted and 1 MiB is free; use a shorter prompt. Headloom goes on on the CPU.";

std::shared_ptr<const Model> smallModel() {
    auto model = std::make_shared<Model>(
        modelOf(shortRecipe(0), initialWeights(shortRecipe(0).config, 1)).value());
    return model;
}

ExploreRequest request(const std::string& backend) {
    ExploreRequest made;
    made.left.model = made.right.model = smallModel();
    made.left.prompt = made.right.prompt = {0, 2, 1, 0};
    made.overviewFrom[0] = 0;
    made.backend = backend;
    return made;
}

struct Explored {
    std::shared_ptr<const ExploreResult> result;
    int parts = 0;
};

struct Session {
    Explored answered;
    Explorer explorer{[this](auto result) { answered.result = std::move(result); },
                      [this](const auto&) { ++answered.parts; }};

    Explored explore(ExploreRequest asked) {
        answered = {};
        explorer.submit(std::move(asked));
        explorer.finish();
        return answered;
    }
};

void same(const ChainRun& a, const ChainRun& b) {
    const auto one = a.trace.logits.values<float>(), other = b.trace.logits.values<float>();
    REQUIRE(one.size() == other.size());
    CHECK(std::memcmp(one.data(), other.data(), one.size_bytes()) == 0);
}

bool sameBytes(const Weights& a, const Weights& b) {
    for (const auto& [name, tensor] : a.entries())
        if (std::memcmp(tensor.raw(), b.find(name).raw(), tensor.bytes()) != 0) return false;
    return a.entries().size() == b.entries().size();
}

LiveRun trained(const std::string& backend, std::shared_ptr<const Model>& model) {
    LiveOptions options;
    options.backend = backend;
    options.sliceSeconds = 0;  // turns of one step
    options.momentsPerRun = 3;
    LiveTraining training({{"IHA", shortRecipe(0)}}, {1}, options, [] {});
    training.watch({0});
    training.start();
    training.finish();
    model = training.latest(0);
    return training.picture().runs.front();
}

}  // namespace

TEST_CASE("wherever a device fails in a run, both sides are answered on the processor") {
    useFarModule();
    Session session;
    const Explored near = session.explore(request("cpu"));
    CHECK(near.result->device.name == "cpu");
    CHECK(!near.result->fellBack);
    const Explored far = session.explore(request("cuda"));
    CHECK(far.result->device.name == "cuda");
    CHECK(!far.result->fellBack);
    same(*far.result->left, *near.result->left);

    for (const bool forGood : {false, true})
        for (const std::int64_t after : {0, 3, 40, 60}) {
            CAPTURE(forGood);
            CAPTURE(after);
            Session fresh;
            fresh.explore(request("cuda"));
            const Failing failing(after, forGood);
            const Explored answered = fresh.explore(request("cuda"));
            CHECK(failing.happened());
            CHECK(answered.result->errors.empty());
            REQUIRE(answered.result->left);
            REQUIRE(answered.result->right);
            same(*answered.result->left, *near.result->left);
            same(*answered.result->right, *near.result->right);
            CHECK(answered.parts == 1);
            CHECK(answered.result->device.name == "cpu");
            REQUIRE(answered.result->fellBack);
            CHECK(goesOnOnCpu(*answered.result->fellBack) == sentence);
            // said once; the processor stays until somebody chooses
            const Explored later = fresh.explore(request("cuda"));
            CHECK(later.result->device.name == "cpu");
            CHECK(!later.result->fellBack);
        }
}

TEST_CASE("after a failure the device can be chosen again") {
    Session session;
    {
        const Failing failing(0);
        CHECK(session.explore(request("cuda")).result->fellBack);
    }
    session.explore(request("cpu"));
    CHECK(session.explore(request("cuda")).result->device.name == "cuda");
}

TEST_CASE("a grid of heads is finished on the processor") {
    useFarModule();
    Session session;
    ExploreRequest asked = request("cuda");
    asked.left.mostMapBytes = 1;  // so that the grid's are made for it
    asked.right = {};
    asked.overviewFrom[0] = -1;
    FarFailure& device = useFarModule();
    session.explore(asked);  // the weights are there from now on
    const std::int64_t before = device.operators;
    session.explore(asked);
    const std::int64_t run = device.operators - before;
    asked.overviewFrom[0] = 0;
    for (const int after : {0, 2, 6}) {
        CAPTURE(after);
        Session fresh;
        ExploreRequest first = asked;
        first.overviewFrom[0] = -1;
        fresh.explore(first);
        const Failing failing(run + after);
        const Explored answered = fresh.explore(asked);
        CHECK(answered.result->device.name == "cuda");
        CHECK(failing.happened());
        CHECK(answered.parts == 1);
    }
}

TEST_CASE("what is wrong with the request is its own error, and the device stays") {
    useFarModule();
    Session session;
    ExploreRequest asked = request("cuda");
    asked.left.prompt.clear();
    const Explored answered = session.explore(asked);
    REQUIRE(answered.result->errors.size() == 1);
    CHECK(answered.result->errors[0].where == "prompt");
    CHECK(answered.result->device.name == "cuda");
    CHECK(!answered.result->fellBack);
}

TEST_CASE("a backend that cannot be had leaves the one before open") {
    ChosenBackend chosen;
    REQUIRE(chosen.choose("reference", 1));
    CHECK_FALSE(chosen.choose("tpu", 1));
    CHECK(chosen.backend().info().name == "reference");
    Session session;
    session.explore(request("reference"));
    const Explored refused = session.explore(request("tpu"));
    REQUIRE(refused.result->errors.size() == 1);
    CHECK(refused.result->errors[0].where == "backend");
    CHECK(!refused.result->left);
}

TEST_CASE("a training goes on from its last moment") {
    useFarModule();
    std::shared_ptr<const Model> expected, far, model;
    const LiveRun near = trained("cpu", expected);
    CHECK(near.notice.empty());
    const LiveRun whole = trained("cuda", far);
    CHECK(whole.notice.empty());
    CHECK(sameBytes(far->weights, expected->weights));
    for (const bool forGood : {false, true})
        for (const std::int64_t after : {0, 100, 700, 1500}) {
            CAPTURE(forGood);
            CAPTURE(after);
            const Failing failing(after, forGood);
            const LiveRun run = trained("cuda", model);
            CHECK(failing.happened());
            CHECK(run.state == RunState::finished);
            CHECK(run.problem == "");
            CHECK(run.step == 12);
            CHECK(run.notice.starts_with(sentence + " It goes on from step "));
            REQUIRE(run.curve.losses.size() == near.curve.losses.size());
            for (std::size_t i = 0; i < run.curve.losses.size(); ++i)
                CHECK(run.curve.losses[i].step == near.curve.losses[i].step);
            CHECK(run.curve.scores.size() == near.curve.scores.size());
            CHECK(sameBytes(model->weights, expected->weights));
        }
}

TEST_CASE("a training that is at fault itself fails as ever") {
    useFarModule();
    Recipe broken = shortRecipe(0);
    broken.settings.learningRate = 1e30;
    LiveOptions options;
    options.backend = "cuda";
    LiveTraining training({{"IHA", broken}}, {1}, options, [] {});
    training.start();
    training.finish();
    const LiveRun run = training.picture().runs.front();
    CHECK(run.state == RunState::failed);
    CHECK(run.notice.empty());
}

TEST_CASE("a device that fails in an evaluation is an error, not the end") {
    useFarModule();
    const auto task = makeTask("four-witnesses").value();
    for (const std::int64_t after : {0, 5, 30}) {
        const auto evaluator = Evaluator::make(*task, 10, "cuda", 4).value();
        const Failing failing(after, true);
        const auto evaluated =
            evaluator->evaluate(smallModel()->config, smallModel()->weights, true);
        REQUIRE_FALSE(evaluated);
        CHECK(evaluated.error().kind == Error::Kind::outOfMemory);
    }
}

TEST_CASE("averages over many prompts go on on the processor") {
    useFarModule();
    ManyPromptsRequest asked;
    asked.model = smallModel();
    const std::shared_ptr<const Task> task = makeTask("four-witnesses").value();
    asked.prompts = PromptSet::ofTask(task, 0, 6).value();
    asked.questions = {askShares(*asked.model, {}).value()};
    asked.threads = 4;
    asked.backend = "cpu";
    const ManyAverages near = averageOver(asked).value();
    asked.backend = "cuda";
    FarFailure& device = useFarModule();
    const std::int64_t before = device.operators;
    CHECK_FALSE(averageOver(asked).value().fellBack);
    const Failing failing((device.operators - before) / 2, true);
    const ManyAverages averages = averageOver(asked).value();
    CHECK(failing.happened());
    CHECK(averages.done == 6);
    REQUIRE(averages.fellBack);
    REQUIRE(averages.tables.size() == near.tables.size());
    for (std::size_t t = 0; t < near.tables.size(); ++t)
        for (std::size_t i = 0; i < near.tables[t].cells.size(); ++i)
            CHECK(averages.tables[t].cells[i] == near.tables[t].cells[i]);
}
