#include "core/theory/cpm3_construction.h"

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

#include "goldens.h"

using namespace headloom;
using headloom::testing::largestDifference;
using headloom::testing::TheoryGoldens;

namespace {

using Counts = std::vector<std::int64_t>;

struct Engine {
    std::unique_ptr<Backend> backend;
    DType type;
    double tolerance;  ///< of a weight 1/H and of H times a symbol below 16: one rounding each
};

std::vector<Engine> engines() {
    std::vector<Engine> made;
    made.push_back({makeReferenceBackend(), DType::f64, 1e-14});
    if (auto cpu = makeCpuBackend(2)) made.push_back({std::move(cpu), DType::f32, 1e-5});
    return made;
}

Counts countsOf(const Tensor& golden) {
    return {golden.data<double>(), golden.data<double>() + golden.count()};
}

Cpm3Run ran(const Cpm3Task& task) {
    const auto backend = makeReferenceBackend();
    return runCpm3(task, DType::f64, *backend).value();
}

std::string refusal(const Cpm3Task& task) {
    const auto fine = validate(task);
    return fine ? std::string("accepted") : fine.error().sentence();
}

std::string read(const std::string& text) {
    const auto sequence = sequenceFrom(text);
    if (!sequence) return sequence.error().sentence();
    std::string back;
    for (const int symbol : *sequence) back += std::to_string(symbol) + ".";
    return back;
}

}  // namespace

// x = 1: 1 + 3a + b is 5, 6, 8, 9 over (1,1), (1,2), (2,1), (2,2), of which 8 is divisible by 4.
// x = 2: 6, 7, 9, 10: none.
TEST_CASE("two tokens, counted by hand") {
    const Cpm3Task task = {{1, 2}, 3, 4};
    CHECK(countPairs(task) == Counts{1, 0});
    const Cpm3Run run = ran(task);
    CHECK(run.expected == Counts{1, 0});
    CHECK(run.mha.counts == Counts{1, 0});
    CHECK(run.iha.counts == Counts{1, 0});
    // row 0 reads (1, 2), so its pair (2, 1) is the unit t1 = 1, t2 = 0
    for (const Cpm3Arm* arm : {&run.mha, &run.iha})
        CHECK(largestDifference(arm->hidden,
                                Tensor::of<double>({2, 2, 2}, {0, 0, 1, 0, 0, 0, 0, 0})) == 0);
}

TEST_CASE("both constructions give the golden counts") {
    const TheoryGoldens goldens;
    for (const Engine& engine : engines())
        for (const int n : {4, 7, 9, 16})
            for (const char* factors : {"10.4", "11.5", "1.3"}) {
                const std::string name = "cpm3." + std::to_string(n) + "." + factors + ".";
                CAPTURE(name);
                CAPTURE(engine.backend->info().name);
                const Tensor x = goldens[name + "x"], gm = goldens[name + "g_m"];
                Cpm3Task task;
                task.sequence.assign(x.data<double>(), x.data<double>() + n);
                task.g = static_cast<int>(gm.data<double>()[0]);
                task.m = static_cast<int>(gm.data<double>()[1]);
                const auto run = runCpm3(task, engine.type, *engine.backend);
                REQUIRE(run);
                CHECK(run->expected == countsOf(goldens[name + "counts"]));
                CHECK(run->iha.counts == countsOf(goldens[name + "built"]));
                CHECK(run->mha.counts == run->expected);
                CHECK(run->mha.nHeads == n);
                CHECK(run->iha.nHeads == (n == 4 ? 2 : n == 16 ? 4 : 3));
                CHECK(run->iha.nPseudo == run->iha.nHeads);
                CHECK(run->mha.roundedBy <= engine.tolerance);
                CHECK(run->iha.roundedBy <= engine.tolerance);
            }
}

// N = 5: three heads make nine tiles, of which the last four go round again.
TEST_CASE("tiles shift, and the workspace lists every symbol in every row") {
    const std::vector<int> x = {7, 0, 3, 999, 1};
    for (const Engine& engine : engines()) {
        CAPTURE(engine.backend->info().name);
        const auto run = runCpm3({x, 10, 4}, engine.type, *engine.backend);
        REQUIRE(run);
        for (const Cpm3Arm* arm : {&run->mha, &run->iha}) {
            REQUIRE(arm->tiles.size(0) == (arm == &run->mha ? 5 : 9));
            const Tensor tiles = arm->tiles.cast(DType::f64);
            for (std::int64_t t = 0; t < tiles.size(0); ++t)
                for (std::int64_t i = 0; i < 5; ++i)
                    for (std::int64_t j = 0; j < 5; ++j)
                        CHECK(std::abs(tiles.at(t).data<double>()[i * 5 + j] -
                                       (j == (i + t) % 5 ? 1.0 / arm->nPseudo : 0.0)) <=
                              engine.tolerance);
            for (std::size_t i = 0; i < 5; ++i)
                for (std::size_t t = 0; t < 5; ++t)
                    CHECK(arm->workspace.data<double>()[i * 5 + t] == x[(i + t) % 5]);
        }
    }
}

