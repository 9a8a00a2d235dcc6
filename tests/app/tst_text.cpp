#include "app/cli/text.h"

#include <doctest/doctest.h>

using namespace headloom::cli;

TEST_CASE("a table aligns code points, and leaves its last column ragged") {
    Table table({"step", "token", "what"});
    table.add({"0", "\xC3\xA9", "first"});
    table.add({"10", "abcdef", "x"});
    CHECK(table.text() ==
          "step   token  what\n"
          "   0       \xC3\xA9  first\n"
          "  10  abcdef  x\n");
}
