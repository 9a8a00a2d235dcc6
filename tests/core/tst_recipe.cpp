#include "core/session/recipe.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace headloom;

namespace {

Recipe recipe(const char* task, const char* arm) {
    return makeRecipe(task, arm, 5).value();
}

std::int64_t parameters(const char* task, const char* arm) {
    return initialWeights(recipe(task, arm).config, 0).parameterCount();
}

bool contains(const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("every arm of every task is a possible model that fits its task") {
    for (const std::string& task : taskIds()) {
        const auto arms = armsOf(task);
        CHECK(arms.front().id == "mha");
        for (const ArmInfo& arm : arms) {
            CAPTURE(task);
            CAPTURE(arm.id);
            const Recipe made = makeRecipe(task, arm.id, 5).value();
            CHECK(validate(made.config));
            CHECK(made.seed == 5);
            CHECK(made.task == task);
            CHECK(made.config.dVocab == makeTask(task).value()->info().vocabulary.size());
        }
    }
}

// 6*32 + 32 + 4*32*32 + 32 + 32*6 + 6; IHA has 4 H^2 P = 32 more; the bank 8*32 and 32*32 + 32.
TEST_CASE("parameters are counted by hand") {
    CHECK(parameters("four-witnesses", "mha") == 4550);
    CHECK(parameters("four-witnesses", "mha-pm2") == 4550);
    CHECK(parameters("four-witnesses", "mha-h4") == 4550);
    CHECK(parameters("four-witnesses", "iha") == 4582);
    CHECK(parameters("look-back-bank", "mha") == 5472);
    CHECK(parameters("look-back-bank", "iha") == 5504);
    CHECK(parameters("vote-automaton", "mha") == 4550);
    CHECK(parameters("pointer-chain-2", "mha") == 27160);
    CHECK(parameters("pointer-chain-2", "iha") == 27224);
    // 64 + 16*32 + 32 + 4*32*32 + 32 + 64 + 2; tasks with one logit an entry have 33 fewer
    CHECK(parameters("relations", "mha") == 4802);
    CHECK(parameters("relations", "iha") == 4834);
    // 88*32 + 9*32 + 32 + 4*32*32 + 32 + 32*4*8 + 4*8
    CHECK(parameters("ordered-keys", "mha") == 8320);
    CHECK(parameters("ordered-keys", "iha") == 8352);
    CHECK(parameters("pointer-chain", "iha") - parameters("pointer-chain", "mha") ==
          2 * 4 * 4 * 4 * 4);
}

TEST_CASE("the recipes are those of the tasks") {
    const Recipe witnesses = recipe("four-witnesses", "mha-pm2");
    CHECK(witnesses.config.layers.size() == 1);
    CHECK(witnesses.config.layers[0].positionFactor == 2.0);
    CHECK(witnesses.config.layers[0].mask == MaskKind::token);
    CHECK(witnesses.config.layers[0].positions == PositionKind::virtualToken);
    CHECK(witnesses.config.dMlp == 0);
    CHECK(witnesses.settings.steps == 1800);
    CHECK(witnesses.settings.learningRate == 1e-2);
    const Recipe chain = recipe("pointer-chain", "iha");
    CHECK(chain.config.nHeads == 4);
    CHECK(chain.config.dModel == 64);
    CHECK(chain.config.dMlp == 256);
    CHECK(chain.config.learnedPositions);
    CHECK(chain.config.layers.size() == 2);
    CHECK(chain.config.layers[1].nPseudo == 4);
    CHECK(chain.config.layers[1].positions == PositionKind::none);
    CHECK(chain.settings.learningRate == 1.5e-3);
    CHECK(recipe("look-back-bank", "mha-h4").config.nSlots == 4);
    const Recipe composed = recipe("relations", "iha-mlp");
    CHECK(composed.config.layers[0].mask == MaskKind::none);
    CHECK(composed.config.layers[0].nPseudo == 2);
    CHECK(composed.config.dMlp == 128);
    CHECK(composed.settings.learningRate == 3e-3);
    CHECK(composed.settings.batch == 64);
    CHECK(recipe("relations", "iha").settings.learningRate == 1e-2);
    CHECK(recipe("relations", "iha-h8").config.layers[0].nPseudo == 8);
    CHECK(recipe("pointer-chain-2", "iha-l1").config.layers.size() == 1);
    CHECK(recipe("key-retrieval", "iha").config.nHeads == 1);
    CHECK(recipe("ordered-keys", "mha").config.nHeads == 2);
    CHECK(recipe("ordered-keys", "mha").config.dVocabOut == 8);
    CHECK(recipe("ordered-keys", "iha-p4").config.layers[0].nPseudo == 4);
    CHECK(recipe("cpm-3", "mha-h4").settings.steps == 3000);
    CHECK(recipe("noisy-recurrence", "mha-pm2").config.layers[0].positionFactor == 2);
    CHECK(recipe("look-back-bank", "mha-h4").config.nHeads == 4);
}

TEST_CASE("unknown names are answered with what there is") {
    CHECK(contains(makeRecipe("x", "mha", 0).error().sentence(), "four-witnesses, pointer-chain"));
    CHECK(contains(makeRecipe("four-witnesses", "x", 0).error().sentence(),
                   "mha, mha-pm2, mha-h4, iha"));
    CHECK(armsOf("x").empty());
}

TEST_CASE("a recipe comes back from its JSON") {
    Recipe made = recipe("four-witnesses", "iha");
    made.seed = 18446744073709551615u;
    made.settings.learningRate = 0.1 + 0.2;  // not a short decimal
    made.settings.goal = 0.99;
    made.mixing.collapseNoise = 0.125;
    made.mixing.start = MixingStart::selectLast;
    made.measured = Measured{1700, 1000, 0.9999, 0.998, 20.5, 19.25, "cpu", 2};
    const Recipe back = recipeFromJson(toJson(made)).value();
    CHECK(toJson(back) == toJson(made));
    CHECK(back.seed == made.seed);
    CHECK(back.settings.learningRate == made.settings.learningRate);
    CHECK(back.mixing.collapseNoise == 0.125);
    CHECK(back.mixing.start == MixingStart::selectLast);
    CHECK(back.measured->exact == 0.998);
    CHECK(back.measured->backend == "cpu");
    CHECK(!recipeFromJson(toJson(recipe("four-witnesses", "mha"))).value().measured);
}

TEST_CASE("a recipe keeps what was set in its task") {
    const Recipe made =
        makeRecipe("pointer-chain", "mha", 5, {{"hops", "2"}, {"names", "12"}}).value();
    CHECK(made.taskSettings == TaskSettings{{"chains", "3"}, {"hops", "2"}, {"names", "12"}});
    CHECK(made.config.dVocab == 26);
    CHECK(made.config.nCtx == 3 * 2 * 4 + 2 + 2);
    const Recipe back = recipeFromJson(toJson(made)).value();
    CHECK(back.taskSettings == made.taskSettings);
    CHECK(toJson(back) == toJson(made));
    CHECK(taskOf(back).value()->info().inputLength == 28);
    // nothing set: the text of recipes from before there was anything to set
    CHECK(!contains(toJson(recipe("pointer-chain", "mha")), "taskSettings"));
    CHECK(taskOf(recipe("pointer-chain", "mha")).value()->info().inputLength == 54);
    CHECK(contains(makeRecipe("pointer-chain", "mha", 5, {{"hops", "0"}}).error().sentence(),
                   "setting hops"));
    const std::string text = toJson(made);
    const auto with = [&](const char* value) {
        std::string changed = text;
        return recipeFromJson(changed.replace(changed.find("\"2\""), 3, value));
    };
    CHECK(contains(with("7").error().sentence(), "recipe, hops"));
    CHECK(contains(taskOf(with("\"x\"").value()).error().sentence(), "setting hops"));
}

TEST_CASE("a recipe from before there was a choice starts as it did then") {
    std::string text = toJson(recipe("four-witnesses", "iha"));
    const std::string field = ",\"start\":\"identity+noise\"";
    REQUIRE(contains(text, field.c_str()));
    text.erase(text.find(field), field.size());
    CHECK(recipeFromJson(text).value().mixing.start == MixingStart::identityNoise);
}

TEST_CASE("a damaged recipe is refused by the field") {
    const std::string good = toJson(recipe("look-back-bank", "iha"));
    const auto with = [&](const std::string& from, const std::string& to) {
        std::string text = good;
        const auto at = text.find(from);
        REQUIRE(at != std::string::npos);
        const auto made = recipeFromJson(text.replace(at, from.size(), to));
        return made ? std::string("accepted") : made.error().sentence();
    };
    CHECK(contains(with("\"batch\":32", "\"batch\":\"many\""), "recipe, batch"));
    CHECK(contains(with("\"batch\":32", "\"batch\":1e99"), "recipe, batch"));
    CHECK(contains(with("\"seed\":5", "\"seed\":-5"), "recipe, seed"));
    CHECK(contains(with("\"mixing\":{", "\"mixing\":7,\"x\":{"), "recipe, mixing"));
    CHECK(contains(with("\"identity+noise\"", "\"luck\""), "recipe, start"));
    CHECK(contains(with("\"identity+noise\"", "1"), "recipe, start"));
    CHECK(contains(with("\"nHeads\":2", "\"nHeads\":3"), "H = 3 does not divide"));
    CHECK(contains(with("\"config\":{", "\"x\":{"), "layers"));
    CHECK(!recipeFromJson(""));
    CHECK(!recipeFromJson("[]"));
}
