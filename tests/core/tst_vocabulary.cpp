#include "core/models/vocabulary.h"

#include <doctest/doctest.h>

using headloom::Vocabulary;

TEST_CASE("a prompt is read by longest match, spaces skipped") {
    const Vocabulary vocabulary({"a", "ab", "=", "é"}, 2);
    CHECK(*vocabulary.encode("ab a=é") == std::vector<int>{1, 0, 2, 3});
    CHECK(vocabulary.encode("")->empty());
    CHECK(vocabulary.decode({1, 2, 9}) == "ab=<9>");
    CHECK(vocabulary.endToken() == 2);
}

TEST_CASE("a foreign character is named whole") {
    const auto ids = Vocabulary({"0", "1"}).encode("0ü1");
    REQUIRE_FALSE(ids);
    CHECK(ids.error().sentence() ==
          "prompt: \"ü\" is not in this model's vocabulary; use only 0 1.");
}

TEST_CASE("a vocabulary survives JSON, and bad JSON does not") {
    const auto again = Vocabulary::fromJson(Vocabulary({"x", "."}, 1).toJson());
    REQUIRE(again);
    CHECK(again->text(1) == ".");
    CHECK(again->endToken() == 1);
    CHECK_FALSE(Vocabulary::fromJson("[1, 2]"));
    CHECK_FALSE(Vocabulary::fromJson(R"({"tokens": [1]})"));
    CHECK_FALSE(Vocabulary::fromJson(R"({"tokens": ["a"], "end": "b"})"));
}
