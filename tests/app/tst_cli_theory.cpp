#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "cli_support.h"

using namespace headloom::testing;
using nlohmann::json;

namespace {

Ended theory(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "theory");
    return cli(arguments);
}

json jsonOf(const std::vector<std::string>& arguments) {
    const Ended ended = theory(arguments);
    CAPTURE(ended.err);
    REQUIRE(ended.code == 0);
    return json::parse(ended.out);
}

/// What is refused, having checked that it is one line on stderr with exit code 2.
std::string refusal(const std::vector<std::string>& arguments) {
    const Ended ended = theory(arguments);
    CHECK(ended.code == 2);
    CHECK(ended.out.empty());
    CHECK(std::count(ended.err.begin(), ended.err.end(), '\n') == 1);
    const std::string name = "headloom-cli: ";
    CHECK(ended.err.starts_with(name));
    return ended.err.substr(name.size(), ended.err.size() - name.size() - 1);
}

}  // namespace

TEST_CASE("every part of theory explains itself") {
    for (const char* part : {"polynomial", "cpm3", "containment", "cost", "errata", "look-back"}) {
        CAPTURE(part);
        const Ended ended = theory({part, "--help"});
        CHECK(ended.code == 0);
        CHECK(contains(ended.out, std::string("Usage: headloom-cli theory ") + part));
        for (const std::string& line : lines(ended.out)) CHECK(line.size() <= 100);
        CHECK(contains(theory({"--help"}).out, part));
    }
    CHECK(refusal({}) == "A subcommand is required; see \"headloom-cli theory --help\".");
}

TEST_CASE("the bank of k = 5 filters on 12 nodes") {
    const json root =
        jsonOf({"polynomial", "--k", "5", "--n", "12", "--d", "2", "--graph", "ring", "--json"});
    CHECK(root["k"] == 5);
    CHECK(root["n"] == 12);
    CHECK(root["d"] == 2);
    CHECK(root["mha"]["heads"] == 5);
    CHECK(root["mha"]["parameters"] == 2 * 12 * 14 * 5 + 2 * 14 * 5);
    CHECK(root["iha"]["heads"] == 3);
    CHECK(root["iha"]["parameters"] == 2 * 12 * 14 * 3 + 2 * 14 * 9 + 4 * 27);
    // float64 on the reference backend: some roundings of 1e-16
    CHECK(root["mha"]["max_error"].get<double>() < 1e-14);
    CHECK(root["iha"]["max_error"].get<double>() < 1e-14);
    const Ended text = theory({"polynomial", "--k", "4", "--n", "8", "--heads", "2"});
    CHECK(text.code == 0);
    for (const char* part : {"k = 4, N = 8, d = 1", "MHA      4             1         612",
                             "the best fit misses 0.5000", "bound 0.5000 for every signal",
                             "The smaller one changes at k = 3"})
        CHECK_MESSAGE(contains(text.out, part), part, " in ", text.out);
}

TEST_CASE("a graph from a file") {
    const TemporaryFolder folder;
    const std::string file = folder / "edges.csv";
    std::ofstream(file) << "from,to\n0,1\n1,2\n2,3\n";
    const json root = jsonOf({"polynomial", "--k", "3", "--graph", file, "--json"});
    CHECK(root["n"] == 4);
    CHECK(root["iha"]["max_error"].get<double>() < 1e-14);
    CHECK(jsonOf({"polynomial", "--k", "3", "--n", "6", "--graph", file, "--json"})["n"] == 6);
    CHECK(
        refusal({"polynomial", "--k", "4", "--graph", file}).starts_with("k d < N: k d = 4 x 1 "));
    std::ofstream(file) << "0,one\n";
    CHECK(refusal({"polynomial", "--graph", file})
              .starts_with(file + ", line 1: \"one\" is no node number; "));
}

TEST_CASE("what cannot be had is one sentence") {
    CHECK(refusal({"polynomial", "--k", "20"}).starts_with("k d < N: k d = 20 x 1 = 20 is not "));
    CHECK(refusal({"polynomial", "--k", "0"}) == "filters k: 0 cannot be had; use 1 to 64.");
    CHECK(refusal({"polynomial", "--n", "2000000000"}) ==
          "nodes N: 2000000000 cannot be had; use 2 to 128.");
    CHECK(refusal({"polynomial", "--graph", "cube"}) ==
          "--graph: \"cube\" is neither a graph nor a file; use shift, path, ring, random, "
          "small-world or a list of edges.");
    CHECK(refusal({"polynomial", "--k", "4", "--heads", "5"}) ==
          "--heads: 5 cannot be had; use 1 to k = 4.");
    CHECK(refusal({"polynomial", "--k", "many"}).starts_with("Could not convert: --k = many; "));
}

