#include "core/io/model_file.h"
#include "core/session/look_back.h"
#include "tests/support/temporary_folder.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <set>

using namespace headloom;
using doctest::Approx;
using headloom::testing::TemporaryFolder;

namespace {

LookBackArms opened(const std::vector<std::string>& names = {}) {
    auto arms = openLookBackArms(names);
    INFO((arms ? std::string() : arms.error().sentence()));
    REQUIRE(arms);
    return *arms;
}

std::string refused(const std::vector<std::string>& names) {
    const auto arms = openLookBackArms(names);
    REQUIRE(!arms);
    return arms.error().sentence();
}

double sumOf(const std::vector<OffsetMix>& mixes) {
    double sum = 0;
    for (const OffsetMix& mix : mixes) sum += mix.share;
    return sum;
}

}  // namespace

TEST_CASE("the bundled arms, and what they read") {
    const LookBackArms arms = opened();
    REQUIRE(arms.arms.size() == 4);
    CHECK(arms.reach() == arms.arms.front().model->config.nSlots);
    std::set<std::string> names;
    for (const LookBackArm& arm : arms.arms) names.insert(arm.name);
    CHECK(names == std::set<std::string>{"look-back-bank-iha", "look-back-bank-mha",
                                         "look-back-bank-mha-h4", "look-back-bank-mha-pm2"});
    const auto backend = makeCpuBackend(1);
    const auto run = readLookBack(arms, arms.arms.front(), 3, *backend);
    REQUIRE(run);
    CHECK(run->truth->tokens == arms.task->example(Split::heldOut, heldOutSeed, 3).tokens);
    // rows 0 to 3 have not four tokens before them
    const std::vector<int> rows = rowsWithTarget(*run->truth, arms.reach());
    CHECK(rows.size() == 12);
    CHECK(rows.front() == 4);
    CHECK(rows.back() == 15);
}

TEST_CASE("maps of a kind, by name, and how they hang together") {
    const LookBackArms arms = opened({"look-back-bank-iha"});
    const auto backend = makeReferenceBackend();
    const auto run = readLookBack(arms, arms.arms.front(), 0, *backend);
    REQUIRE(run);
    const auto tiles = mapsFor(*run, OffsetMaps::tiles),
               queries = mapsFor(*run, OffsetMaps::queries),
               effective = mapsFor(*run, OffsetMaps::effective);
    REQUIRE(tiles.size() == 8);
    REQUIRE(queries.size() == 4);
    REQUIRE(effective.size() == 4);
    CHECK(tiles[5].name == "L0H1.q0k1");
    CHECK(queries[3].name == "L0H1.q1");
    CHECK(effective[2].name == "L0.M[1,0]");
    CHECK(effective[2].head == 1);
    CHECK(effective[2].source == 0);
    CHECK(effective[2].isSigned);
    const Tensor fromHead0 = run->effective[0].at(0).at(1).at(0);  // [target 1, source 0]
    CHECK(effective[2].values.data<float>()[100] == fromHead0.data<float>()[100]);
    CHECK(effective[1].values.data<float>()[100] != fromHead0.data<float>()[100]);
    CHECK(!queries[3].isSigned);
    // a pseudo-query's map is its tiles added up, and a row of it has all of the attention
    double row = 0;
    for (std::int64_t cell = 0; cell < 256; ++cell) {
        CHECK(queries[2].values.data<float>()[cell] ==
              Approx(tiles[4].values.data<float>()[cell] + tiles[5].values.data<float>()[cell]));
        if (cell / 16 == 9) row += queries[2].values.data<float>()[cell];
    }
    CHECK(row == Approx(1).epsilon(1e-5));  // 16 roundings of float32

    const LookBackArms plain = opened({"look-back-bank-mha-h4"});
    const auto read = readLookBack(plain, plain.arms.front(), 0, *backend);
    REQUIRE(read);
    for (const OffsetMaps kind : offsetMaps()) {
        const auto maps = mapsFor(*read, kind);
        REQUIRE(maps.size() == 4);
        CHECK(maps[2].name == (kind == OffsetMaps::effective ? "L0.M[2,2]" : "L0H2"));
        CHECK(!maps[2].isSigned);
        CHECK(maps[2].values.data<float>()[100] ==
              mapsFor(*read, OffsetMaps::tiles)[2].values.data<float>()[100]);
    }
}

