#include "core/models/sampling.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

using namespace headloom;

TEST_CASE("probabilities are the softmax at a temperature") {
    const std::vector<float> logits{0, std::log(3.f)};
    CHECK(probabilities(logits, 1)[1] == doctest::Approx(0.75));
    CHECK(probabilities(logits, 0)[1] == doctest::Approx(0.75));
    CHECK(probabilities(logits, 0.5)[1] == doctest::Approx(0.9));
}

TEST_CASE("greedy takes the largest, the lowest id on a tie, never a NaN") {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    Rng rng(1);
    CHECK(chooseToken(std::vector<float>{1, 5, 5, 2}, {}, rng) == 1);
    CHECK(chooseToken(std::vector<float>{nan, 1, 3}, {}, rng) == 2);
    CHECK(chooseToken(std::vector<float>{nan, nan}, {}, rng) == 0);
    const auto top = topCandidates(std::vector<float>{1, 5, 5, 2}, 0, 3);
    REQUIRE(top.size() == 3);
    CHECK(top[0].id == 1);
    CHECK(top[1].id == 2);
    CHECK(top[2].id == 3);
}

TEST_CASE("top-k sampling stays among the k largest and in proportion") {
    const std::vector<float> logits{std::log(1.f), std::log(3.f), std::log(6.f)};
    Rng rng(4);
    std::vector<int> seen(3);
    for (int i = 0; i < 9000; ++i)
        ++seen[static_cast<std::size_t>(chooseToken(logits, {1.0, 2}, rng))];
    CHECK(seen[0] == 0);
    CHECK(std::abs(seen[2] - 6000) < 270);  // six standard deviations of 45
}