// x = 1: 1 + 3a + b is 5, 6, 8, 9 over (1,1), (1,2), (2,1), (2,2): one of them by 4. x = 2: none.
TEST_CASE("pairs of a sequence, counted by both constructions") {
    const json root = jsonOf({"cpm3", "--sequence", "1,2", "--g", "3", "--m", "4", "--json"});
    CHECK(root["n"] == 2);
    CHECK(root["g"] == 3);
    CHECK(root["m"] == 4);
    CHECK(root["sequence"] == json({1, 2}));
    CHECK(root["order_sensitive"] == true);
    for (const json& counts :
         {root["counts"], root["expected"], root["mha"]["counts"], root["iha"]["counts"]})
        CHECK(counts == json({1, 0}));
    CHECK(root["mha"]["heads"] == 2);
    CHECK(root["iha"]["heads"] == 2);
    CHECK(root["iha"]["pseudo"] == 2);
    const json longer = jsonOf({"cpm3", "--sequence", "3 1 4 1 5 9 2 6 5 3", "--json"});
    CHECK(longer["mha"]["heads"] == 10);
    CHECK(longer["iha"]["heads"] == 4);
    CHECK(longer["counts"] == longer["expected"]);
}

TEST_CASE("what is known of CPM-3 is said, and no more") {
    const Ended text = theory({"cpm3", "--sequence", "1,2,3", "--g", "9", "--m", "4"});
    CHECK(text.code == 0);
    CHECK(contains(text.out, "the best known, not proved to be needed"));
    CHECK(contains(text.out, "G mod M = 1: not order-sensitive"));
    for (const std::string& line : lines(text.out)) CHECK(line.size() <= 100);
    CHECK(!contains(theory({"cpm3", "--sequence", "1,2,3"}).out, "G mod M = 1"));
}

