#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <cmath>

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
    CHECK(root.contains("evidence_cross_head_share"));

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
                   "this chain has 5 of them, counted from 0"));
    CHECK(contains(sentence({"attribute", "pointer-chain-iha", "--against", "ab"}),
                   "give a single token"));
}
