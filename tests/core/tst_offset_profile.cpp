#include "core/analysis/offset_mixes.h"
#include "core/analysis/offset_profile.h"

#include <doctest/doctest.h>

#include <limits>

using namespace headloom;
using doctest::Approx;

namespace {

/// A map [n, n] with `size` on the diagonal `offset` back.
Tensor shifted(int n, int offset, float size = 1) {
    const Tensor map = Tensor::host({n, n}, DType::f32);
    for (int row = offset; row < n; ++row) map.data<float>()[row * n + row - offset] = size;
    return map;
}

Tensor sum(const Tensor& a, const Tensor& b) {
    const Tensor all = a.copy();
    for (std::int64_t i = 0; i < all.count(); ++i) all.data<float>()[i] += b.data<float>()[i];
    return all;
}

OffsetProfile profileOf(const Tensor& map, std::vector<int> rows) {
    OffsetProfile profile;
    profile.add(map, rows);
    return profile;
}

}  // namespace

TEST_CASE("a shifted diagonal has all of its weight at its offset") {
    const OffsetProfile profile = profileOf(shifted(6, 2, 0.5f), {3, 4, 5});
    CHECK(profile.rows() == 3);
    CHECK(profile.offsets() == 6);
    CHECK(profile.weight(2) == 0.5);
    CHECK(profile.weight(1) == 0);
    CHECK(profile.weight(40) == 0);
    CHECK(profile.mass() == 0.5);
    CHECK(profile.share(2) == 1);
    CHECK(profile.dominant() == 2);
    CHECK(profile.carried() == 2);
}

// rows 2 and 3 of  . . . .      offsets of row 2: 1 -> .25, 0 -> .75; of row 3: 3 -> .5, 1 -> -.5
//                  . . . .
//                  0 .25 .75 0
//                  .5 0 -.5 0
TEST_CASE("weights are signed means, shares are of magnitudes") {
    const Tensor map =
        Tensor::of<float>({4, 4}, {9, 0, 0, 0, 9, 9, 0, 0, 0, 0.25f, 0.75f, 0, 0.5f, 0, -0.5f, 0});
    const OffsetProfile profile = profileOf(map, {2, 3});
    CHECK(profile.weight(0) == 0.375);
    CHECK(profile.weight(1) == -0.125);
    CHECK(profile.weight(2) == 0);
    CHECK(profile.weight(3) == 0.25);
    CHECK(profile.mass() == 1);
    CHECK(profile.share(0) == 0.375);
    CHECK(profile.share(1) == 0.375);
    CHECK(profile.share(3) == 0.25);
    CHECK(profile.dominant() == 0);  // the nearer one of two that are equal
    CHECK(!profile.carried());
    CHECK(profile.carried({0.3, 0.01}) == 0);
}

TEST_CASE("more than all others together, and not dead") {
    const Tensor half = sum(shifted(8, 1, 0.5f), shifted(8, 3, 0.5f));
    CHECK(!profileOf(half, {4, 5, 6}).carried());
    const Tensor more = sum(shifted(8, 1, 0.5f), shifted(8, 3, -0.625f));
    CHECK(profileOf(more, {4, 5, 6}).carried() == 3);
    CHECK(!profileOf(shifted(8, 1, 0.009f), {4, 5}).carried());
    CHECK(profileOf(shifted(8, 1, 0.011f), {4, 5}).carried() == 1);
    CHECK(!profileOf(Tensor::host({4, 4}, DType::f32), {2}).dominant());
    CHECK(!OffsetProfile().dominant());
    CHECK(OffsetProfile().mass() == 0);
}

TEST_CASE("keys after the query have no offset but count for the share") {
    const Tensor map = Tensor::of<float>({2, 2}, {0, 0, 0.75f, 0});
    Tensor later = map.copy();
    later.data<float>()[1] = 0.25f;  // row 0 reads key 1
    const OffsetProfile profile = profileOf(later, {0, 1});
    CHECK(profile.share(1) == 0.75);
    CHECK(profile.later() == 0.25);
    CHECK(profile.mass() == 0.5);
}

