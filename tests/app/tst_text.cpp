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

TEST_CASE("long lines are wrapped between words") {
    CHECK(wrapped("- one  two", 2) == "- one two\n");
    const std::string word(50, 'x');
    CHECK(wrapped("- " + word + " " + word, 2) == "- " + word + "\n  " + word + "\n");
}
