#include "core/session/explorer.h"

#include <doctest/doctest.h>

#include <condition_variable>
#include <mutex>

using namespace headloom;

namespace {

std::shared_ptr<const Model> smallModel() {
    auto model = std::make_shared<Model>();
    model->config.dModel = 4;
    model->config.nHeads = 2;
    model->config.dVocab = 3;
    model->config.nCtx = 6;
    model->config.layers = {{AttentionKind::mha, 1, MaskKind::token, PositionKind::none}};
    model->weights = initialWeights(model->config, 1);
    return model;
}

ExploreRequest requestFor(std::vector<int> prompt) {
    ExploreRequest request;
    request.left.model = request.right.model = smallModel();
    request.left.prompt = request.right.prompt = std::move(prompt);
    request.backend = "reference";
    return request;
}

/// Collects answers from the worker.
struct Answers {
    void operator()(std::shared_ptr<const ExploreResult> result) {
        const std::lock_guard lock(mutex);
        all.push_back(std::move(result));
    }
    std::mutex mutex;
    std::vector<std::shared_ptr<const ExploreResult>> all;
};

/// A request that stays in its first layer until it is let go: no test waits for a time.
struct Gate {
    void holdIn(ExploreRequest& request) {
        request.left.cancelled = [this] {
            std::unique_lock lock(mutex);
            entered = true;
            changed.notify_all();
            changed.wait(lock, [this] { return open; });
            return false;
        };
    }
    void waitUntilEntered() {
        std::unique_lock lock(mutex);
        changed.wait(lock, [this] { return entered; });
    }
    void release() {
        const std::lock_guard lock(mutex);
        open = true;
        changed.notify_all();
    }
    std::mutex mutex;
    std::condition_variable changed;
    bool entered = false, open = false;
};

}  // namespace

TEST_CASE("both sides are answered under the request's number") {
    Answers answers;
    Explorer explorer(std::ref(answers));
    CHECK(explorer.submit(requestFor({0, 1, 2})) == 1);
    explorer.finish();
    REQUIRE(answers.all.size() == 1);
    CHECK(answers.all[0]->number == 1);
    CHECK(answers.all[0]->errors.empty());
    REQUIRE(answers.all[0]->left);
    REQUIRE(answers.all[0]->right);
    CHECK(answers.all[0]->left->rows == 3);
    CHECK(explorer.submit(requestFor({0})) == 2);
    explorer.finish();
    CHECK(answers.all.size() == 2);
}

TEST_CASE("a side without a model is left out") {
    Answers answers;
    Explorer explorer(std::ref(answers));
    ExploreRequest request = requestFor({0});
    request.right.model.reset();
    explorer.submit(request);
    explorer.finish();
    CHECK(answers.all.at(0)->left);
    CHECK_FALSE(answers.all.at(0)->right);
    CHECK(answers.all.at(0)->errors.empty());
}

TEST_CASE("a newer request replaces one that waits and cancels one that runs") {
    Answers answers;
    Gate gate;
    Explorer explorer(std::ref(answers));
    ExploreRequest slow = requestFor({0});
    gate.holdIn(slow);
    explorer.submit(slow);
    gate.waitUntilEntered();
    explorer.submit(requestFor({0, 1}));     // waits
    explorer.submit(requestFor({0, 1, 2}));  // takes its place
    gate.release();
    explorer.finish();
    REQUIRE(answers.all.size() == 1);
    CHECK(answers.all[0]->number == 3);
    CHECK(answers.all[0]->left->rows == 3);
}

TEST_CASE("what cannot be run comes back as errors, and the other side still as a run") {
    Answers answers;
    Explorer explorer(std::ref(answers));
    const auto submit = [&](std::vector<int> left, const std::string& backend = "reference") {
        ExploreRequest request = requestFor({0});
        request.left.prompt = std::move(left);
        request.backend = backend;
        explorer.submit(request);
        explorer.finish();
        return answers.all.back();
    };
    const auto empty = submit({});
    REQUIRE(empty->errors.size() == 1);
    CHECK(empty->errors[0].sentence() == "prompt: it is empty; give at least one token.");
    CHECK_FALSE(empty->left);
    CHECK(empty->right);
    CHECK(submit({0, 0, 0, 0, 0, 0, 0})->errors.at(0).what == "7 tokens are too many");
    CHECK(submit({3})->errors.at(0).what == "token 3 is outside the vocabulary");
    const auto nowhere = submit({0}, "abacus");
    CHECK(nowhere->errors.at(0).what == "\"abacus\" is not a backend");
    CHECK_FALSE(nowhere->right);
    // and it goes on working afterwards
    CHECK(submit({0, 1})->left->rows == 2);
}

TEST_CASE("a request that its sender stops is answered as interrupted") {
    Answers answers;
    Explorer explorer(std::ref(answers));
    ExploreRequest request = requestFor({0});
    request.right.cancelled = [] { return true; };
    explorer.submit(request);
    explorer.finish();
    CHECK(answers.all.at(0)->left);
    CHECK(answers.all.at(0)->errors.at(0).kind == Error::Kind::interrupted);
}

TEST_CASE("an explorer that ends while busy cancels what runs and drops what waits") {
    // A chain of a hundred thousand steps over ever more keys: without the cancelling this test
    // would run for hours.
    Answers answers;
    Gate gate;
    gate.open = true;
    {
        Explorer explorer(std::ref(answers));
        ExploreRequest endless = requestFor({0});
        auto model = std::make_shared<Model>(*endless.left.model);
        model->config.nCtx = 100'000;
        endless.left.model = model;
        endless.left.mode = ChainMode::onItsOwn;
        endless.left.maxSteps = 100'000;
        gate.holdIn(endless);
        explorer.submit(endless);
        gate.waitUntilEntered();
        explorer.submit(endless);
    }
    CHECK(answers.all.empty());
}

TEST_CASE("an explorer without work ends at once") {
    Answers answers;
    { Explorer explorer(std::ref(answers)); }
    CHECK(answers.all.empty());
}

TEST_CASE("a grid of all heads follows the answer, layer by layer from where it stood") {
    Answers answers;
    std::mutex mutex;
    std::vector<std::shared_ptr<const OverviewPart>> parts;
    Explorer explorer(std::ref(answers), [&](std::shared_ptr<const OverviewPart> part) {
        const std::lock_guard lock(mutex);
        parts.push_back(std::move(part));
    });
    auto deep = std::make_shared<Model>(*smallModel());
    deep->config.layers.resize(3, deep->config.layers[0]);
    deep->weights = initialWeights(deep->config, 1);
    ExploreRequest request = requestFor({0, 1, 2});
    request.right.model = deep;
    request.overviewFrom[1] = 1;
    const std::uint64_t number = explorer.submit(request);
    explorer.finish();
    REQUIRE(answers.all.size() == 1);
    REQUIRE(parts.size() == 2);
    for (int at = 0; at < 2; ++at) {
        CHECK(parts[static_cast<std::size_t>(at)]->number == number);
        CHECK(parts[static_cast<std::size_t>(at)]->side == 1);
        CHECK(parts[static_cast<std::size_t>(at)]->layer == at + 1);
        CHECK(parts[static_cast<std::size_t>(at)]->heads.size() == 2);
    }
    CHECK(explorer.progress() == doctest::Approx(1));
}
