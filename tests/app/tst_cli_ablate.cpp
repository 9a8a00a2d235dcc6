#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <cmath>

#include "cli_support.h"

using namespace headloom::testing;
using nlohmann::json;

TEST_CASE("a part that is off, as text and as JSON") {
    const Ended text = cli({"ablate", "pointer-chain-iha", "--part", "L0H2", "--part", "L1H1.q0k0",
                            "--step", "0", "--top", "2"});
    CHECK(text.code == 0);
    CHECK(contains(text.out, "pointer-chain-iha without L0H2: zero; L1H1.q0k0: zero"));
    CHECK(contains(text.out, "< is the true token"));

    const Ended ended =
        cli({"ablate", "pointer-chain-iha", "--part", "L0H2", "--json", "--top", "3"});
    CHECK(ended.code == 0);
    const json root = json::parse(ended.out);
    CHECK(root["ablation"] == json::array({"L0H2: zero"}));
    REQUIRE(root["steps"].size() == 5);
    const json& first = root["steps"][0];
    CHECK(first["top"][0]["id"] == first["answer"]);
    CHECK(first["top"][0]["rank_before"] == 0);
    CHECK(first["top"][0]["before"] > first["top"][0]["after"]);
}

TEST_CASE("parts in the order of what they cost") {
    const Ended ended =
        cli({"ablate", "pointer-chain-iha", "--rank", "tiles", "--layer", "1", "--json"});
    CHECK(ended.code == 0);
    const json root = json::parse(ended.out);
    REQUIRE(root["ranking"].size() == 64);
    for (std::size_t i = 1; i < 64; ++i)
        CHECK(root["ranking"][i]["log_ratio"] >= root["ranking"][i - 1]["log_ratio"]);
    const Ended few = cli({"ablate", "pointer-chain-iha", "--rank", "weights", "--top", "3"});
    CHECK(few.code == 0);
    CHECK(lines(few.out).size() == 6);  // what it is, a line between, the head of the table, three
}

TEST_CASE("a prompt patched with itself loses nothing, with another one it does") {
    const auto probability = [](const char* other) {
        const Ended ended = cli({"ablate", "pointer-chain-iha", "--part", "L1", "--with", "other",
                                 "--other-example", other, "--step", "0", "--top", "1", "--json"});
        REQUIRE(ended.code == 0);
        const json top = json::parse(ended.out)["steps"][0]["top"][0];
        return top["after"].get<double>() - top["before"].get<double>();
    };
    CHECK(std::abs(probability("0")) < 1e-6);  // float32 rounding of residual differences
    CHECK(probability("3") < -0.1);
}

TEST_CASE("what cannot be switched off") {
    const auto sentence = [](std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), {"ablate", "pointer-chain-iha"});
        const Ended ended = cli(arguments);
        CHECK(ended.code == 2);
        CHECK(ended.out.empty());
        return ended.err;
    };
    CHECK(sentence({}) ==
          "headloom-cli: ablate: nothing is to be switched off; give either --part "
          "or --rank.\n");
    CHECK(contains(sentence({"--part", "L0", "--rank", "heads"}), "two questions"));
    CHECK(contains(sentence({"--part", "head 3"}), "names no part of a model"));
    CHECK(contains(sentence({"--part", "L0H7"}), "there is no head 7"));
    CHECK(contains(cli({"ablate", "relations-iha", "--part", "L0.mlp"}).err, "has no MLP"));
    CHECK(contains(cli({"ablate", "relations-iha", "--rank", "mlps"}).err, "has no mlps"));
    CHECK(contains(sentence({"--rank", "heads", "--layer", "2"}), "there is no layer 2"));
    CHECK(contains(sentence({"--rank", "heads", "--step", "5"}), "steps 0 to 4"));
    CHECK(contains(sentence({"--part", "L0", "--with", "other"}), "no other prompt"));
    CHECK(contains(sentence({"--part", "L0", "--with", "other", "--other-prompt", "a=b;"}),
                   "give a prompt of the same length"));
    CHECK(contains(sentence({"--part", "L0", "--at", "999"}), "there is no token 999"));
}
