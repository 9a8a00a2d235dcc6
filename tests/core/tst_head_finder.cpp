#include "core/analysis/head_finder.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

using namespace headloom;
using doctest::Approx;

TEST_CASE("marks of a prompt: A B A A") {
    const std::vector<int> tokens = {7, 8, 7, 7};
    const PromptMarks marks(tokens, {{}, {0}});
    using Rows = std::vector<std::vector<int>>;
    CHECK(marks.of(HeadMeasure::previous) == Rows{{}, {0}, {1}, {2}});
    CHECK(marks.of(HeadMeasure::first) == Rows{{}, {0}, {0}, {0}});
    CHECK(marks.of(HeadMeasure::duplicate) == Rows{{}, {}, {0}, {0, 2}});
    // what came after an earlier A; the last A's own place is not something that came before
    CHECK(marks.of(HeadMeasure::induction) == Rows{{}, {}, {1}, {1}});
    CHECK(marks.of(HeadMeasure::evidence) == Rows{{}, {0}});
}

TEST_CASE("a head of plain attention by every measure") {
    const std::vector<int> tokens = {7, 8, 7};
    const Tensor maps =
        Tensor::of<float>({1, 1, 1, 1, 3, 3}, {1, 0, 0, .25F, .75F, 0, .125F, .375F, .5F});
    const auto scores = scoreHead(maps, 5, PromptMarks(tokens, {{}, {}, {1, 2}}), {});
    REQUIRE(scores.size() == 1);  // one tile is the head itself
    CHECK(scores[0].head == 5);
    CHECK_FALSE(scores[0].isTile());
    CHECK(scores[0].of(HeadMeasure::previous) == Approx((.25 + .375) / 2));
    CHECK(scores[0].of(HeadMeasure::first) == Approx((.25 + .125) / 2));
    CHECK(scores[0].of(HeadMeasure::duplicate) == Approx(.125));
    CHECK(scores[0].of(HeadMeasure::induction) == Approx(.375));
    CHECK(scores[0].of(HeadMeasure::evidence) == Approx(.875));
    CHECK(scores[0].of(HeadMeasure::mass) == Approx(1));
    const double second = -(.25 * std::log2(.25) + .75 * std::log2(.75)),
                 third = -(.125 * std::log2(.125) + .375 * std::log2(.375) + .5 * std::log2(.5));
    CHECK(scores[0].of(HeadMeasure::entropy) == Approx((0 + second + third) / 3));
    CHECK(std::isnan(scores[0].of(HeadMeasure::crossHead)));
}

TEST_CASE("tiles add up to their head, by P") {
    // P = 2, two tokens: row 1 of pseudo-query 0 is .1 .2 | .3 .4, of pseudo-query 1 its own token
    const Tensor maps =
        Tensor::of<float>({1, 1, 2, 2, 2, 2}, {.5F, 0, .1F, .2F, .5F, 0, .3F, .4F,  //
                                               0, 0, 0, 0, 1, 0, 0, 1});
    const std::vector<int> tokens = {1, 2};
    const std::vector<CrossHead> crossHeads = {{1, 2}, {0, 4}, {3, 4}, {0, 0}};
    const auto scores = scoreHead(maps, 0, PromptMarks(tokens, {}), crossHeads);
    REQUIRE(scores.size() == 5);
    CHECK(scores[2].p == 0);
    CHECK(scores[2].r == 1);
    // float32 cells
    CHECK(scores[2].of(HeadMeasure::previous) == Approx(.3).epsilon(1e-6));
    CHECK(scores[0].of(HeadMeasure::previous) == Approx((.1 + .3) / 2).epsilon(1e-6));
    CHECK(scores[2].of(HeadMeasure::mass) == Approx((.5 + .7) / 2).epsilon(1e-6));
    CHECK(scores[0].of(HeadMeasure::mass) == Approx(1).epsilon(1e-6));
    CHECK(std::isnan(scores[3].of(HeadMeasure::entropy)));  // all zero
    // joined rows: (1, 0) and (.2, .8)
    const double bits = -(.2 * std::log2(.2) + .8 * std::log2(.8));
    CHECK(scores[0].of(HeadMeasure::entropy) == Approx(bits / 2).epsilon(1e-6));
    // shares of tiles, and of all their terms together
    CHECK(scores[1].of(HeadMeasure::crossHead) == Approx(.5));
    CHECK(scores[3].of(HeadMeasure::crossHead) == Approx(.75));
    CHECK(scores[0].of(HeadMeasure::crossHead) == Approx(.4));
    // nothing repeats here and nothing is evidence
    CHECK(std::isnan(scores[0].of(HeadMeasure::induction)));
    CHECK(std::isnan(scores[2].of(HeadMeasure::evidence)));
}

TEST_CASE("a cell that is no number counts as none") {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const Tensor maps = Tensor::of<float>({1, 1, 1, 1, 3, 3}, {1, 0, 0, .5F, nan, 0, nan, .5F, 0});
    const auto scores =
        scoreHead(maps, 0, PromptMarks(std::vector<int>{1, 2, 3}, {}), std::vector<CrossHead>(1));
    CHECK(scores[0].of(HeadMeasure::first) == Approx(.25));
    CHECK(scores[0].of(HeadMeasure::previous) == Approx(.5));
    CHECK(scores[0].of(HeadMeasure::mass) == Approx(2. / 3));
    CHECK(scores[0].of(HeadMeasure::entropy) == 0);
    CHECK(scores[0].of(HeadMeasure::crossHead) == 0);
}
