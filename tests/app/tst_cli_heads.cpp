#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <fstream>
#include <set>

#include "cli_support.h"

using namespace headloom::testing;
using nlohmann::json;

namespace {

json headsOf(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "heads");
    arguments.emplace_back("--json");
    const Ended ended = cli(std::move(arguments));
    REQUIRE(ended.code == 0);
    return json::parse(ended.out);
}

}  // namespace

TEST_CASE("all heads and tiles, in order") {
    const json root = headsOf({"pointer-chain-iha", "--sort", "previous-token"});
    REQUIRE(root["heads"].size() == 2 * 4 * (1 + 16));
    for (std::size_t i = 1; i < root["heads"].size(); ++i)
        CHECK(root["heads"][i - 1]["previous-token"].get<double>() >=
              root["heads"][i]["previous-token"].get<double>());
    std::set<std::string> parts;
    for (const json& head : root["heads"]) {
        parts.insert(head["part"]);
        CHECK(head["evidence"].get<double>() <= 1.0001);  // float32 rows
        CHECK(head["cross-head"].get<double>() <= 1);
    }
    CHECK(parts.size() == root["heads"].size());
    CHECK(parts.count("L1H3.q2k0") == 1);

    const json least = headsOf(
        {"pointer-chain-iha", "--sort", "entropy", "--ascending", "--heads", "--layer", "1"});
    REQUIRE(least["heads"].size() == 4);
    CHECK(least["layers"].size() == 1);
    CHECK(least["heads"][0]["entropy"].get<double>() <= least["heads"][3]["entropy"].get<double>());
    CHECK(least["heads"][0]["part"].get<std::string>().starts_with("L1H"));
}

TEST_CASE("alike patterns stand together in one cluster") {
    const json root = headsOf({"pointer-chain-iha", "--layer", "0", "--similar", "0.9"});
    const json& layer = root["layers"][0];
    CHECK(layer["count"] == 64);
    REQUIRE(layer["patterns"].size() == 64);
    int seen = -1;
    for (std::size_t a = 0; a < 64; ++a) {
        const int cluster = layer["patterns"][a]["cluster"];
        if (cluster >= 0) CHECK(cluster <= seen + 1);
        seen = std::max(seen, cluster);
        for (std::size_t b = 0; b < 64; ++b)
            if (a != b && cluster >= 0 && layer["patterns"][b]["cluster"] == cluster)
                CHECK(layer["similarity"][a][b].get<double>() > 0.9);
    }
    CHECK(layer["distinct"] == seen + 1);
    CHECK(seen + 1 < 64);
    CHECK(headsOf({"pointer-chain-iha", "--layer", "0", "--dead", "2"})["layers"][0]["dead"] == 64);
    CHECK(headsOf({"pointer-chain-iha", "--maps", "effective"})["layers"][1]["patterns"].size() ==
          16);
}

TEST_CASE("a list to read, and one to compute with") {
    const Ended text = cli({"heads", "four-witnesses-iha", "--sort", "evidence", "--top", "3"});
    CHECK(text.code == 0);
    CHECK(contains(text.out, "by evidence, most first, 3 of 10"));
    CHECK(contains(text.out, "L0: 8 tiles, "));
    CHECK(contains(text.out, "a cosine above 0.95, dead with a mass below 0.01"));
    // two parts that are alike at any threshold
    CHECK(contains(cli({"heads", "four-witnesses-mha", "--similar", "-1"}).out,
                   "L0: 2 tiles, 1 distinct, 0 dead"));
    CHECK(contains(cli({"heads", "four-witnesses-mha", "--similar", "-1"}).out, "  alike: L0H"));

    const TemporaryFolder folder;
    const std::string path = folder / "heads.csv";
    CHECK(cli({"heads", "four-witnesses-iha", "--csv", path, "--prompt", "012345"}).code == 0);
    std::ifstream in(path);
    const std::string csv((std::istreambuf_iterator<char>(in)), {});
    const auto rows = lines(csv);
    REQUIRE(rows.size() == 1 + 10);
    CHECK(rows[0] ==
          "part,layer,head,query_pseudo,key_pseudo,induction,previous-token,duplicate-token,"
          "first-token,evidence,entropy,mass,cross-head");
    CHECK(rows[1].starts_with("L0H0,0,0,,,,0."));  // no token comes twice: no induction
    CHECK(rows[2].starts_with("L0H0.q0k0,0,0,0,0,,0."));
}

TEST_CASE("what cannot be looked for") {
    const auto sentence = [](std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), "heads");
        const Ended ended = cli(std::move(arguments));
        CHECK(ended.code == 2);
        CHECK(ended.out.empty());
        return ended.err;
    };
    CHECK(contains(sentence({"relations-iha", "--sort", "beauty"}), "--sort"));
    CHECK(contains(sentence({"relations-iha", "--layer", "9"}), "there is no layer 9"));
    CHECK(contains(sentence({"relations-iha", "--similar", "2"}), "--similar"));
    CHECK(contains(sentence({"relations-iha", "--ascending"}), "--sort"));
    CHECK(contains(sentence({"graph-filter-iha"}), "graph filter"));
}
