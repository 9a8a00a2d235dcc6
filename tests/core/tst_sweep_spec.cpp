#include "core/session/sweep_spec.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace headloom;

namespace {

std::vector<std::string> names(const std::string& text) {
    const auto jobs = sweepFromJson(text);
    if (!jobs) return {jobs.error().sentence()};
    std::vector<std::string> all;
    for (const SweepJob& job : *jobs) all.push_back(job.name());
    return all;
}

std::string refusal(const std::string& text) {
    const auto jobs = sweepFromJson(text);
    return jobs ? "accepted" : jobs.error().sentence();
}

/// A sweep of the four witnesses with these further members.
std::string with(const std::string& more) {
    return R"({"task": "four-witnesses", )" + more + "}";
}

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("arms, then the grid as it was written, then seeds") {
    CHECK(names(with(R"("base": ["mha", "iha"], "grid": {"steps": [5, 6], "heads": [2, 4]},
                        "seeds": [7])")) == Names{"four-witnesses mha steps=5 heads=2, seed 7",
                                                  "four-witnesses mha steps=5 heads=4, seed 7",
                                                  "four-witnesses mha steps=6 heads=2, seed 7",
                                                  "four-witnesses mha steps=6 heads=4, seed 7",
                                                  "four-witnesses iha steps=5 heads=2, seed 7",
                                                  "four-witnesses iha steps=5 heads=4, seed 7",
                                                  "four-witnesses iha steps=6 heads=2, seed 7",
                                                  "four-witnesses iha steps=6 heads=4, seed 7"});
    CHECK(names(with(R"("base": "iha", "seeds": 2)")) ==
          Names{"four-witnesses iha, seed 0", "four-witnesses iha, seed 1"});
    CHECK(names(R"({"task": "look-back-bank"})").size() == 3 * armsOf("look-back-bank").size());
}

TEST_CASE("a job is the recipe that was asked for") {
    const auto jobs = sweepFromJson(with(R"("base": [{"arm": "mha", "changes": {"width": 64}},
        {"arm": "mha", "name": "long", "changes": {"steps": 5000}}],
        "grid": {"heads": [4]}, "settings": {"steps": 10, "learningRate": 0.02}, "seeds": [3],
        "evaluate": {"every": 5, "examples": 20, "goal": 0.5}, "task_settings": {"length": 8})"))
                          .value();
    REQUIRE(jobs.size() == 2);
    CHECK(jobs[0].name() == "four-witnesses mha width=64 heads=4, seed 3");
    CHECK(jobs[1].name() == "four-witnesses long heads=4, seed 3");
    const Recipe& recipe = jobs[0].recipe;
    CHECK(recipe.config.dModel == 64);
    CHECK(recipe.config.nHeads == 4);
    CHECK(recipe.settings.steps == 10);
    CHECK(jobs[1].recipe.settings.steps == 5000);  // an arm's own word counts more
    CHECK(recipe.settings.learningRate == 0.02);
    CHECK(recipe.settings.evaluateEvery == 5);
    CHECK(recipe.settings.evaluateExamples == 20);
    CHECK(recipe.settings.goal == 0.5);
    CHECK(recipe.seed == 3);
    CHECK(recipe.taskSettings.at("length") == "8");
    const auto same = makeRecipe("four-witnesses", "iha", 1).value();
    const auto plain = sweepFromJson(with(R"("base": "iha", "seeds": [1])")).value();
    CHECK(toJson(plain[0].recipe) == toJson(same));
}

TEST_CASE("the grid varies what is set in the task, too") {
    const auto jobs = sweepFromJson(R"({"task": "pointer-chain", "base": "mha", "seeds": 1,
                          "grid": {"task.hops": [2, 3]}})")
                          .value();
    REQUIRE(jobs.size() == 2);
    CHECK(jobs[1].name() == "pointer-chain mha task.hops=3, seed 0");
    CHECK(jobs[0].recipe.taskSettings.at("hops") == "2");
    CHECK(jobs[1].recipe.taskSettings.at("hops") == "3");
    CHECK(jobs[0].recipe.config.nCtx < jobs[1].recipe.config.nCtx);
}