TEST_CASE("the largest symbols and G still count exactly in float32") {
    const std::vector<int> x = {999, 998, 997, 0, 1, 2, 3};
    for (const Engine& engine : engines()) {
        CAPTURE(engine.backend->info().name);
        const Cpm3Task task = {x, Cpm3Task::mostFactor, 7};
        const auto run = runCpm3(task, engine.type, *engine.backend);
        REQUIRE(run);
        CHECK(run->mha.counts == run->expected);
        CHECK(run->iha.counts == run->expected);
    }
}

TEST_CASE("G mod M = 1 does not tell the order apart") {
    CHECK(isOrderSensitive({{1, 2}, 10, 4}));
    CHECK(!isOrderSensitive({{1, 2}, 1, 3}));
    CHECK(!isOrderSensitive({{1, 2}, 9, 4}));  // although 9 > 2 * 4
    CHECK(!isOrderSensitive({{1, 2}, 8, 1}));  // everything is 1 mod 1
    const auto differences = [](const Cpm3Task& task) {
        const Tensor hidden = ran(task).iha.hidden;
        double most = 0;
        for (std::int64_t i = 0; i < 4; ++i)
            for (std::int64_t a = 0; a < 4; ++a)
                for (std::int64_t b = 0; b < 4; ++b)
                    most = std::max(most, std::abs(hidden.data<double>()[(i * 4 + a) * 4 + b] -
                                                   hidden.data<double>()[(i * 4 + b) * 4 + a]));
        return most;
    };
    CHECK(differences({{3, 1, 4, 2}, 9, 4}) == 0);
    CHECK(differences({{3, 1, 4, 2}, 10, 4}) == 1);
}

TEST_CASE("parameters of the attention") {
    const Cpm3Run run = ran({{3, 1, 4, 2, 0}, 10, 4});
    // N = 5, one number a token: W_Q and W_K [H, 6, 5], W_V [H, 6, 1] or [H, 6, H], and the mixing
    CHECK(run.mha.parameters == 5 * (2 * 6 * 5 + 6));
    CHECK(run.iha.parameters == 3 * (2 * 6 * 5 + 6 * 3) + 4 * 27);
}

TEST_CASE("a sequence is read or refused in one sentence") {
    CHECK(read("1,2,3") == "1.2.3.");
    CHECK(read(" 10 , 20\t30 ") == "10.20.30.");
    CHECK(read("") == "");
    const std::string remedy = "; write whole numbers of 0 to 999, such as 3,1,4,1.";
    CHECK(read("1,x,3") == "sequence, symbol 1: \"x\" is no such number" + remedy);
    CHECK(read("1,,3") == "sequence, symbol 1: \"\" is no such number" + remedy);
    CHECK(read("1,2,") == "sequence, symbol 2: \"\" is no such number" + remedy);
    CHECK(read("1.5") == "sequence, symbol 0: \"1.5\" is no such number" + remedy);
    CHECK(read("99999999999999") ==
          "sequence, symbol 0: \"99999999999999\" is no such number" + remedy);
}

TEST_CASE("what cannot be counted is one sentence") {
    CHECK(refusal({{1}, 0, 1}) == "accepted");
    CHECK(refusal({std::vector<int>(64, 999), 9999, 9999}) == "accepted");
    CHECK(refusal({{}, 10, 4}) ==
          "sequence: has no symbols; write whole numbers of 0 to 999, such as 3,1,4,1.");
    CHECK(refusal({std::vector<int>(65, 1), 10, 4}) ==
          "sequence: 65 symbols are too many; use 1 to 64.");
    CHECK(refusal({{1, -2}, 10, 4}) == "sequence, symbol 1: -2 cannot be had; use 0 to 999.");
    CHECK(refusal({{1, 1000}, 10, 4}) == "sequence, symbol 1: 1000 cannot be had; use 0 to 999.");
    CHECK(refusal({{1}, -1, 4}) == "G: -1 cannot be had; use 0 to 9999.");
    CHECK(refusal({{1}, 10, 0}) == "M: 0 cannot be had; use 1 to 9999.");
    const auto backend = makeReferenceBackend();
    CHECK(runCpm3({{1}, 10, 0}, DType::f64, *backend).error().where == "M");
    CHECK(runCpm3({{1}, 10, 4}, DType::f64, *backend, [] { return true; }).error().kind ==
          Error::Kind::interrupted);
}
