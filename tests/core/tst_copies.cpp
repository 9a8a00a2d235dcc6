#include "core/analysis/copies.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace headloom;

namespace {

/// [B = 1, H = 1, P = 2, P = 2, N = 1, Nk = 2]: tiles (0,0) (0,1) (1,0) (1,1), two cells each.
Tensor tiles(const std::vector<float>& cells) {
    return Tensor::of<float>({1, 1, 2, 2, 1, 2}, cells);
}

PseudoCopies of(double smallest, int head) {
    PseudoCopies copies;
    copies.head = head;
    copies.smallest = smallest;
    return copies;
}

}  // namespace

TEST_CASE("pseudo-queries are compared by their sums over key families, tiles one by one") {
    // maps (0.4, 0.6) and (0.6, 0.4): cosine 0.48 / 0.52
    const auto heads = pseudoCopies(tiles({0.4f, 0, 0, 0.6f, 0.6f, 0, 0, 0.4f}));
    REQUIRE(heads.size() == 1);
    CHECK(heads[0].smallest == doctest::Approx(0.48 / 0.52));
    CHECK(heads[0].mean == doctest::Approx(0.48 / 0.52));
    CHECK_FALSE(heads[0].copies());
    CHECK(heads[0].tilesSmallest == doctest::Approx(0));    // (0.4, 0) and (0, 0.6)
    CHECK(heads[0].tilesMean == doctest::Approx(2.0 / 6));  // of six pairs two are parallel
}

TEST_CASE("the same map in other key families is a copy") {
    const auto heads = pseudoCopies(tiles({0.4f, 0, 0, 0.6f, 0, 0.6f, 0.4f, 0}));
    CHECK(heads[0].smallest == doctest::Approx(1));
    CHECK(heads[0].copies());
    CHECK(heads[0].tilesSmallest == doctest::Approx(0));
}

TEST_CASE("all examples count, and a head of its own") {
    // two examples of two heads; head 0 differs in the second example alone
    const Tensor maps = Tensor::of<float>({2, 2, 2, 2, 1, 1}, {1, 0, 1, 0, 1, 0, 1, 0,  //
                                                               1, 0, 0, 0, 1, 0, 1, 0});
    const auto heads = pseudoCopies(maps);
    REQUIRE(heads.size() == 2);
    CHECK(heads[0].smallest == doctest::Approx(1 / std::sqrt(2.0)));
    CHECK(heads[1].smallest == doctest::Approx(1));
    CHECK(heads[1].head == 1);
    CHECK(heads[1].tilesSmallest == 0);  // two tiles are all zero
}

TEST_CASE("without pseudo-heads there is nothing to compare") {
    CHECK(pseudoCopies(Tensor::of<float>({1, 2, 1, 1, 1, 1}, {1, 1})).empty());
    CHECK(copiesSentence({}).empty());
}

TEST_CASE("a layer is told in one sentence") {
    CHECK(copiesSentence({of(0.4, 0), of(0.98, 1)}) ==
          "pseudo-heads differ: map cosine 0.400 to 0.980 (smallest of a head)");
    CHECK(copiesSentence({of(0.4, 0), of(0.981, 1), of(0.99, 2)}) ==
          "pseudo-heads are copies in heads 1, 2 of 3 (map cosine above 0.98): they do the work of "
          "one; start with more noise, or use virtual positions");
    CHECK(copiesSentence({of(0.4, 0), of(1, 1)}).find("in head 1 of 2 (") != std::string::npos);
    CHECK(copiesSentence({of(1, 0)}).find("in every head (") != std::string::npos);
}