TEST_CASE("cells that are not finite count as 0") {
    Tensor map = shifted(4, 1);
    map.data<float>()[3 * 4] = std::numeric_limits<float>::quiet_NaN();
    map.data<float>()[3 * 4 + 1] = std::numeric_limits<float>::infinity();
    CHECK(profileOf(map, {2, 3}).share(1) == 1);
}

TEST_CASE("offsets that at least one map carries") {
    std::vector<OffsetProfile> maps;
    for (const int offset : {3, 1, 3, 0, 6}) maps.push_back(profileOf(shifted(8, offset), {6, 7}));
    CHECK(offsetsCarried(maps, 4) == std::vector{1, 3});
    CHECK(offsetsCarried(maps, 6) == std::vector{1, 3, 6});
    CHECK(offsetsCarried({}, 4).empty());
}

// [1 back + 2 back, 1 back - 2 back]: half of their sum is 1 back.
TEST_CASE("blended maps that can be told apart mix to clean ones") {
    const std::vector<Tensor> maps = {sum(shifted(8, 1), shifted(8, 2)),
                                      sum(shifted(8, 1), shifted(8, 2, -1))};
    OffsetMixes mixes(2, 3);
    mixes.add(maps, std::vector{3, 4, 5, 6, 7});
    const auto made = mixes.solve();
    REQUIRE(made.size() == 3);
    // float32 maps, products of two in double
    CHECK(made[0].share == Approx(1).epsilon(1e-12));
    CHECK(made[0].weights[0] == Approx(0.5).epsilon(1e-12));
    CHECK(made[0].weights[1] == Approx(0.5).epsilon(1e-12));
    CHECK(made[1].share == Approx(1).epsilon(1e-12));
    CHECK(made[1].weights[1] == Approx(-0.5).epsilon(1e-12));
    CHECK(made[2].share == Approx(0).epsilon(1e-12));
    const Tensor clean = mixed(maps, made[1]);
    for (std::int64_t i = 0; i < clean.count(); ++i)
        CHECK(clean.data<float>()[i] == doctest::Approx(shifted(8, 2).data<float>()[i]));
}

TEST_CASE("H maps mix to H offsets at most") {
    // two maps over three offsets, not alike: their shares come to exactly 2
    const std::vector<Tensor> maps = {sum(shifted(9, 1, 0.3f), shifted(9, 2, 0.7f)),
                                      sum(shifted(9, 2, 0.2f), shifted(9, 3, 0.8f))};
    OffsetMixes two(2, 3);
    two.add(maps, std::vector{3, 5, 8});
    double all = 0;
    for (const OffsetMix& mix : two.solve()) {
        CHECK(mix.share < 1);
        all += mix.share;
    }
    CHECK(all == Approx(2).epsilon(1e-6));  // 0.3 and the like are rounded to float32
    // a copy of a map adds nothing
    OffsetMixes copies(2, 3);
    copies.add(std::vector<Tensor>{maps[0], maps[0]}, std::vector{3, 5, 8});
    all = 0;
    for (const OffsetMix& mix : copies.solve()) all += mix.share;
    CHECK(all == Approx(1).epsilon(1e-6));
}

TEST_CASE("what lies off the diagonal cannot be mixed away") {
    // 0.6 one back in every row, the rest on the first token: nearest is the factor .6/(.36+.16)
    Tensor map = shifted(8, 1, 0.6f);
    for (int row = 2; row < 8; ++row) map.data<float>()[row * 8] = 0.4f;
    OffsetMixes mixes(1, 1);
    mixes.add(std::vector<Tensor>{map}, std::vector{2, 3, 4, 5, 6, 7});
    const auto made = mixes.solve();
    CHECK(made[0].weights[0] == Approx(0.6 / 0.52).epsilon(1e-6));  // float32
    CHECK(made[0].share == Approx(0.36 / 0.52).epsilon(1e-6));
    CHECK(OffsetMixes(1, 1).solve()[0].share == 0);
}
