#include "core/analysis/dendrogram.h"
#include "core/analysis/gram.h"
#include "core/analysis/mass.h"
#include "core/analysis/redundancy.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

using namespace headloom;
using doctest::Approx;

TEST_CASE("entropy of a row in bits, whatever it sums to") {
    const float four[] = {0.1F, 0.1F, 0.1F, 0.1F}, one[] = {0, 0.3F, 0}, none[] = {0, 0},
                halves[] = {0.2F, -0.2F};
    CHECK(entropyBits(four) == Approx(2));
    CHECK(entropyBits(one) == 0);
    CHECK(std::isnan(entropyBits(none)));
    CHECK(entropyBits(halves) == Approx(1));  // magnitudes
    const float broken[] = {0.5F, std::numeric_limits<float>::quiet_NaN(),
                            std::numeric_limits<float>::infinity(), 0.5F};
    CHECK(entropyBits(broken) == Approx(1));
}

TEST_CASE("entropy of a row longer than what is summed at once, zeros and all") {
    std::vector<float> row(53);
    for (std::size_t i = 0; i < row.size(); i += 3) row[i] = static_cast<float>(i * i);
    for (std::size_t i = 16; i < 32; ++i) row[i] = 0;
    double sum = 0, bits = 0;
    for (const float cell : row) sum += double{cell};
    for (const float cell : row)
        if (cell > 0) bits -= cell / sum * std::log2(cell / sum);
    CHECK(entropyBits(row) == Approx(bits).epsilon(1e-6));
    row.insert(row.begin() + 20, std::numeric_limits<float>::infinity());
    CHECK(entropyBits(row) == Approx(bits).epsilon(1e-6));
}

TEST_CASE("products of patterns go over every cell that any of them has") {
    const float patterns[] = {0, 2, 0, 5, 1, 0, 3, 0, 0, 1};  // 0 and 2 are no one's
    Gram gram(2);
    gram.add(patterns, 5, 5);
    CHECK(gram.product(0, 0) == 30);
    CHECK(gram.product(1, 1) == 10);
    CHECK(gram.product(0, 1) == 7);
}

TEST_CASE("a dendrogram cut anywhere has no pair in a group below the cut") {
    // 0-1 and 1-2 are alike, 0-2 are not; single linkage would join all three
    const std::vector<double> similarity = {1, .9, .2, 0, .9, 1, .8, 0, .2, .8, 1, 0, 0, 0, 0, 1};
    const Dendrogram dendrogram(4, similarity);
    CHECK(dendrogram.groupsAbove(0.95) == std::vector<int>{0, 1, 2, 3});
    const std::vector<int> cut = dendrogram.groupsAbove(0.75);
    CHECK(cut[0] == cut[1]);
    CHECK(cut[1] != cut[2]);
    CHECK(cut[3] != cut[2]);
    const std::vector<int> low = dendrogram.groupsAbove(0.1);
    CHECK(low[0] == low[2]);
    CHECK(low[3] != low[0]);
    CHECK(dendrogram.groupsAbove(0.9) == std::vector<int>{0, 1, 2, 3});  // above, not at
    CHECK(dendrogram.groupsAbove(-1) == std::vector<int>{0, 0, 0, 0});
    CHECK(dendrogram.order().size() == 4);
    CHECK(Dendrogram(0, {}).groupsAbove(0.5).empty());
}

TEST_CASE("patterns are counted as distinct, alike and dead") {
    // of two tokens: one pattern, the same at a tenth of its mass, another one, and nearly nothing
    const Tensor patterns =
        Tensor::of<float>({1, 1, 2, 2, 2, 2}, {.5F, 0, .2F, .3F, .05F, 0, .02F, .03F,  //
                                               0, 0, 0, 1, .01F, 0, .004F, .005F});
    const Redundancy found = redundancyOf(patterns);
    REQUIRE(found.count == 4);
    CHECK(found.cosine(0, 1) == Approx(1));
    // (.5 0 .2 .3) . (0 0 0 1) = .3, lengths sqrt(.38) and 1; float32 cells
    CHECK(found.cosine(2, 0) == Approx(.3 / std::sqrt(.38)).epsilon(1e-6));
    CHECK(found.mass[0] == Approx(.5).epsilon(1e-6));
    CHECK(found.mass[2] == Approx(.5));
    CHECK(found.entropy[2] == 0);  // only the row that is not zero counts
    const double bits = -(.4 * std::log2(.4) + .6 * std::log2(.6));
    CHECK(found.entropy[1] == Approx(bits / 2).epsilon(1e-6));

    const PatternClusters clusters = clustersOf(found, {0.95, 0.01});
    CHECK(clusters.distinct == 2);
    CHECK(clusters.dead == 1);  // of mass .0095, and alike or not is not asked of it
    CHECK(clusters.cluster[0] == clusters.cluster[1]);
    CHECK(clusters.cluster[2] != clusters.cluster[0]);
    CHECK(clusters.cluster[3] == -1);
    CHECK(clusters.order.size() == 4);
    CHECK(clusters.order.back() == 3);
    CHECK(clustersOf(found, {0.4, 0.01}).distinct == 1);
    CHECK(clustersOf(found, {0.95, 0.06}).dead == 2);
    CHECK(clustersOf(found, {0.95, 2}).distinct == 0);
}

TEST_CASE("effective rank of stacked patterns, and what is not a number") {
    // two patterns at right angles and of one length use two directions, copies one
    CHECK(redundancyOf(Tensor::of<float>({2, 1, 2}, {1, 0, 0, 1})).effectiveRank == Approx(2));
    const Tensor copies = Tensor::of<float>({2, 1, 2}, {.5F, .5F, .5F, .5F});
    // a root of rounding, 1e-8 of the other singular value, is left of the second direction
    CHECK(redundancyOf(copies).effectiveRank == Approx(1).epsilon(1e-6));
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const Redundancy broken = redundancyOf(Tensor::of<float>({2, 1, 2}, {nan, .5F, 1, 0}));
    CHECK(broken.cosine(0, 1) == 0);
    CHECK(broken.mass[0] == Approx(.5));
    CHECK(broken.effectiveRank > 1);
    CHECK(redundancyOf(Tensor()).count == 0);
    CHECK(clustersOf(redundancyOf(Tensor()), {}).order.empty());
}

TEST_CASE("inner products do not depend on how the cells come") {
    // 5000 cells are more than one block; 1 and 2 everywhere: 5000, 10000 and 20000
    std::vector<float> cells(5000, 1.F);
    cells.resize(10000, 2.F);
    Gram whole(2), pieces(2);
    whole.add(cells.data(), 5000, 5000);
    pieces.add(cells.data(), 1234, 5000);
    pieces.add(cells.data() + 1234, 5000 - 1234, 5000);
    for (const Gram* gram : {&whole, &pieces}) {
        CHECK(gram->product(0, 0) == 5000);
        CHECK(gram->product(0, 1) == 10000);
        CHECK(gram->product(1, 0) == 10000);
        CHECK(gram->product(1, 1) == 20000);
        CHECK(gram->cosine(0, 1) == Approx(1));
    }
}
