#include "core/theory/containment.h"
#include "core/theory/witness.h"

#include <doctest/doctest.h>

#include <cmath>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "goldens.h"

using namespace headloom;
using headloom::testing::largestDifference;
using headloom::testing::TheoryGoldens;

namespace {

struct Engine {
    std::unique_ptr<Backend> backend;
    DType type;
    double tolerance;  ///< of a few roundings near 1
};

std::vector<Engine> engines() {
    std::vector<Engine> made;
    made.push_back({makeReferenceBackend(), DType::f64, 1e-14});
    if (auto cpu = makeCpuBackend(2)) made.push_back({std::move(cpu), DType::f32, 2e-6});
    return made;
}

std::vector<ContainmentCase> allCases() {
    std::vector<ContainmentCase> cases;
    for (const ScoreKind score : {ScoreKind::softmax, ScoreKind::hard, ScoreKind::linear})
        for (const bool divided : {false, true})
            for (const int nPseudo : {2, 3})
                for (int selected = 0; selected < nPseudo; ++selected)
                    for (ContainmentCase row : containmentRows({})) {
                        row.score = score;
                        row.nPseudo = nPseudo;
                        row.selected = selected;
                        row.dividedByP = divided;
                        cases.push_back(row);
                    }
    return cases;
}

ContainmentCase caseOf(MaskKind mask, PositionKind positions, ScoreKind score, int selected,
                       bool divided = false) {
    return {mask, positions, score, 3, selected, divided};
}

}  // namespace

TEST_CASE("what the rules say of a case is what both layers do") {
    for (const Engine& engine : engines())
        for (const ContainmentCase& asked : allCases()) {
            const auto run = runContainment(asked, engine.type, *engine.backend);
            REQUIRE(run);
            INFO(engine.backend->info().name
                 << " " << std::string(nameOf(asked.mask)) << " "
                 << std::string(nameOf(asked.positions)) << " " << std::string(nameOf(asked.score))
                 << " P " << asked.nPseudo << " selected " << asked.selected << " divided "
                 << asked.dividedByP << ": " << run->difference);
            CHECK(run->same == (whyNotMha(asked) == NotMha::itIs));
            // nothing lies between rounding and another model, so that "same" says something
            CHECK((run->same || run->difference > 1e-3));
        }
}

TEST_CASE("the rules, case by case") {
    constexpr auto shared = PositionKind::token;
    CHECK(whyNotMha(caseOf(MaskKind::none, shared, ScoreKind::softmax, 0)) == NotMha::itIs);
    CHECK(whyNotMha(caseOf(MaskKind::token, shared, ScoreKind::softmax, 1)) == NotMha::itIs);
    CHECK(whyNotMha(caseOf(MaskKind::flat, shared, ScoreKind::softmax, 2)) == NotMha::itIs);
    CHECK(whyNotMha(caseOf(MaskKind::flat, shared, ScoreKind::softmax, 1)) ==
          NotMha::ownTokenSeenLess);
    CHECK(whyNotMha(caseOf(MaskKind::flat, PositionKind::virtualToken, ScoreKind::softmax, 2)) ==
          NotMha::virtualPositions);
    CHECK(whyNotMha(caseOf(MaskKind::none, shared, ScoreKind::linear, 0)) == NotMha::wrongWeight);
    CHECK(whyNotMha(caseOf(MaskKind::none, shared, ScoreKind::linear, 0, true)) == NotMha::itIs);
    CHECK(whyNotMha(caseOf(MaskKind::none, shared, ScoreKind::softmax, 0, true)) ==
          NotMha::wrongWeight);
    ContainmentCase alone;  // the paper's own defaults
    CHECK(whyNotMha(alone) == NotMha::virtualPositions);
    alone.nPseudo = 1;
    CHECK(whyNotMha(alone) == NotMha::itIs);
    CHECK(runContainment(alone, DType::f64, *makeReferenceBackend())->same);
}

TEST_CASE("maps that agree where the outputs do") {
    const auto backend = makeReferenceBackend();
    const auto maps = [&](MaskKind mask, int selected) {
        const ContainmentRun run =
            runContainment(caseOf(mask, PositionKind::none, ScoreKind::softmax, selected),
                           DType::f64, *backend)
                .value();
        CHECK(run.mhaMaps.shape() == Shape{3, 7, 7});
        for (std::int64_t row = 0; row < 3 * 7; ++row) {  // shares of one softmax
            const float* share = run.mhaMaps.data<float>() + row * 7;
            CHECK(std::abs(std::accumulate(share, share + 7, 0.0) - 1) < 1e-6);
        }
        return largestDifference(run.mhaMaps.cast(DType::f64), run.ihaMaps.cast(DType::f64));
    };
    CHECK(maps(MaskKind::token, 0) < 1e-7);  // float32 of numbers below 1
    CHECK(maps(MaskKind::flat, 2) < 1e-7);
    CHECK(maps(MaskKind::flat, 0) > 1e-2);
}

