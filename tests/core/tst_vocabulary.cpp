#include "core/models/vocabulary.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using headloom::Vocabulary;

TEST_CASE("a prompt is read by longest match, spaces skipped") {
    const Vocabulary vocabulary({"a", "ab", "=", "é"}, 2);
    CHECK(*vocabulary.encode("ab a=é") == std::vector<int>{1, 0, 2, 3});
    CHECK(vocabulary.encode("")->empty());
    CHECK(vocabulary.decode({1, 2, 9}) == "ab=<9>");
    CHECK(vocabulary.endToken() == 2);
}

// 3 tokens: sums of two are numbered from 3, of three from 12; b+c is (1 + 1) * 3 + 2.
TEST_CASE("several tokens at one position are one number") {
    const Vocabulary vocabulary({"a", "b", "c"}, -1, 3);
    CHECK(vocabulary.size() == 3);
    CHECK(vocabulary.sumOf({2}) == 2);
    CHECK(vocabulary.sumOf({0, 0}) == 3);
    CHECK(vocabulary.sumOf({1, 2}) == 8);
    CHECK(vocabulary.sumOf({0, 0, 0}) == 12);
    CHECK(vocabulary.sumOf({2, 2, 2}) == 38);
    for (int number = 0; number < 39; ++number)
        CHECK(vocabulary.sumOf(vocabulary.parts(number)) == number);
    CHECK(vocabulary.parts(8) == std::vector<int>{1, 2});
    CHECK(vocabulary.holds(38));
    CHECK_FALSE(vocabulary.holds(39));
    CHECK_FALSE(vocabulary.holds(-1));
    CHECK(vocabulary.parts(39) == std::vector<int>{39});
    CHECK(vocabulary.text(8) == "b+c");
    CHECK(vocabulary.text(39) == "<39>");
    CHECK_FALSE(Vocabulary({"a", "b", "c"}).holds(3));
    CHECK(Vocabulary({"a", "b", "c"}).text(3) == "<3>");
}

TEST_CASE("tokens that share a position are joined by +") {
    const Vocabulary vocabulary({"a", "b", "c"}, -1, 3);
    CHECK(*vocabulary.encode("a b+c") == std::vector<int>{0, 8});
    CHECK(*vocabulary.encode("b + cb+ c") == std::vector<int>{8, 8});
    CHECK(vocabulary.decode(*vocabulary.encode("c+c+ca")) == "c+c+ca");
    CHECK(vocabulary.encode("a+").error().what == "nothing follows the last \"+\"");
    CHECK(vocabulary.encode("a++b").error().what == "\"+\" is not in this model's vocabulary");
    CHECK(vocabulary.encode("+a").error().what == "\"+\" is not in this model's vocabulary");
    CHECK(vocabulary.encode("a+a+a+a").error().sentence() ==
          "prompt: 4 tokens cannot share a position; join at most 3.");
    CHECK(Vocabulary({"a", "b"}).encode("a+b").error().what ==
          "\"+\" is not in this model's vocabulary");
    // where + is a token, it is one
    CHECK(*Vocabulary({"a", "+"}).encode("a+a") == std::vector<int>{0, 1, 0});
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
    CHECK(Vocabulary::fromJson(Vocabulary({"x"}, -1, 3).toJson())->text(1) == "x+x");
    CHECK(Vocabulary({"x"}).toJson() == R"({"end":-1,"tokens":["x"]})");
    for (const char* summed : {"0", "-1", "2.5", "17", "\"2\"", "1e99"})
        CHECK_FALSE(
            Vocabulary::fromJson(std::string(R"({"tokens": ["a"], "summed": )") + summed + "}"));
    // 2,000 tokens have 8 * 10^9 sums of three
    std::string many = R"({"tokens": ["a")";
    for (int i = 1; i < 2000; ++i) many += R"(, "a")";
    CHECK(Vocabulary::fromJson(many + R"(], "summed": 2})"));
    CHECK_FALSE(Vocabulary::fromJson(many + R"(], "summed": 3})"));
    CHECK_FALSE(Vocabulary::fromJson("[1, 2]"));
    CHECK_FALSE(Vocabulary::fromJson(R"({"tokens": [1]})"));
    CHECK_FALSE(Vocabulary::fromJson(R"({"tokens": ["a"], "end": "b"})"));
}
