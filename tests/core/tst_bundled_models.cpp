#include "core/analysis/mass.h"
#include "core/io/model_file.h"
#include "core/models/decoder.h"
#include "core/session/bundled.h"
#include "core/session/evaluate.h"
#include "core/session/filter_file.h"
#include "core/session/recipe.h"

#include <doctest/doctest.h>

#include <cmath>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

// The models in assets/models, which tests/bench/retrain trains.

using namespace headloom;

namespace {

const std::filesystem::path folder = HEADLOOM_SOURCE "/assets/models";

std::vector<std::string> names() {
    std::vector<std::string> all;
    for (const char* task : {"four-witnesses", "look-back-bank"})
        for (const ArmInfo& arm : armsOf(task)) all.push_back(std::string(task) + "-" + arm.id);
    all.insert(all.end(),
               {"pointer-chain-mha", "pointer-chain-iha", "relations-mha", "relations-mha-h4",
                "relations-iha", "relations-mha-mlp", "relations-iha-mlp"});
    return all;
}

Model bundled(const std::string& name) {
    const auto model = loadModel(folder / (name + ".safetensors"));
    INFO((model ? std::string() : model.error().sentence()));
    REQUIRE(model);
    return *model;
}

}  // namespace

TEST_CASE("all of them together stay small, and nothing else lies there") {
    const auto expected = names();
    std::uintmax_t bytes = 0;
    std::size_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        bytes += entry.file_size();
        ++count;
    }
    CHECK(count == expected.size() + bundledFilters(HEADLOOM_SOURCE "/assets").models.size());
    CHECK(bundledFilters(HEADLOOM_SOURCE "/assets").models.size() == 3);
    CHECK(bytes < 4u << 20);
}

TEST_CASE("each is as good as its recipe says, fed the truth and feeding itself") {
    for (const std::string& name : names()) {
        CAPTURE(name);
        const Model model = bundled(name);
        const auto recipe = recipeFromJson(model.recipe);
        REQUIRE(recipe);
        REQUIRE(recipe->measured);
        CHECK(recipe->task + "-" + recipe->arm == name);
        CHECK(toJson(recipe->config) == toJson(model.config));
        CHECK(recipe->measured->examples == 1000);
        const auto task = makeTask(recipe->task).value();
        CHECK(task->info().vocabulary.tokens() == model.vocabulary.tokens());

        // 200 of the 1,000 examples: an exactness of .3 has a standard error of .03 on them
        const auto evaluation = Evaluator::make(*task, 200, "cpu", 1)
                                    .value()
                                    ->evaluate(model.config, model.weights, true);
        REQUIRE(evaluation);
        CHECK(std::abs(evaluation->teacherForced.exact - recipe->measured->exact) < 0.12);
        CHECK(std::abs(evaluation->teacherForced.accuracy - recipe->measured->accuracy) < 0.03);
        if (!evaluation->freeRunning) continue;
        // a chain without a wrong symbol has fed itself the true tokens
        CHECK(evaluation->freeRunning->exact == evaluation->teacherForced.exact);
        CHECK(evaluation->freeRunning->accuracy <= evaluation->teacherForced.accuracy);
    }
}

TEST_CASE("what the lessons claim was measured") {
    const auto exact = [](const char* name) {
        return recipeFromJson(bundled(name).recipe)->measured->exact;
    };
    CHECK(exact("four-witnesses-iha") >= 0.99);
    CHECK(exact("four-witnesses-mha") < 0.5);
    CHECK(exact("four-witnesses-mha-pm2") < 0.5);
    CHECK(exact("look-back-bank-iha") >= 0.99);
    CHECK(exact("look-back-bank-mha-h4") >= 0.99);
    CHECK(exact("look-back-bank-mha") < 0.7);
    CHECK(exact("pointer-chain-mha") >= 0.99);
    CHECK(exact("pointer-chain-iha") >= 0.99);
}

// MHA's error is measured on 1,000 samples, as its floor's deviation is stated: five of them.
TEST_CASE("the filters show the rank floor") {
    const BundledExample lesson = bundledFilters(HEADLOOM_SOURCE "/assets");
    for (const BundledModel& model : lesson.models) {
        CAPTURE(model.name);
        CHECK(std::filesystem::file_size(model.file) < 8000);
        const auto filter = loadFilter(model.file);
        REQUIRE(filter);
        const FilterRecipe& recipe = filter->recipe;
        CHECK(recipe.config.order == 4);
        CHECK(filter->result.restarts == 0);
        const RankFloor floor = mhaFloor(recipe);
        const double error = filter->result.relativeError;
        if (model.arm == "mha")
            CHECK(std::abs(error - floor.expected) < 5 * floor.deviation);
        else
            CHECK(error < 2e-4);
        const auto backend = makeCpuBackend(1);
        const FilterModel held(recipe.config, filter->weights, *backend);
        const FilterBatch batch =
            GraphFilter(recipe.graph, 4, 8, 2).batch(Split::heldOut, 0, 0, recipe.evaluateSamples);
        const Tensor out = held.forward(batch.x).out;
        double wrong = 0, all = 0;
        for (std::int64_t i = 0; i < out.count(); ++i) {
            const double wanted = batch.target.data<float>()[i];
            wrong += (out.data<float>()[i] - wanted) * (out.data<float>()[i] - wanted);
            all += wanted * wanted;
        }
        // the same samples in one batch; what IHA is left with is the rounding of float32
        if (model.arm == "mha") CHECK(wrong / all == doctest::Approx(error).epsilon(1e-4));
        CHECK(wrong / all < error + 1e-6);
    }
}

TEST_CASE("the pseudo-queries of four-witnesses-iha take one witness each") {
    const Model model = bundled("four-witnesses-iha");
    const auto task = makeTask("four-witnesses").value();
    const auto backend = makeReferenceBackend();
    const Decoder decoder(model.config, model.weights, *backend);
    const Batch batch = makeBatch(*task, Split::heldOut, heldOutSeed, 0, 1);
    const auto trace = decoder.forward(batch.ids);
    REQUIRE(trace);
    const Tensor& maps = trace->layers[0].maps;
    std::set<int> taken;
    for (int head = 0; head < 2; ++head)
        for (int p = 0; p < 2; ++p) {
            std::vector<double> mean(5);  // over the rows that write, by tokens back
            for (int row = 4; row < 20; ++row)
                for (int back = 1; back <= 4; ++back)
                    for (int r = 0; r < 2; ++r)
                        mean[static_cast<std::size_t>(back)] +=
                            evidenceMass(maps, head, p, r, row, {row - back}) / 16;
            const auto best = std::max_element(mean.begin(), mean.end());
            CHECK(*best > 0.95);
            taken.insert(static_cast<int>(best - mean.begin()));
        }
    CHECK(taken == std::set<int>{1, 2, 3, 4});
}