TEST_CASE("what is wrong in a specification is named") {
    CHECK(contains(refusal("{"), "not a JSON object"));
    CHECK(contains(refusal("[]"), "not a JSON object"));
    CHECK(contains(refusal("{}"), "is not a task"));
    CHECK(contains(refusal(R"({"task": 3})"), "task: is not the id of a task"));
    CHECK(contains(refusal(R"({"task": "five"})"), "\"five\" is not a task; use one of"));
    CHECK(contains(refusal(with(R"("sedes": 3)")),
                   "\"sedes\" is not a key of it; use one of: task, "
                   "task_settings, base, grid, settings, seeds"));
    CHECK(contains(refusal(with(R"("grid": {"hedas": [2]})")),
                   "grid, changes: \"hedas\" is nothing that can be changed; use one of: kind"));
    CHECK(contains(refusal(with(R"("grid": {"heads": 2})")), "grid, heads: it is not a list"));
    CHECK(contains(refusal(with(R"("grid": {"heads": []})")), "grid, heads: it is not a list"));
    CHECK(contains(refusal(with(R"("grid": {"heads": ["x"]})")), "heads: \"x\" is not a whole"));
    CHECK(contains(refusal(with(R"("grid": [1])")), "grid: is not an object"));
    CHECK(contains(refusal(with(R"("settings": {"x": 1})")), "settings, changes: \"x\""));
    CHECK(contains(refusal(with(R"("base": "x")")), "job 0 (four-witnesses x), arm: \"x\" is not"));
    CHECK(contains(refusal(with(R"("base": [])")), "name at least one arm"));
    CHECK(contains(refusal(with(R"("base": [3])")), "name an arm in quotes"));
    CHECK(contains(refusal(with(R"("base": {"arm": "mha", "x": 1})")), "use one of: arm, name"));
    CHECK(contains(refusal(with(R"("base": {"arm": 3})")), "base, arm: is not the id of an arm"));
    for (const char* seeds : {"0", "-1", "1.5", "\"3\"", "[]", "[-1]", "[1, \"x\"]", "999999999"})
        CHECK(contains(refusal(with(std::string("\"seeds\": ") + seeds)), "neither a number of"));
    CHECK(contains(refusal(with(R"("evaluate": {"x": 1})")), "use one of: every, examples, goal"));
    CHECK(contains(refusal(with(R"("evaluate": {"every": -1})")), "evaluate, every"));
    CHECK(contains(refusal(with(R"("evaluate": {"examples": 0})")), "evaluate, examples"));
    CHECK(contains(refusal(with(R"("evaluate": {"goal": 1.5})")), "evaluate, goal"));
    CHECK(contains(refusal(with(R"("task_settings": {"x": 1})")), "no such setting"));
    CHECK(contains(refusal(with(R"("grid": {"task.x": [1]})")), "no such setting"));
}

TEST_CASE("an impossible arm is named by its job") {
    CHECK(contains(refusal(with(R"("base": "mha", "grid": {"heads": [2, 3]}, "seeds": 2)")),
                   "job 2 (four-witnesses mha heads=3), heads H: H = 3 does not divide D = 32"));
}

TEST_CASE("a sweep that contradicts itself is refused") {
    CHECK(contains(refusal(with(R"("grid": {"steps": [5]}, "settings": {"steps": 6})")),
                   "grid, steps: it is set in settings as well"));
    CHECK(contains(
        refusal(with(R"("grid": {"heads": [2]}, "base": {"arm": "mha", "changes": {"heads": 4}})")),
        "grid, heads: it is set in base mha heads=4 as well"));
    CHECK(
        contains(refusal(with(R"("base": ["mha", "mha"], "seeds": 1)")), "jobs 0 and 1: both are"));
    CHECK(contains(refusal(with(R"("base": "mha", "seeds": [1, 1])")), "jobs 0 and 1"));
    std::string many = "[1";
    for (int i = 2; i <= 400; ++i) many += "," + std::to_string(i);
    many += "]";
    CHECK(contains(refusal(with("\"grid\": {\"steps\": " + many + ", \"warmup\": " + many + "}")),
                   "more than 100000 jobs"));
}
