#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <fstream>

#include "cli_support.h"

using namespace headloom::testing;
using nlohmann::json;

TEST_CASE("rollout and flow of a row") {
    const Ended ended = cli({"flow", "pointer-chain-iha", "--row", "51", "--json"});
    REQUIRE(ended.code == 0);
    const json root = json::parse(ended.out);
    CHECK(root["row"] == 51);
    REQUIRE(root["rollout"].size() == root["flow"].size());
    REQUIRE(root["tokens"].size() == root["flow"].size());
    double shares = 0;
    for (std::size_t token = 0; token < root["rollout"].size(); ++token) {
        shares += root["rollout"][token].get<double>();
        // a path at a time is a flow that the edges have room for
        CHECK(root["flow"][token].get<double>() >= root["rollout"][token].get<double>() - 1e-9);
        if (token > 51) CHECK(root["flow"][token] == 0);
    }
    CHECK(shares == doctest::Approx(1));
    CHECK(root["rollout"][51].get<double>() >= 0.25);  // half of a half, through two layers
    // the clause of the step has more than its share of 54 tokens
    CHECK(root["evidence"].size() > 0);
    for (const json& token : root["evidence"])
        CHECK(root["rollout"][token.get<std::size_t>()].get<double>() > 0);
}

TEST_CASE("a table to read with its formulas") {
    const Ended ended = cli({"flow", "four-witnesses-mha", "--top", "4"});
    CHECK(ended.code == 0);
    CHECK(contains(ended.out, "what row 19, token \""));
    CHECK(contains(ended.out, "B = (A + I) / 2"));
    CHECK(contains(ended.out, "rollout: row of B_last ... B_1 B_0"));
    CHECK(contains(ended.out, "flow: most that can flow"));
    CHECK(lines(ended.out).size() == 4 + 1 + 1 + 4);  // formulas, gap, headings, tokens
    const Ended rollout = cli({"flow", "four-witnesses-mha", "--rollout"});
    CHECK_FALSE(contains(rollout.out, "flow: most"));

    const TemporaryFolder folder;
    const std::string path = folder / "flow.csv";
    CHECK(cli({"flow", "four-witnesses-mha", "--row", "2", "--csv", path}).code == 0);
    std::ifstream in(path);
    const auto rows = lines(std::string((std::istreambuf_iterator<char>(in)), {}));
    REQUIRE(rows.size() == 1 + 20);
    CHECK(rows[0] == "row,token,text,rollout,flow,evidence");
    CHECK(rows[1].starts_with("2,0,\"0\",0."));
    CHECK(rows[4].ends_with(",0,0,0"));  // a later token
}

TEST_CASE("what has no flow") {
    const auto sentence = [](std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), "flow");
        const Ended ended = cli(std::move(arguments));
        CHECK(ended.code == 2);
        CHECK(ended.out.empty());
        return ended.err;
    };
    CHECK(contains(sentence({"four-witnesses-mha", "--row", "20"}), "there is no row 20"));
    CHECK(contains(sentence({"graph-filter-iha"}), "graph filter"));
}
