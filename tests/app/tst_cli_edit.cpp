#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "cli_support.h"

using namespace headloom::testing;
using nlohmann::json;

namespace {

json steps(std::vector<std::string> edits) {
    edits.insert(edits.begin(), {"run", "four-witnesses-iha", "--example", "1", "--json"});
    const Ended ended = cli(edits);
    REQUIRE(ended.code == 0);
    return json::parse(ended.out)["steps"];
}

}  // namespace

TEST_CASE("a weight set to 0 is the same as the weight switched off") {
    const Ended off = cli({"ablate", "four-witnesses-iha", "--part", "L0.alphaQ[1,0,0]", "--json"});
    const Ended set = cli({"ablate", "four-witnesses-iha", "--weight", "alphaQ[1,0,0]=0", "--part",
                           "L0.alphaQ[1,0,0]", "--json"});
    REQUIRE(off.code == 0);
    REQUIRE(set.code == 0);
    const json before = json::parse(off.out)["steps"], after = json::parse(set.out)["steps"];
    REQUIRE(before.size() == after.size());
    bool moved = false;
    for (std::size_t step = 0; step < before.size(); ++step) {
        const json& answer = before[step]["top"][0];
        for (const json& same : after[step]["top"])
            if (same["id"] == answer["id"]) {
                CHECK(same["before"] == answer["after"]);  // already off
                CHECK(same["after"] == answer["after"]);
                moved = moved || answer["before"] != answer["after"];
            }
    }
    CHECK(moved);
}

TEST_CASE("mixings between two that are known") {
    const json trained = steps({});
    CHECK(steps({"--mixing", "trained"}) == trained);
    CHECK(steps({"--mix-to", "identity", "--mix-at", "0"}) == trained);
    const json identity = steps({"--mixing", "identity"});
    CHECK(identity != trained);
    CHECK(steps({"--mix-from", "random:3", "--mix-to", "identity"}) == identity);
    const json half = steps({"--mix-to", "identity", "--mix-at", "0.5"});
    CHECK(half != trained);
    CHECK(half != identity);
    CHECK(steps({"--mixing", "random:3"}) == steps({"--mixing", "random:3"}));
    CHECK(steps({"--mixing", "random:3"}) != steps({"--mixing", "random:4"}));
}

TEST_CASE("edits are measured, and named in what is printed") {
    const Ended whole = cli({"eval", "four-witnesses-iha", "--examples", "40", "--json"});
    const Ended edited = cli({"eval", "four-witnesses-iha", "--examples", "40", "--mixing",
                              "uniform", "--weight", "R[0,0]=1", "--json"});
    REQUIRE(whole.code == 0);
    REQUIRE(edited.code == 0);
    const json before = json::parse(whole.out), after = json::parse(edited.out);
    CHECK(before["model"] == "four-witnesses-iha");
    CHECK(after["model"] == "four-witnesses-iha with mixing uniform, R[0,0]=1");
    CHECK(after["free_running"]["exact"] < before["free_running"]["exact"]);
    const Ended text = cli({"heads", "four-witnesses-iha", "--mix-to", "identity"});
    CHECK(contains(text.out,
                   "four-witnesses-iha with mixing 1 of the way from trained to "
                   "identity"));
}

TEST_CASE("edits that cannot be made") {
    const auto sentence = [](std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), "run");
        const Ended ended = cli(arguments);
        CHECK(ended.code != 0);
        CHECK(ended.out.empty());
        return ended.err;
    };
    CHECK(contains(sentence({"four-witnesses-iha", "--weight", "alphaQ[9,0,0]=1"}), "--weight"));
    CHECK(contains(sentence({"four-witnesses-iha", "--weight", "alphaQ[0,0,0]"}), "--weight"));
    CHECK(contains(sentence({"four-witnesses-iha", "--weight", "alphaQ[0,0,0]=nan"}), "finite"));
    CHECK(contains(sentence({"four-witnesses-iha", "--mixing", "shuffled"}), "--mixing"));
    CHECK(contains(sentence({"four-witnesses-iha", "--mix-to", "identity", "--mix-at", "2"}),
                   "--mix-at"));
    CHECK(contains(sentence({"four-witnesses-iha", "--mix-at", "0.5"}), "--mix-to"));
    CHECK(contains(sentence({"four-witnesses-mha", "--mixing", "identity"}), "--mixing"));
}
