#include "core/base/rng.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdlib>
#include <vector>

using headloom::Rng;

// Known answer of Philox4x32-10 for counter 0 and key 0 (Random123 kat_vectors).
TEST_CASE("the block function is Philox4x32-10") {
    Rng rng(0, 0);
    CHECK(rng.bits() == 0x6627e8d5u);
    CHECK(rng.bits() == 0xe169c58du);
    CHECK(rng.bits() == 0xbc57ac4cu);
    CHECK(rng.bits() == 0x9b00dbd8u);
}

TEST_CASE("a stream replays from any counter") {
    Rng rng(7, 3);
    std::vector<std::uint32_t> all;
    for (int i = 0; i < 20; ++i) all.push_back(rng.bits());
    for (const std::uint64_t from : {0u, 1u, 4u, 13u}) {
        rng.seek(from);
        CHECK(rng.bits() == all[from]);
    }
}

TEST_CASE("streams and seeds differ") {
    CHECK(Rng(1, 0).bits() != Rng(1, 1).bits());
    CHECK(Rng(1, 0).bits() != Rng(2, 0).bits());
}

TEST_CASE("below covers its range evenly") {
    Rng rng(5);
    std::vector<int> seen(6);
    for (int i = 0; i < 60000; ++i) ++seen[rng.below(6)];
    // standard deviation of a count is 91; six of them leave no room for chance
    for (const int count : seen) CHECK(std::abs(count - 10000) < 550);
}

TEST_CASE("normal has mean 0 and variance 1") {
    Rng rng(9);
    double sum = 0, squares = 0;
    const int n = 100000;
    for (int i = 0; i < n; ++i) {
        const double x = rng.normal();
        sum += x;
        squares += x * x;
    }
    CHECK(std::abs(sum / n) < 0.02);          // six standard errors of 1/sqrt(n)
    CHECK(std::abs(squares / n - 1) < 0.03);  // six standard errors of sqrt(2/n)
}
