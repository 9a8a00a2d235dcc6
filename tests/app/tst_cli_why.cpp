#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <string>

#include "cli_support.h"

using namespace headloom::testing;
using nlohmann::json;

TEST_CASE("a score term by term") {
    const Ended ended = cli({"split", "pointer-chain-iha", "--cell", "L1H1.q0k2[50,11]", "--json"});
    CHECK(ended.code == 0);
    const json root = json::parse(ended.out);
    CHECK(root["cell"] == "L1H1.q0k2[50,11]");
    CHECK(root["query_heads"] == json::array({0, 1, 2, 3}));
    REQUIRE(root["terms"].size() == 16);
    double sum = 0, cross = 0, all = 0;
    for (std::size_t at = 0; at < 16; ++at) {
        const double term = root["terms"][at];
        sum += term;
        all += std::abs(term);
        if (at / 4 != at % 4) cross += std::abs(term);
    }
    CHECK(sum == doctest::Approx(root["score"].get<double>()).epsilon(1e-10));  // float64 sums
    CHECK(cross / all == doctest::Approx(root["cross_head_share"].get<double>()).epsilon(1e-10));
    // of all marked keys, so none of them alone, but within what the cells say
    double low = 1, high = 0;
    for (const int key : root["evidence"]) {
        const std::string cell = "L1H1.q0k2[50," + std::to_string(key) + "]";
        const json one =
            json::parse(cli({"split", "pointer-chain-iha", "--cell", cell, "--json"}).out);
        low = std::min(low, one["cross_head_share"].get<double>());
        high = std::max(high, one["cross_head_share"].get<double>());
    }
    CHECK(root["evidence_cross_head_share"] > low);
    CHECK(root["evidence_cross_head_share"] < high);

    // rotated at their tokens, which the plain terms are not
    const json turned =
        json::parse(cli({"split", "four-witnesses-mha", "--cell", "L0H1[9,7]", "--json"}).out);
    CHECK(turned["terms"][0] == turned["score"]);
    CHECK(turned["plain_terms"][0] == turned["plain_score"]);
    CHECK(std::abs(turned["score"].get<double>() - turned["plain_score"].get<double>()) > 0.1);

    const Ended text = cli({"split", "four-witnesses-mha", "--cell", "L0H1[9,7]"});
    CHECK(text.code == 0);
    CHECK(contains(text.out, "cross-head share of this score 0.000"));
    CHECK(contains(text.out, "without rotation the score is"));
}

TEST_CASE("a logit part by part") {
    const Ended ended = cli({"attribute", "pointer-chain-iha", "--step", "1", "--json", "--lens"});
    CHECK(ended.code == 0);
    const json root = json::parse(ended.out);
    double sum = 0, magnitude = 0;
    for (const json& part : root["parts"]) {
        sum += part["adds"].get<double>();
        magnitude += std::abs(part["adds"].get<double>());
    }
    // semantics.md: within 1e-5 of the sum of |parts|
    CHECK(std::abs(sum - root["logit"].get<double>()) < 1e-5 * magnitude);
    CHECK(root["parts"][0]["part"] == "embedding");
    CHECK(root["lens"].size() == 5);  // two layers before and between, and the end
    CHECK(root["lens"].back()["logit"].get<double>() ==
          doctest::Approx(root["logit"].get<double>()).epsilon(1e-5));  // float32 head

    const Ended heads = cli({"attribute", "pointer-chain-iha", "--heads", "--against", "c"});
    CHECK(heads.code == 0);
    CHECK(contains(heads.out, "above that of \"c\""));
    CHECK(contains(heads.out, " L1H0 "));
    CHECK_FALSE(contains(heads.out, "L1H0.q0k0"));

    // a lead is the difference of the two logits, each of them asked for alone
    const auto asked = [](std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), {"attribute", "pointer-chain-iha", "--json"});
        return json::parse(cli(std::move(arguments)).out);
    };
    const json lead = asked({"--against", "c"}), alone = asked({});
    const json run = json::parse(cli({"ablate", "pointer-chain-iha", "--part", "L0H0.q0k0[0,0]",
                                      "--step", "0", "--top", "40", "--json"})
                                     .out);
    double answer = 0, other = 0;
    for (const json& token : run["steps"][0]["top"]) {
        if (token["id"] == alone["token"]) answer = token["before"];
        if (token["id"] == lead["against"]) other = token["before"];
    }
    CHECK(lead["logit"].get<double>() ==
          doctest::Approx(std::log(answer / other)).epsilon(1e-5));  // float32 logits
    CHECK(std::abs(lead["sum"].get<double>() - lead["logit"].get<double>()) <
          1e-4);  // 1e-5 of parts that add up to some 17
}

TEST_CASE("what cannot be explained") {
    const auto sentence = [](std::vector<std::string> arguments) {
        const Ended ended = cli(std::move(arguments));
        CHECK(ended.code == 2);
        CHECK(ended.out.empty());
        return ended.err;
    };
    CHECK(contains(sentence({"split", "relations-iha", "--cell", "L0H0"}), "no single cell"));
    CHECK(contains(sentence({"split", "relations-iha", "--cell", "L0H0[0,999]"}),
                   "there is no token 999"));
    CHECK(contains(sentence({"split", "graph-filter-iha", "--cell", "L0H0[0,0]"}), "graph filter"));
    CHECK(contains(sentence({"attribute", "pointer-chain-iha", "--step", "5"}),
                   "this chain has steps 0 to 4"));
    CHECK(contains(sentence({"attribute", "pointer-chain-iha", "--against", "ab"}),
                   "give a single token"));
}
