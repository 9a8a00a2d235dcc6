#include "core/base/memory.h"

#include <doctest/doctest.h>

using namespace headloom;

TEST_CASE("what no machine can hold is refused, what every machine can is not") {
    CHECK(checkMemory(1e6, "maps", "use fewer tokens"));
    const auto refused = checkMemory(1e18, "maps", "use fewer tokens");
    REQUIRE_FALSE(refused);
    CHECK(refused.error().kind == Error::Kind::outOfMemory);
    CHECK(refused.error().sentence().starts_with(
        "maps: 1000000000 GB are needed, but the machine has "));
    CHECK(refused.error().sentence().ends_with("; use fewer tokens."));
}
