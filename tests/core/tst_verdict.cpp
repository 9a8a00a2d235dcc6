#include "core/session/verdict.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace headloom;

TEST_CASE("a difference is claimed only where every seed beats every seed") {
    const ArmResult mha{"MHA", {0.2, 0.3}, {2, 2}}, iha{"IHA", {0.9, 1.0}, {3, 3}};
    CHECK(verdictOn({mha, iha}) ==
          "every seed of IHA (0.900 to 1.000) beats every seed of MHA (0.200 to 0.300); it takes "
          "1.50 times the seconds (3.0 s against 2.0 s).");
    const ArmResult wide{"MHA, 4 heads", {0.6, 0.9}, {2, 2}};
    CHECK(verdictOn({wide, iha}) ==
          "IHA (0.900 to 1.000) and MHA, 4 heads (0.600 to 0.900): ranges overlap; it takes 1.50 "
          "times the seconds (3.0 s against 2.0 s).");
}

TEST_CASE("one seed says little, one arm nothing") {
    const ArmResult one{"MHA", {0.2}, {2}}, iha{"IHA", {0.9, 1.0}, {3, 3}}, none{"x", {}, {}};
    CHECK(verdictOn({one, iha}).find("one seed says little") != std::string::npos);
    CHECK(verdictOn({iha}).empty());
    CHECK(verdictOn({iha, none}).empty());
    CHECK(verdictOn({}).empty());
}

TEST_CASE("the best arm is held against each other one") {
    const ArmResult a{"A", {0.1, 0.1}, {1, 1}}, b{"B", {0.5, 0.5}, {1, 1}},
        c{"C", {0.3, 0.6}, {1, 1}};
    const std::string verdict = verdictOn({a, b, c});
    CHECK(std::count(verdict.begin(), verdict.end(), '\n') == 1);  // a line each
    CHECK(verdict.find("every seed of B (0.500) beats every seed of A (0.100)") !=
          std::string::npos);
    CHECK(verdict.find("B (0.500) and C (0.300 to 0.600): ranges overlap") != std::string::npos);
}

TEST_CASE("of errors the smaller is the better") {
    const ArmResult mha{"MHA", {0.49, 0.51}, {2, 2}}, iha{"IHA", {0.0002, 0.25}, {4, 4}};
    CHECK(verdictOn({mha, iha}, ScoreMeaning::error) ==
          "every seed of IHA (0.0002 to 0.25) beats every seed of MHA (0.49 to 0.51); it takes "
          "2.00 times the seconds (4.0 s against 2.0 s).");
    const ArmResult stuck{"IHA", {0.0002, 0.5}, {}};
    CHECK(verdictOn({mha, stuck}, ScoreMeaning::error).find("ranges overlap") != std::string::npos);
}
