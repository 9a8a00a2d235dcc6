#include "core/models/graph.h"
#include "core/models/rank_floor.h"
#include "core/theory/few_heads.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace headloom;

namespace {

FewHeads fitOf(FilterGraph graph, BankSize size, int heads) {
    const auto backend = makeReferenceBackend();
    const GraphPowers powers(graphMatrix(graph, size.nNodes), size.nFilters);
    return fitFewHeads(size, powers, heads, DType::f64, *backend).value();
}

}  // namespace

// The floor of the trained filter comes from a singular value decomposition of the powers, this
// bound from their Gram matrix: the same number up to roundings of 1e-16 among squares of up to N.
TEST_CASE("the bound is the floor of the trained filter") {
    for (const FilterGraph graph : {FilterGraph::shift, FilterGraph::path, FilterGraph::random})
        for (const int heads : {1, 2, 3, 4, 5}) {
            CAPTURE(heads);
            const BankSize size = {5, 8, 1};
            const FewHeads fit = fitOf(graph, size, heads);
            const RankFloor floor = rankFloor(graphMatrix(graph, 8), 5, 1, heads, fit.nSignals);
            CHECK(fit.bound == doctest::Approx(floor.expected).epsilon(1e-9));
            CHECK(fit.boundByHead.size() == 6);
            CHECK(fit.boundByHead.front() == doctest::Approx(1));
            // Where no singular values are equal there is one best fit, and one deviation.
            if (graph != FilterGraph::shift)
                CHECK(fit.deviation == doctest::Approx(floor.deviation).epsilon(1e-6));
        }
}

// 5 deviations: of a dozen measurements none is likely to be further off by chance (1 in 10^5).
TEST_CASE("the fit that runs misses what the bound says") {
    for (const FilterGraph graph : {FilterGraph::shift, FilterGraph::ring, FilterGraph::smallWorld})
        for (const int heads : {1, 2, 4, 6}) {
            CAPTURE(heads);
            const FewHeads fit = fitOf(graph, {6, 12, 1}, heads);
            const double allowed = 5 * fit.deviation + 1e-12;
            CHECK(std::abs(fit.measured - fit.bound) <= allowed);
        }
    CHECK(fitOf(FilterGraph::shift, {4, 8, 1}, 3).bound == doctest::Approx(0.25));
    // powers of a shift keep the length of every signal, so that none is missed by more than
    // another
    CHECK(fitOf(FilterGraph::shift, {9, 24, 1}, 3).deviation == 0);
    CHECK(fitOf(FilterGraph::ring, {9, 24, 1}, 3).deviation > 1e-4);
    // as many heads as powers: nothing is missed, up to squared roundings
    CHECK(fitOf(FilterGraph::shift, {4, 8, 1}, 4).measured < 1e-24);
}

TEST_CASE("heads out of range") {
    const auto backend = makeReferenceBackend();
    const GraphPowers powers(graphMatrix(FilterGraph::ring, 8), 4);
    for (const int heads : {0, 5})
        CHECK(fitFewHeads({4, 8, 1}, powers, heads, DType::f64, *backend).error().remedy ==
              "use 1 to k = 4");
}

TEST_CASE("a fit can be stopped at any of its stages") {
    const auto backend = makeReferenceBackend();
    const GraphPowers powers(graphMatrix(FilterGraph::ring, 8), 4);
    for (int stage = 0; stage < 3; ++stage) {
        CAPTURE(stage);
        int asked = 0;
        const auto fit = fitFewHeads({4, 8, 1}, powers, 2, DType::f64, *backend,
                                     [&] { return asked++ == stage; });
        REQUIRE(!fit);
        CHECK(fit.error().kind == Error::Kind::interrupted);
    }
}