// Measured: 3.99 of 4 for IHA; 1.41 and 1.86 for two heads, which can do no more than 2.
TEST_CASE("four jobs out of two interleaved heads, two out of two ordinary ones") {
    const LookBackArms arms = opened();
    const auto backend = makeCpuBackend(1);
    for (const LookBackArm& arm : arms.arms) {
        CAPTURE(arm.name);
        const auto reading = offsetsOver(arms, arm, OffsetMaps::effective, 0, 20, *backend);
        REQUIRE(reading);
        CHECK(reading->profiles().front().rows() == 240);
        const auto mixes = reading->mixes();
        REQUIRE(mixes.size() == 4);
        CHECK(sumOf(mixes) <= static_cast<double>(reading->maps().size()) + 1e-9);
        if (arm.recipe.arm == "iha")
            for (const OffsetMix& mix : mixes) CHECK(mix.share > 0.98);
        if (arm.model->config.nHeads == 2 && arm.recipe.arm != "iha") CHECK(sumOf(mixes) < 2);
    }
}

TEST_CASE("offsets over several examples are those of each, rows added up") {
    const LookBackArms arms = opened({"look-back-bank-mha"});
    const LookBackArm& arm = arms.arms.front();
    const auto backend = makeCpuBackend(1);
    OffsetReading one(OffsetMaps::queries, 4);
    double mean = 0;
    for (const std::uint64_t number : {5u, 6u}) {
        OffsetReading alone(OffsetMaps::queries, 4);
        const auto run = readLookBack(arms, arm, number, *backend);
        one.add(*run);
        alone.add(*run);
        mean += alone.profiles()[1].weight(3) / 2;
    }
    const auto both = offsetsOver(arms, arm, OffsetMaps::queries, 5, 2, *backend);
    REQUIRE(both);
    CHECK(both->profiles()[1].weight(3) == one.profiles()[1].weight(3));
    CHECK(both->profiles()[1].weight(3) == Approx(mean).epsilon(1e-12));
    CHECK(!offsetsOver(arms, arm, OffsetMaps::queries, 5, 0, *backend));
    const auto stopped =
        offsetsOver(arms, arm, OffsetMaps::queries, 5, 2, *backend, [] { return true; });
    REQUIRE(!stopped);
    CHECK(stopped.error().kind == Error::Kind::interrupted);
}

TEST_CASE("all arms are measured on the same examples, and one seed says little") {
    const LookBackArms arms = opened();
    const auto evaluations = evaluateLookBack(arms, 100, "cpu", 1);
    REQUIRE(evaluations);
    REQUIRE(evaluations->size() == 4);
    for (std::size_t i = 0; i < 4; ++i) {
        const double exact = (*evaluations)[i].teacherForced.exact;
        // 1,200 rows: an exactness of .2 has a standard error of .012 on them
        CHECK(std::abs(exact - arms.arms[i].recipe.measured->exact) < 0.06);
    }
    const std::string verdict = lookBackVerdict(arms, *evaluations);
    CHECK(verdict.find("one seed says little") != std::string::npos);
    CHECK(verdict.find("times the seconds") != std::string::npos);
}

TEST_CASE("what cannot stand side by side is one sentence") {
    CHECK(refused({"four-witnesses-iha"}) ==
          "four-witnesses-iha: was not trained on the look-back bank; give a model of the task "
          "look-back-bank.");
    CHECK(refused({"no-such"}).starts_with("no-such: there is no such file or bundled model; "));

    const TemporaryFolder folder;
    auto recipe = makeRecipe("look-back-bank", "iha", 0, {{"slots", "3"}}).value();
    const auto task = taskOf(recipe).value();
    const auto save = [&](const std::string& name) {
        Model model{name,
                    recipe.config,
                    initialWeights(recipe.config, 0, recipe.mixing),
                    task->info().vocabulary,
                    toJson(recipe),
                    {}};
        const std::string file = folder / name;
        REQUIRE(saveModel(file, model));
        return file;
    };
    const std::string three = save("three.safetensors");
    CHECK(opened({three}).reach() == 3);
    CHECK(refused({"look-back-bank-iha", three}) ==
          three +
              ": its task is set differently from that of look-back-bank-iha; compare models "
              "of one task, which read the same examples.");
    recipe.config.layers.push_back(recipe.config.layers.front());
    CHECK(refused({save("deep.safetensors")}).find("has 2 layers: ") != std::string::npos);
}

TEST_CASE("a program without its models says what to do") {
    const TemporaryFolder folder;
    setenv("HEADLOOM_ASSETS", folder.path().c_str(), 1);
    const std::string sentence = refused({});
    unsetenv("HEADLOOM_ASSETS");
    CHECK(sentence == (folder.path() / "models").string() +
                          ": there are no trained models of the look-back bank; train some with "
                          "\"headloom-cli train look-back-bank --arm iha --out FILE\".");
}
