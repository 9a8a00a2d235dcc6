#include "core/models/graph.h"
#include "core/theory/polynomial_bank.h"

#include <doctest/doctest.h>

#include <memory>
#include <vector>

#include "goldens.h"

using namespace headloom;
using headloom::testing::largestDifference;
using headloom::testing::TheoryGoldens;

namespace {

struct Engine {
    std::unique_ptr<Backend> backend;
    DType type;
    /// Entries are of size 1 at most, sums have some fifty terms: of roundings of 1e-16 and 6e-8.
    double tolerance;
};

std::vector<Engine> engines() {
    std::vector<Engine> made;
    made.push_back({makeReferenceBackend(), DType::f64, 1e-14});
    if (auto cpu = makeCpuBackend(2)) made.push_back({std::move(cpu), DType::f32, 3e-6});
    return made;
}

std::string refusal(BankSize size) {
    const auto fine = validate(size);
    return fine ? std::string("accepted") : fine.error().sentence();
}

}  // namespace

TEST_CASE("both constructions give the golden outputs, tiles and parameters") {
    const TheoryGoldens goldens;
    for (const Engine& engine : engines())
        for (const int k : {1, 4, 5, 9}) {
            CAPTURE(k);
            CAPTURE(engine.backend->info().name);
            const std::string name = "bank." + std::to_string(k) + ".";
            const Tensor a = goldens[name + "a"], x = goldens[name + "x"];
            const BankSize size = {k, static_cast<int>(a.size(0)), static_cast<int>(x.size(1))};
            const auto bank = runBank(size, a, x, engine.type, *engine.backend);
            REQUIRE(bank);
            CHECK(bank->mha.maxError <= engine.tolerance);
            CHECK(bank->iha.maxError <= engine.tolerance);
            CHECK(largestDifference(bank->mha.output, goldens[name + "mha.y"]) <= engine.tolerance);
            const Tensor want = goldens[name + "iha.y"], wide = bank->iha.output;
            for (std::int64_t row = 0; row < want.size(0); ++row)
                for (std::int64_t c = 0; c < want.size(1); ++c)
                    CHECK(std::abs(wide.data<double>()[row * wide.size(1) + c] -
                                   want.data<double>()[row * want.size(1) + c]) <=
                          engine.tolerance);
            const Tensor tiles = goldens[name + "tiles"];
            CHECK(largestDifference(bank->iha.tiles.cast(DType::f64), tiles) <= engine.tolerance);
            CHECK(largestDifference(bank->mha.tiles.cast(DType::f64), tiles.slice(0, k)) <=
                  engine.tolerance);
            const Tensor parameters = goldens[name + "parameters"];
            CHECK(static_cast<double>(bank->mha.parameters) == parameters.data<double>()[0]);
            CHECK(static_cast<double>(bank->iha.parameters) == parameters.data<double>()[1]);
        }
}

TEST_CASE("the formulas count the tensors exactly") {
    for (const BankSize size : {BankSize{1, 2, 1}, BankSize{2, 5, 2}, BankSize{5, 12, 2},
                                BankSize{10, 11, 1}, BankSize{17, 18, 1}}) {
        CAPTURE(size.nFilters);
        const int heads = interleavedHeads(size.nFilters);
        const GraphPowers powers(graphMatrix(FilterGraph::ring, size.nNodes), heads * heads);
        CHECK(countParameters(mhaBank(powers, size)) == bankParameters(size).mha);
        CHECK(countParameters(ihaBank(powers, size)) == bankParameters(size).iha);
    }
}

TEST_CASE("the formulas in names and in numbers") {
    const BankFormulas formulas = bankFormulas({5, 5, 2});
    CHECK(formulas.mha.names() == "2 N (N + d) k + d (N + d) k");
    CHECK(formulas.mha.numbers() == "2 x 5 x 7 x 5 + 2 x 7 x 5");
    CHECK(formulas.iha.names() == "2 N (N + d) H + d (N + d) H^2 + 4 H^3");
    CHECK(formulas.iha.numbers() == "2 x 5 x 7 x 3 + 2 x 7 x 3^2 + 4 x 3^3");
}

TEST_CASE("heads of the interleaved bank") {
    CHECK(interleavedHeads(1) == 1);
    CHECK(interleavedHeads(4) == 2);
    CHECK(interleavedHeads(5) == 3);
    CHECK(interleavedHeads(64) == 8);
}

// N = 5, d = 1: MHA 66 k; IHA 2 * 30 * H + 6 H^2 + 4 H^3 = 70, 176, 342 for H = 1, 2, 3. So MHA is
// smaller at k = 1 and 2 (66, 132), IHA at 3 and 4 (198, 264), MHA at 5 (330), IHA at 6 to 9 (396).
TEST_CASE("where the curves cross, by hand") {
    CHECK(crossingFilters({1, 5, 1}, 9) == std::vector<int>{3, 5, 6});
    CHECK(bankParameters({5, 5, 1}).mha == 330);
    CHECK(bankParameters({5, 5, 1}).iha == 342);
}

TEST_CASE("an impossible size says which bound it breaks") {
    CHECK(refusal({5, 12, 2}) == "accepted");
    CHECK(refusal({6, 12, 2}) ==
          "k d < N: k d = 6 x 2 = 12 is not below N = 12, and beyond that the rank of a map no "
          "longer says how many heads are needed; use at least 13 nodes, or fewer filters or "
          "numbers a node.");
    CHECK(refusal({0, 12, 1}) == "filters k: 0 cannot be had; use 1 to 64.");
    CHECK(refusal({4, 1000000, 1}) == "nodes N: 1000000 cannot be had; use 2 to 128.");
    CHECK(refusal({1, 12, -1}) == "numbers a node d: -1 cannot be had; use 1 to 128.");
    const auto backend = makeReferenceBackend();
    const BankSize size = {2, 4, 1};
    CHECK(runBank(size, graphMatrix(FilterGraph::ring, 5), bankSignal(size), DType::f64, *backend)
              .error()
              .sentence() == "nodes N: 4 do not fit a graph of 5; use 5.");
}

TEST_CASE("a bank can be stopped") {
    const auto backend = makeReferenceBackend();
    const BankSize size = {2, 4, 1};
    const auto bank = runBank(size, graphMatrix(FilterGraph::ring, 4), bankSignal(size), DType::f64,
                              *backend, [] { return true; });
    CHECK(bank.error().kind == Error::Kind::interrupted);
}
