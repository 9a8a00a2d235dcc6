#include "core/analysis/mass.h"
#include "core/analysis/score_split.h"
#include "core/session/bundled.h"
#include "core/session/filter_file.h"
#include "core/session/head_survey.h"
#include "core/session/open_model.h"
#include "core/session/recipe.h"
#include "core/session/row_of_run.h"
#include "core/tasks/filter_nodes.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace headloom;
using doctest::Approx;

namespace {

/// A bundled model over its first held-out example. Without maps: with what went into its layers.
ChainRun runOf(const std::string& name, bool maps, Backend& backend) {
    const auto opened = openModel(name, {});
    ChainRequest request;
    request.model = opened->model;
    request.maps = maps;
    request.keepResiduals = !maps;
    request.activations = false;
    const auto task = taskOf(recipeFromJson(opened->model->recipe).value()).value();
    request.truth = task->example(Split::heldOut, heldOutSeed, 0);
    request.prompt.assign(request.truth->tokens.begin(),
                          request.truth->tokens.begin() + request.truth->promptLength);
    return runChain(request, backend).value();
}

LayerSurvey survey(const ChainRun& run, int layer, PatternKind kind, Backend& backend) {
    return surveyLayer(run, layer, kind, backend).value();
}

const HeadScores& find(const LayerSurvey& survey, int head, int p, int r) {
    for (const HeadScores& scores : survey.scores)
        if (scores.head == head && scores.p == p && scores.r == r) return scores;
    throw std::runtime_error("no such head");
}

}  // namespace

TEST_CASE("a survey says of tiles what the other instruments say of them") {
    const auto backend = makeReferenceBackend();
    const ChainRun run = runOf("four-witnesses-iha", true, *backend);
    const LayerSurvey found = survey(run, 0, PatternKind::tiles, *backend);
    REQUIRE(found.scores.size() == 2 * (1 + 4));
    REQUIRE(found.patterns.size() == 8);
    CHECK(found.patterns[5] == Pattern{1, 0, 1});
    CHECK(nameOf(0, found.patterns[5]) == "L0H1.q0k1");

    const Tensor& maps = run.trace.layers[0].maps;
    double evidence = 0;
    int rows = 0;
    for (int row = 0; row < run.rows; ++row)
        if (const auto marked = run.evidence(row); !marked.empty()) {
            evidence += evidenceMass(maps, 1, 0, 1, row, marked);
            ++rows;
        }
    REQUIRE(rows > 0);
    // sums of float32 cells in double, in another order
    CHECK(find(found, 1, 0, 1).of(HeadMeasure::evidence) == Approx(evidence / rows));
    CHECK(find(found, 1, 0, 1).of(HeadMeasure::mass) ==
          Approx(tileMass(maps, 1, 0, 1, run.rows - 1)));
    CHECK(found.redundancy.mass[5] == Approx(tileMass(maps, 1, 0, 1, run.rows - 1)));
    CHECK(found.redundancy.cosine(0, 5) ==
          Approx(tileCosine(maps, 0, 0, 0, 1, 0, 1, run.rows - 1)));
}

TEST_CASE("every head and tile has the cross-head share of its own scores") {
    const auto backend = makeReferenceBackend();
    const ChainRun run = runOf("pointer-chain-iha", true, *backend);
    const LayerSurvey found = survey(run, 1, PatternKind::tiles, *backend);
    std::vector<int> all;
    for (int row = 0; row < run.rows; ++row) all.push_back(row);
    const Tensor input = residualOfRun(run, 1, *backend).value();
    const auto scores =
        LayerScores::of(run.model->config, run.model->weights, 1, input, all).value();
    const auto tiles = scores.crossHeads().value();
    CHECK(find(found, 3, 1, 2).of(HeadMeasure::crossHead) == tiles[(3 * 4 + 1) * 4 + 2].share());
    CHECK(tiles[(3 * 4 + 1) * 4 + 2].share() > 0.05);
}

