#include "core/base/utf8.h"

#include <doctest/doctest.h>

using namespace headloom;

TEST_CASE("bytes that are not UTF-8 are spelled, everything else is left") {
    CHECK(asUtf8("a\xC3\xA9\xE2\x82\xAC\xF0\x9F\xA7\xB5") ==
          "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\xA7\xB5");
    CHECK(asUtf8("\xFF") == "<0xFF>");
    CHECK(asUtf8("x\xC3") == "x<0xC3>");                              // cut short
    CHECK(asUtf8("\xC3y") == "<0xC3>y");                              // not continued
    CHECK(asUtf8("\xC0\x80") == "<0xC0><0x80>");                      // overlong
    CHECK(asUtf8("\xE0\x9F\x80") == "<0xE0><0x9F><0x80>");            // overlong
    CHECK(asUtf8("\xED\xA0\x80") == "<0xED><0xA0><0x80>");            // a surrogate
    CHECK(asUtf8("\xF4\x90\x80\x80") == "<0xF4><0x90><0x80><0x80>");  // above U+10FFFF
    CHECK(asUtf8("\n") == "\n");
    CHECK(visible("a\n\x7F") == "a<0x0A><0x7F>");
}

TEST_CASE("the first byte that is not UTF-8 is found") {
    CHECK_FALSE(firstNotUtf8("a\xC3\xA9"));
    CHECK_FALSE(firstNotUtf8(""));
    CHECK(firstNotUtf8("a\xC3\xA9\xE2\x82") == 3);
}
