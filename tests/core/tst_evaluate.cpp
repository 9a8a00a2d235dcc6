#include "core/session/evaluate.h"
#include "core/session/recipe.h"

#include <doctest/doctest.h>

#include <string>

using namespace headloom;

namespace {

std::unique_ptr<Evaluator> evaluator(const Task& task, int examples, int threads = 1) {
    return Evaluator::make(task, examples, "auto", threads).value();
}

/// Weights whose logits are the head's bias whatever the input: always `answer`.
Weights constantAnswer(const ModelConfig& config, int answer) {
    Weights weights;
    for (const WeightSpec& spec : weightSpecs(config))
        weights.add(spec.name, Tensor::host(spec.shape, DType::f32));
    const Tensor bias = weights.find("unembed.b_U");
    for (std::int64_t i = answer; i < bias.count(); i += config.nClasses())
        bias.data<float>()[i] = 1;
    return weights;
}

}  // namespace

TEST_CASE("a constant answer is right as often as it occurs") {
    for (const std::string& id : taskIds()) {
        CAPTURE(id);
        const auto task = makeTask(id).value();
        const ModelConfig config = makeRecipe(id, "mha", 0).value().config;
        const int answer = id == "relations" ? 0 : 3;
        int predictions = 0, right = 0, whole = 0, units = 0;
        for (std::uint64_t i = 0; i < 60; ++i) {
            const Example example = task->example(Split::heldOut, heldOutSeed, i);
            const auto slots = static_cast<std::size_t>(config.nSlots);
            const std::size_t unit = task->info().exactRows ? slots : example.targets.size();
            for (std::size_t at = 0; at < example.targets.size(); at += unit) {
                int counted = 0, same = 0;
                for (std::size_t k = at; k < at + unit; ++k) {
                    counted += example.targets[k] >= 0;
                    same += example.targets[k] == answer;
                }
                predictions += counted;
                right += same;
                units += counted > 0;
                whole += counted > 0 && same == counted;
            }
        }
        const auto score =
            evaluator(*task, 60)->evaluate(config, constantAnswer(config, answer), true);
        REQUIRE(score);
        CHECK(score->examples == 60);
        CHECK(score->teacherForced.accuracy == double(right) / predictions);
        CHECK(score->teacherForced.exact == double(whole) / units);
        CHECK(score->freeRunning.has_value() == task->info().generated);
        if (!score->freeRunning) continue;
        CHECK(score->freeRunning->accuracy == score->teacherForced.accuracy);
    }
}

TEST_CASE("one right symbol in five makes no whole chain") {
    const auto task = makeTask("pointer-chain").value();
    const Recipe recipe = makeRecipe("pointer-chain", "mha", 0).value();
    // always '.', which is right at the last of five steps only
    const auto none = evaluator(*task, 20)->evaluate(
        recipe.config, constantAnswer(recipe.config, task->info().vocabulary.endToken()), true);
    REQUIRE(none);
    CHECK(none->teacherForced.accuracy == doctest::Approx(0.2));
    CHECK(none->freeRunning->accuracy == doctest::Approx(0.2));
    CHECK(none->freeRunning->exact == 0.0);
}

TEST_CASE("threads and chunks change nothing") {
    const auto task = makeTask("four-witnesses").value();
    const Recipe recipe = makeRecipe("four-witnesses", "iha", 3).value();
    const Weights weights = initialWeights(recipe.config, 3);
    const auto one = evaluator(*task, 120, 1)->evaluate(recipe.config, weights, true);
    const auto three = evaluator(*task, 120, 3)->evaluate(recipe.config, weights, true);
    REQUIRE(one);
    REQUIRE(three);
    CHECK(one->loss == three->loss);
    CHECK(one->teacherForced.accuracy == three->teacherForced.accuracy);
    CHECK(one->freeRunning->accuracy == three->freeRunning->accuracy);
    CHECK(one->loss > 1.5);  // untrained: about ln 6
    CHECK(one->loss < 3.0);
}

TEST_CASE("a model of another task is refused with a sentence") {
    const auto task = makeTask("four-witnesses").value();
    const ModelConfig other = makeRecipe("pointer-chain", "mha", 0).value().config;
    const auto score = evaluator(*task, 5)->evaluate(other, initialWeights(other, 0), false);
    REQUIRE(!score);
    CHECK(score.error().sentence().find("do not fit the task four-witnesses") != std::string::npos);
    CHECK(!Evaluator::make(*task, 0, "auto", 1));
    CHECK(!Evaluator::make(*task, 5, "abacus", 1));
}