TEST_CASE("maps that a run does not hold are made again") {
    const auto backend = makeReferenceBackend();
    const ChainRun held = runOf("pointer-chain-iha", true, *backend),
                   bare = runOf("pointer-chain-iha", false, *backend);
    const LayerSurvey one = survey(held, 1, PatternKind::effective, *backend),
                      other = survey(bare, 1, PatternKind::effective, *backend);
    REQUIRE(one.scores.size() == other.scores.size());
    for (std::size_t i = 0; i < one.scores.size(); ++i)
        CHECK(one.scores[i].of(HeadMeasure::previous) == other.scores[i].of(HeadMeasure::previous));
    REQUIRE(one.patterns.size() == 16);
    CHECK(nameOf(1, one.patterns[7]) == "L1.M[1,3]");
    CHECK(one.redundancy.cosines == other.redundancy.cosines);
}

TEST_CASE("heads of plain attention are their tiles and their effective maps") {
    const auto backend = makeReferenceBackend();
    const ChainRun run = runOf("pointer-chain-mha", true, *backend);
    const LayerSurvey tiles = survey(run, 0, PatternKind::tiles, *backend),
                      heads = survey(run, 0, PatternKind::heads, *backend),
                      effective = survey(run, 0, PatternKind::effective, *backend);
    CHECK(tiles.scores.size() == 4);
    CHECK(tiles.scores[0].of(HeadMeasure::crossHead) == 0);
    CHECK(tiles.patterns == heads.patterns);
    REQUIRE(effective.patterns.size() == 4);
    CHECK(effective.patterns[2] == Pattern{2, -1, -1, 2});
    for (int a = 0; a < 4; ++a)
        for (int b = 0; b < 4; ++b) {
            CHECK(tiles.redundancy.cosine(a, b) == Approx(heads.redundancy.cosine(a, b)));
            CHECK(tiles.redundancy.cosine(a, b) == Approx(effective.redundancy.cosine(a, b)));
        }
}

TEST_CASE("a filter has no tokens to look for, and patterns to compare") {
    const auto backend = makeReferenceBackend();
    const auto filters = bundledFilters(assetsFolder().value());
    const SavedFilter saved = loadFilter(filters.find("graph-filter-iha")->file).value();
    ChainRequest request;
    request.model = std::make_shared<const Model>(modelOf(saved.recipe, saved.weights));
    request.truth = makeFilterNodes({}).value()->example(Split::heldOut, heldOutSeed, 0);
    const ChainRun run = runChain(request, *backend).value();
    const LayerSurvey found = survey(run, 0, PatternKind::tiles, *backend);
    CHECK(std::isnan(found.scores[0].of(HeadMeasure::previous)));
    CHECK(std::isnan(found.scores[0].of(HeadMeasure::crossHead)));
    CHECK_FALSE(std::isnan(found.scores[0].of(HeadMeasure::evidence)));
    CHECK(found.redundancy.count == 8);
    // the filter's own effective maps, and those made of its maps: float32 both
    request.effectiveMaps = true;
    const ChainRun own = runChain(request, *backend).value();
    const Redundancy one = survey(own, 0, PatternKind::effective, *backend).redundancy,
                     other = survey(run, 0, PatternKind::effective, *backend).redundancy;
    REQUIRE(one.count == 4);
    for (int a = 0; a < 4; ++a)
        for (int b = 0; b < 4; ++b)
            CHECK(one.cosine(a, b) == Approx(other.cosine(a, b)).epsilon(1e-4));
}

TEST_CASE("a survey can be stopped") {
    const auto backend = makeReferenceBackend();
    for (const char* model : {"four-witnesses-mha", "four-witnesses-iha"}) {
        const auto stopped = surveyLayer(runOf(model, true, *backend), 0, PatternKind::tiles,
                                         *backend, [] { return true; });
        REQUIRE_FALSE(stopped);
        CHECK(stopped.error().kind == Error::Kind::interrupted);
    }
}
