#include "core/backend/params.h"

#include <doctest/doctest.h>

#include <string>

using namespace headloom;

namespace {

/// The keys that a query sees, as a picture: virtual keys m*P + r left to right, one letter each.
std::string seen(const AttentionParams& params, int nTokens, int nPseudo, int n, int p) {
    std::string picture;
    for (int m = 0; m < nTokens; ++m)
        for (int r = 0; r < nPseudo; ++r)
            picture += allows(params, nPseudo, n, p, m, r) ? 'x' : '.';
    return picture;
}

AttentionParams paramsOf(MaskKind mask, std::int64_t window = 0) {
    AttentionParams params;
    params.mask = mask;
    params.window = window;
    return params;
}

}  // namespace

TEST_CASE("flat is causal over virtual tokens") {
    const AttentionParams params = paramsOf(MaskKind::flat);
    CHECK(seen(params, 3, 2, 0, 0) == "x.....");
    CHECK(seen(params, 3, 2, 0, 1) == "xx....");
    CHECK(seen(params, 3, 2, 1, 0) == "xxx...");
    CHECK(seen(params, 3, 2, 2, 1) == "xxxxxx");
}

TEST_CASE("token is causal over tokens: all copies of the own token are seen") {
    const AttentionParams params = paramsOf(MaskKind::token);
    CHECK(seen(params, 3, 2, 0, 0) == "xx....");
    CHECK(seen(params, 3, 2, 1, 0) == "xxxx..");
    CHECK(seen(params, 3, 2, 1, 1) == "xxxx..");
}

TEST_CASE("none hides nothing") {
    CHECK(seen(paramsOf(MaskKind::none), 3, 2, 0, 0) == "xxxxxx");
}

TEST_CASE("with one pseudo-head flat and token are the same") {
    for (int n = 0; n < 4; ++n)
        CHECK(seen(paramsOf(MaskKind::flat), 4, 1, n, 0) ==
              seen(paramsOf(MaskKind::token), 4, 1, n, 0));
}

TEST_CASE("a window counts tokens, the own included") {
    CHECK(seen(paramsOf(MaskKind::flat, 2), 4, 2, 2, 0) == "..xxx...");
    CHECK(seen(paramsOf(MaskKind::token, 1), 4, 2, 2, 0) == "....xx..");
}

TEST_CASE("without a mask the window has two sides") {
    CHECK(seen(paramsOf(MaskKind::none, 2), 5, 1, 2, 0) == ".xxx.");
    CHECK(seen(paramsOf(MaskKind::none, 2), 5, 1, 0, 0) == "xx...");
}

TEST_CASE("a scale of 0 stands for 1 / sqrt(dHead)") {
    AttentionParams params;
    CHECK(params.scaleFor(16) == 0.25);
    params.scale = 1.5;
    CHECK(params.scaleFor(16) == 1.5);
}

TEST_CASE("names are read back as what they name") {
    for (const MaskKind kind : {MaskKind::flat, MaskKind::token, MaskKind::none})
        CHECK(maskFrom(nameOf(kind)).value() == kind);
    for (const PositionKind kind :
         {PositionKind::virtualToken, PositionKind::token, PositionKind::none})
        CHECK(positionsFrom(nameOf(kind)).value() == kind);
    for (const ScoreKind kind : {ScoreKind::softmax, ScoreKind::linear, ScoreKind::hard})
        CHECK(scoreFrom(nameOf(kind)).value() == kind);
    CHECK(nameOf(PositionKind::virtualToken) == "virtual");
}

TEST_CASE("an unknown name is refused with what would do") {
    CHECK(maskFrom("causal").error().sentence().find("flat, token or none") != std::string::npos);
    CHECK(positionsFrom("rope").error().sentence().find("virtual") != std::string::npos);
    CHECK(scoreFrom("").error().sentence().find("softmax") != std::string::npos);
}
