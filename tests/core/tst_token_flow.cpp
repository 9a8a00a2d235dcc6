#include "core/analysis/token_flow.h"

#include <doctest/doctest.h>

#include <limits>

using namespace headloom;
using doctest::Approx;

namespace {

/// Two layers over three tokens, as B: token 2 reads both others in the second layer, token 1 reads
/// token 0 in the first one.
LayeredAttention twoLayers() {
    LayeredAttention attention;
    attention.tokens = 3;
    attention.layers = {{1, 0, 0, .5, .5, 0, 0, 0, 1}, {1, 0, 0, 0, 1, 0, .125, .375, .5}};
    return attention;
}

}  // namespace

TEST_CASE("a layer is half its heads' mean and half the token itself") {
    // two heads of two pseudo-heads: rows of token 1 are summed over r, then averaged
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const Tensor maps =
        Tensor::of<float>({1, 2, 2, 2, 2, 2},
                          {.5F, 0, .25F, .25F, .5F, 0, .25F, .25F, 1, 0, .5F, .5F, nan, 0, 0, 0,  //
                           1,   0, 1,    0,    0,   0, 0,    0,    1, 0, 1,   0,   0,   0, 0, 0});
    LayeredAttention attention;
    attention.add(maps);
    CHECK(attention.tokens == 2);
    REQUIRE(attention.layers.size() == 1);
    // of token 1: heads (.5, .5) and (1, 0), so A is (.75, .25)
    const std::vector<double> expected = {1, 0, .375, .625};
    for (std::size_t i = 0; i < 4; ++i) CHECK(attention.layers[0][i] == Approx(expected[i]));
}

TEST_CASE("signed maps count by their magnitude, rows of zeros keep their token") {
    LayeredAttention attention;
    attention.add(Tensor::of<float>({1, 1, 1, 1, 2, 2}, {0, 0, -3, 1}));
    const std::vector<double> expected = {1, 0, .375, .625};
    for (std::size_t i = 0; i < 4; ++i) CHECK(attention.layers[0][i] == Approx(expected[i]));
}

TEST_CASE("rollout multiplies the layers") {
    const std::vector<double> shares = rollout(twoLayers(), 2);
    CHECK(shares[0] == Approx(.125 + .375 * .5));
    CHECK(shares[1] == Approx(.375 * .5));
    CHECK(shares[2] == Approx(.5));
    CHECK(rollout(twoLayers(), 0) == std::vector<double>{1, 0, 0});
}

TEST_CASE("flow is bounded by the narrowest edges on the way") {
    const std::vector<double> flows = attentionFlow(twoLayers(), 2).value();
    REQUIRE(flows.size() == 3);
    // capacities are whole parts of 2^-40
    CHECK(flows[0] == Approx(.125 + .375));  // by token 0, and by token 1, whose edge has room
    CHECK(flows[1] == Approx(.375));
    CHECK(flows[2] == Approx(.5));
    CHECK(attentionFlow(twoLayers(), 0).value()[2] == 0);

    // both ways to token 0 end in the same narrow edge
    LayeredAttention narrow;
    narrow.tokens = 2;
    narrow.layers = {{.25, .75, 0, 1}, {1, 0, .5, .5}};
    CHECK(attentionFlow(narrow, 1).value()[0] == Approx(.25));
}

TEST_CASE("a group of tokens shares the edges that lead to it") {
    const LayeredAttention attention = twoLayers();
    const auto flows = attentionFlowTo(attention, 2, {{0, 1}, {1}, {0, 1, 2}, {0, 1}}).value();
    REQUIRE(flows.size() == 4);
    CHECK(flows[0] == Approx(.125 + .375));  // not .5 + .375: all of it comes by the same edges
    CHECK(flows[1] == Approx(.375));
    CHECK(flows[2] == Approx(1));
    CHECK(flows[3] == flows[0]);  // no group takes anything from a later one
    CHECK(attentionFlowTo(attention, 2, {{0}}, [] { return true; }).error().kind ==
          Error::Kind::interrupted);
}

TEST_CASE("flow can be stopped, and says where it ends") {
    const auto stopped = attentionFlow(twoLayers(), 2, [] { return true; });
    REQUIRE_FALSE(stopped);
    CHECK(stopped.error().kind == Error::Kind::interrupted);
    double done = 0;
    CHECK(attentionFlow(twoLayers(), 2, {}, [&done](double share) { done = share; }));
    CHECK(done == 1);
    LayeredAttention large;
    large.tokens = 3000;
    large.layers.resize(1);
    const auto refused = attentionFlow(large, 0);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().what ==
          "3000 tokens in 1 layers are 9.0 million edges, and 2 million "
          "are followed at most");
}