TEST_CASE("nine rows of a table keep the rest of a case") {
    const auto rows =
        containmentRows(caseOf(MaskKind::flat, PositionKind::none, ScoreKind::hard, 1));
    REQUIRE(rows.size() == 9);
    for (const ContainmentCase& row : rows) {
        CHECK(row.score == ScoreKind::hard);
        CHECK(row.selected == 1);
    }
    CHECK(rows[5].mask == MaskKind::token);
    CHECK(rows[5].positions == PositionKind::none);
}

TEST_CASE("a case that cannot be had is one sentence") {
    const auto refusal = [](int nPseudo, int selected) {
        ContainmentCase asked;
        asked.nPseudo = nPseudo;
        asked.selected = selected;
        const auto run = runContainment(asked, DType::f64, *makeReferenceBackend());
        return run ? std::string("ran") : run.error().sentence();
    };
    CHECK(refusal(0, 0) == "pseudo-heads P: 0 cannot be had; use 1 to 6.");
    CHECK(refusal(1000000, 0) == "pseudo-heads P: 1000000 cannot be had; use 1 to 6.");
    CHECK(refusal(3, 3) == "selected pseudo-head: 3 cannot be had; use 0 to 2.");
    CHECK(refusal(3, -1) == "selected pseudo-head: -1 cannot be had; use 0 to 2.");
}

TEST_CASE("the witness is tanh with the corrected sign only") {
    const TheoryGoldens goldens;
    const Tensor s = goldens["witness.s"], y = goldens["witness.y"];
    const std::vector<double> places(s.data<double>(), s.data<double>() + s.count());
    for (const Engine& engine : engines()) {
        CAPTURE(engine.backend->info().name);
        const auto witness = runWitness(places, 1, engine.type, *engine.backend);
        REQUIRE(witness);
        CHECK(witness->s == places);
        for (std::size_t i = 0; i < places.size(); ++i) {
            CHECK(std::abs(witness->corrected[i] - y.data<double>()[i]) <= engine.tolerance);
            CHECK(std::abs(witness->printed[i] - 1) <= engine.tolerance);
            CHECK(std::abs(witness->mha[i] - 1) <= engine.tolerance);
        }
        CHECK(witness->maxError <= engine.tolerance);
    }
    CHECK(witnessPlaces(5, 2) == std::vector<double>{-2, -1, 0, 1, 2});
}

TEST_CASE("the witness in any value: only the corrected sign bends") {
    for (const Engine& engine : engines())
        for (const double v : {-2.5, 0.0, 1000.0}) {
            CAPTURE(engine.backend->info().name);
            CAPTURE(v);
            const auto witness = runWitness({-100, -0.5, 0, 3}, v, engine.type, *engine.backend);
            REQUIRE(witness);
            CHECK(witness->v == v);
            const double rounding = engine.tolerance * std::abs(v);
            const double tanhs[] = {-1, std::tanh(-0.5), 0, std::tanh(3.0)};
            for (std::size_t i = 0; i < 4; ++i) {
                CHECK(std::abs(witness->corrected[i] - v * tanhs[i]) <= rounding);
                CHECK(std::abs(witness->printed[i] - v) <= rounding);
                CHECK(std::abs(witness->mha[i] - v) <= rounding);
            }
            CHECK(witness->maxError <= rounding);
        }
}

TEST_CASE("a witness that cannot be had is one sentence") {
    const auto refusal = [](const std::vector<double>& s, double v) {
        const auto witness = runWitness(s, v, DType::f64, *makeReferenceBackend());
        return witness ? std::string("ran") : witness.error().sentence();
    };
    CHECK(refusal({}, 1) == "s: has no values; give one or more.");
    CHECK(refusal({1, 100.5}, 1) == "s: 100.5 cannot be had; use -100 to 100.");
    CHECK(refusal({std::nan("")}, 1) == "s: nan cannot be had; use -100 to 100.");
    CHECK(refusal({1}, -1001) == "v: -1001 cannot be had; use -1000 to 1000.");
    CHECK(refusal({1}, INFINITY) == "v: inf cannot be had; use -1000 to 1000.");
}