TEST_CASE("what cannot be counted is one sentence") {
    CHECK(refusal({"cpm3"}) == "--sequence is required; see \"headloom-cli theory cpm3 --help\".");
    const auto refused = [](const char* x, const char* g, const char* m) {
        return refusal({"cpm3", "--sequence", x, "--g", g, "--m", m});
    };
    CHECK(
        refused("1,two", "10", "4").starts_with("sequence, symbol 1: \"two\" is no such number; "));
    CHECK(refused("1,-2", "10", "4") == "sequence, symbol 1: -2 cannot be had; use 0 to 999.");
    CHECK(refused(" ", "10", "4").starts_with("sequence: has no symbols; "));
    CHECK(refused("1", "10000", "4") == "G: 10000 cannot be had; use 0 to 9999.");
    CHECK(refused("1", "10", "0") == "M: 0 cannot be had; use 1 to 9999.");
    CHECK(refused("1", "10", "four").starts_with("Could not convert: --m = four; "));
    std::string longest = "1";
    for (int i = 0; i < 20'000; ++i) longest += ",1";
    CHECK(refused(longest.c_str(), "10", "4") ==
          "sequence: 20001 symbols are too many; use 1 to 64.");
}

TEST_CASE("where IHA is MHA, and the witness that it is more") {
    const json root = jsonOf({"containment", "--pseudo", "2", "--json"});
    CHECK(root["pseudo"] == 2);
    REQUIRE(root["rows"].size() == 4 * 9 * 2);
    const auto row = [&](const char* mask, const char* positions, const char* score, int selected) {
        for (const json& one : root["rows"])
            if (one["mask"] == mask && one["positions"] == positions && one["score"] == score &&
                one["selected"] == selected)
                return one;
        return json();
    };
    // float64 on the reference backend: some roundings of 1e-16 beside other models
    const json last = row("flat", "token", "softmax", 1),
               first = row("flat", "token", "softmax", 0);
    CHECK(last["mha"] == true);
    CHECK(last["difference"].get<double>() < 1e-13);
    CHECK(first["mha"] == false);
    CHECK(first["difference"].get<double>() > 1e-3);
    CHECK(row("token", "none", "softmax", 0)["mha"] == true);
    CHECK(row("none", "virtual", "hard", 1)["mha"] == false);
    CHECK(row("token", "token", "linear", 0)["weight"] == 0.5);  // the one that is MHA comes first
    CHECK(row("token", "token", "linear", 0)["mha"] == true);
    for (const json& one : root["rows"]) CHECK(one["mha"] == one["by_the_rule"]);
    REQUIRE(root["witness"].size() == 9);
    CHECK(root["witness"][5]["s"] == 1.0);
    CHECK(std::abs(root["witness"][5]["corrected"].get<double>() - std::tanh(1.0)) < 1e-14);
    CHECK(std::abs(root["witness"][5]["printed"].get<double>() - 1) < 1e-14);
    const Ended text = theory({"containment"});
    CHECK(text.code == 0);
    for (const char* part : {"MHA at the last p only", "not MHA", "0.761594"})
        CHECK_MESSAGE(contains(text.out, part), part, " in ", text.out);
    for (const std::string& line : lines(text.out)) CHECK(line.size() <= 100);
    CHECK(refusal({"containment", "--pseudo", "0"}) ==
          "pseudo-heads P: 0 cannot be had; use 1 to 6.");
    CHECK(refusal({"containment", "--pseudo", "1000000000"}) ==
          "pseudo-heads P: 1000000000 cannot be had; use 1 to 6.");
}

TEST_CASE("the witness for the user's s and v") {
    const json root =
        jsonOf({"containment", "--pseudo", "1", "--s", "-1.5,0.25", "--v", "-2", "--json"});
    CHECK(root["witness_v"] == -2);
    REQUIRE(root["witness"].size() == 2);
    const json& first = root["witness"][0];
    CHECK(first["s"] == -1.5);
    CHECK(std::abs(first["corrected"].get<double>() + 2 * std::tanh(-1.5)) < 1e-14);
    CHECK(std::abs(first["printed"].get<double>() + 2) < 1e-14);
    CHECK(std::abs(first["mha"].get<double>() + 2) < 1e-14);
    const Ended text = theory({"containment", "--pseudo", "1", "--s", "0.125", "--v", "10"});
    CHECK(text.code == 0);
    // 10 tanh(1/8)
    for (const char* part : {"(s, 1, v), v = 10,", "0.125", "1.243530", "10.000000"})
        CHECK_MESSAGE(contains(text.out, part), part, " in ", text.out);
    const auto refused = [](const char* option, const char* value) {
        return refusal({"containment", option, value});
    };
    CHECK(refused("--s", "101") == "s: 101 cannot be had; use -100 to 100.");
    CHECK(refused("--s", "1,nan") == "s: nan cannot be had; use -100 to 100.");
    CHECK(refused("--v", "-1e9") == "v: -1000000000 cannot be had; use -1000 to 1000.");
    CHECK(refused("--v", "much").starts_with("Could not convert: --v = much; "));
    const std::string help = theory({"containment", "--help"}).out;
    for (const char* part : {"--s S[,S..]", "--v V", "up to 100 either way", "(default 1)"})
        CHECK_MESSAGE(contains(help, part), part, " in ", help);
}

// L = 10, N = 1024, H = 8, d = 64, D = 512, P = 2, W = 1024/8
TEST_CASE("what attention costs, with the formula and the numbers in it") {
    const json root = jsonOf({"cost", "--json"});
    CHECK(root["window"] == 128);
    REQUIRE(root["arms"].size() == 5);
    const json& mha = root["arms"][0];
    CHECK(mha["name"] == "mha");
    CHECK(mha["parameters"]["value"] == 10 * 4 * 512 * 512);
    CHECK(mha["parameters"]["formula"] == "4 L D^2");
    CHECK(mha["parameters"]["numbers"] == "4 x 10 x 512^2");
    CHECK(root["arms"][2]["mixing_parameters"]["value"] == 4 * 10 * 64 * 2);
    CHECK(root["arms"][4]["pairs"]["Ei"]["value"] == 4 * 1024 * 128);
    const json other = jsonOf(
        {"cost",       "--json", "--n",     "64", "--h",        "4",        "--g",      "1",
         "--p",        "4",      "--d",     "8",  "--layers",   "3",        "--window", "5",
         "--schedule", "2",      "--bytes", "4",  "--collapse", "per-head", "--pairs",  "causal"});
    CHECK(other["arms"][1]["cache_bytes"]["value"] == 2 * 3 * 64 * 1 * 8 * 4);
    CHECK(other["arms"][4]["plain_layers"] == 1);
    CHECK(other["arms"][4]["mixing_parameters"]["value"] == 2 * (3 * 16 * 4 + 4 * 4));
    CHECK(other["arms"][3]["cache_bytes"]["numbers"] == "2 x 3 x 5 x 4 x 8 x 4");
    CHECK(other["arms"][0]["score_entries"]["value"] == 3 * 4 * (64 * 65 / 2));
    const Ended text = theory({"cost"});
    CHECK(text.code == 0);
    for (const char* part : {"W = 128 tokens = N/(2 P^2), the paper's rule", "IHA 4:1: Li = 8 ",
                             "= 4 x 10 x 512^2\n", "= 10485760\n", "see --pairs causal"})
        CHECK_MESSAGE(contains(text.out, part), part, " in ", text.out);
    CHECK(!contains(theory({"cost", "--pairs", "causal"}).out, "see --pairs causal"));
}

TEST_CASE("the paper's model asks for the P that is not published") {
    CHECK(refusal({"cost", "--preset", "paper-2.4b"}) ==
          "--p: is needed with the preset paper-2.4b: the paper does not publish how many "
          "pseudo-heads its model has; give it, such as --p 4.");
    const json root = jsonOf({"cost", "--preset", "paper-2.4b", "--p", "4", "--json"});
    CHECK(root["n"] == 8192);
    CHECK(root["window"] == 256);
    CHECK(root["arms"][0]["parameters"]["value"] == 26 * 4 * 2560 * 2560);
}

TEST_CASE("the paper's tables come with source and caveats") {
    const Ended text = theory({"cost", "--tables"});
    CHECK(text.code == 0);
    for (const char* part : {"34.3 +- 1.3", "differential", "arXiv 2602.21371v1", "112.0",
                             "the abstract says 10 to 20 %"})
        CHECK_MESSAGE(contains(text.out, part), part, " in ", text.out);
    for (const std::string& line : lines(text.out)) CHECK(line.size() <= 100);
    const json root = jsonOf({"cost", "--tables", "--json"});
    CHECK(root[0]["rows"][0]["values"] == json({34.3, 54.2, 10.0, 18.4}));
    CHECK(root[2]["caveats"].size() == 3);
}

TEST_CASE("what cannot be costed is one sentence") {
    CHECK(refusal({"cost", "--n", "0"}) == "tokens N: 0 cannot be had; use 1 to 16777216.");
    CHECK(refusal({"cost", "--p", "0"}).starts_with("pseudo-heads P: how many there are "));
    CHECK(refusal({"cost", "--n", "99999999999999999999999"})
              .starts_with("tokens N: 9223372036854775807 cannot be had; "));
    CHECK(refusal({"cost", "--n", "16777216", "--p", "1024"})
              .starts_with("pairs of IHA: 1024^2 x 16777216^2 is more than is counted here"));
    CHECK(refusal({"cost", "--collapse", "half"}) ==
          "collapse: \"half\" is not known; use full or per-head.");
    CHECK(refusal({"cost", "--pairs", "some"}) ==
          "pairs: \"some\" is not known; use all or causal.");
    CHECK(refusal({"cost", "--preset", "paper"}) ==
          "--preset: \"paper\" is not known; use paper-2.4b.");
}

TEST_CASE("the look-back bank: what each arm's maps carry, and what they mix to") {
    const json root = jsonOf({"look-back", "--examples", "5", "--evaluate", "50", "--json"});
    CHECK(root["looks_back"] == 4);
    CHECK(root["maps"] == "effective");
    REQUIRE(root["arms"].size() == 4);
    for (const json& arm : root["arms"]) {
        CAPTURE(arm.dump());
        const bool interleaved = arm["pseudo"] == 2;
        const int heads = arm["heads"];
        CHECK(arm["maps"].size() == static_cast<std::size_t>(interleaved ? heads * heads : heads));
        CHECK(arm["parameters"] == (interleaved ? 5504 : 5472));
        double sum = 0;
        for (const json& mix : arm["mixes"]) sum += mix["share"].get<double>();
        CHECK((sum > 3.9) == interleaved);  // of 4; MHA has at most 2.2
        for (const json& map : arm["maps"]) {
            double shares = 0;
            for (const json& share : map["shares"]) shares += share.get<double>();
            CHECK(shares == doctest::Approx(1));
            CHECK(map["weights"].size() == 16);
        }
    }
    CHECK(contains(root["verdict"].get<std::string>(), "one seed says little"));
}

TEST_CASE("the look-back bank in words, of models that are named") {
    const Ended text = theory({"look-back", "--model", "look-back-bank-iha", "--maps", "queries",
                               "--examples", "5", "--evaluate", "50"});
    CHECK(text.code == 0);
    for (const char* part : {"every token names the 4 before it", "L0H0.q1", "1 back, 0.98",
                             "H maps mix to H offsets at most", "fewer heads suffice"})
        CHECK_MESSAGE(contains(text.out, part), part, " in ", text.out);
    CHECK(!contains(text.out, "one seed"));  // nothing to compare with
    for (const std::string& line : lines(text.out)) CHECK(line.size() <= 140);
    CHECK(refusal({"look-back", "--model", "four-witnesses-iha"}) ==
          "four-witnesses-iha: was not trained on the look-back bank; give a model of the task "
          "look-back-bank.");
    CHECK(refusal({"look-back", "--examples", "0"}).starts_with("--examples: "));
    CHECK(refusal({"look-back", "--maps", "all"}).starts_with("--maps: "));
}
