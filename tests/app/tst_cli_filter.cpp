#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <sstream>

#include "cli_support.h"

using namespace headloom::testing;
using nlohmann::json;

namespace {

/// What is refused, having checked that it is one line on stderr with exit code 2.
std::string refusal(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "filter");
    const Ended ended = cli(arguments);
    CHECK(ended.code == 2);
    CHECK(ended.out.empty());
    CHECK(std::count(ended.err.begin(), ended.err.end(), '\n') == 1);
    const std::string name = "headloom-cli: ";
    CHECK(ended.err.starts_with(name));
    return ended.err.substr(name.size(), ended.err.size() - name.size() - 1);
}

}  // namespace

TEST_CASE("a table with the floor, a line a seed and what came of them") {
    const Ended ended = cli({"filter", "--k", "2", "--nodes", "4", "--dim", "1", "--heads", "1",
                             "--steps", "50", "--seeds", "2", "--restart", "1"});
    CHECK(ended.code == 0);
    CHECK(ended.err.empty());
    for (const char* part :
         {"shift filter, k = 2, N = 4, d = 1: MHA, 1 head, 38 parameters, 50 steps of 16 samples\n",
          "predicting zero: 1; floor of MHA with H = 1: 0.5000 +- ", "seed  relative MSE",
          " at step 30, starts again as seed 1001\n", "1, kept seed 1000\n",
          "0 of 2 seeds end below the floor by more than 5 deviations.\n"})
        CHECK_MESSAGE(ended.out.find(part) != std::string::npos, part, " in ", ended.out);
}

TEST_CASE("one JSON object a seed") {
    const Ended ended =
        cli({"filter", "--pseudo", "2", "--graph", "path", "--steps", "20", "--seed", "5",
             "--seeds", "2", "--json", "--restart", "1", "--backend", "cpu"});
    REQUIRE(ended.code == 0);
    std::istringstream lines(ended.out);
    std::vector<json> seeds;
    for (std::string line; std::getline(lines, line);) seeds.push_back(json::parse(line));
    REQUIRE(seeds.size() == 2);
    const json& one = seeds[1];
    CHECK(one["kind"] == "iha");
    CHECK(one["graph"] == "path");
    CHECK(one["parameters"] == 368);
    CHECK(one["seed"] == 6);
    CHECK(one["final_seed"] == 1006);
    CHECK(one["restarts"] == 1);
    CHECK(one["updates"] == 32);
    CHECK(one["relative_mse"].get<double>() > 0);
    CHECK(one["mha_floor"].get<double>() > 0);
    CHECK(one["mha_floor"].get<double>() < 0.5);  // the powers of a path have falling sizes
    CHECK(one["mha_floor_deviation"].get<double>() > 0);
    CHECK(one["cpu_seconds"].get<double>() > 0);
}

TEST_CASE("a trained filter is saved and shown") {
    const TemporaryFolder folder;
    const std::string file = folder / "f.safetensors";
    const Ended ended = cli({"filter", "--k", "2", "--nodes", "4", "--dim", "1", "--heads", "1",
                             "--steps", "50", "--restart", "1", "--save", file});
    CAPTURE(ended.err);
    REQUIRE(ended.code == 0);
    CHECK(ended.out.find("0 of 1 seeds end below") != std::string::npos);
    CHECK(ended.out.ends_with("\nWritten: " + file + "\n"));
    const Ended info = cli({"info", file});
    CHECK(info.code == 0);
    for (const char* part :
         {"MHA, 1 head\n", "shift filter, k = 2, N = 4, d = 1", "seed 0 for 50 steps",
          "restarts: 1, kept seed 1000.", "relative MSE 0.", "floor of MHA with H = 1: 0.5000",
          "all attempts", "attn.W_Q"})
        CHECK_MESSAGE(info.out.find(part) != std::string::npos, part, " in ", info.out);
    CHECK(cli({"run", file}).err.find("holds a graph filter, which reads no tokens") !=
          std::string::npos);
    CHECK(refusal({"--seeds", "2", "--save", file}) ==
          "--save: one file holds the filter of one seed; leave --seeds out and name the seed with "
          "--seed.");
    CHECK(cli({"filter", "--steps", "5", "--save", "/nowhere/f"}).code == 2);
}

TEST_CASE("what cannot be trained is one sentence") {
    CHECK(refusal({"--graph", "cube"}) ==
          "graph: \"cube\" is not a graph; use one of: shift, path, ring, random, small-world.");
    CHECK(refusal({"--heads", "3"}) ==
          "heads H: 3 heads do not divide the 8 outputs of a node (k = 4 times d = 2); choose H so "
          "that k * d is a multiple of it.");
    CHECK(refusal({"--k", "33"}) == "filter order k: 33 cannot be had; use 1 to 32.");
    CHECK(refusal({"--pseudo", "0"}) == "pseudo-heads P: 0 cannot be had; use 1 to 16.");
    CHECK(refusal({"--init", "mean"}) ==
          "--init: MHA has no mixing to start; leave it out, or train IHA with --pseudo.");
    CHECK(refusal({"--pseudo", "2", "--init", "weave"}).starts_with("--init: \"weave\" is not"));
    CHECK(refusal({"--pseudo", "2", "--noise", "-1"}) ==
          "mixing noise: must be 0 or more; try 0.3.");
    CHECK(refusal({"--seeds", "0"}) == "--seeds: 0 seeds cannot be run; use 1 to 1000.");
    CHECK(refusal({"--steps", "-1"}) == "steps: -1 steps cannot be made; use 1 to 10000000.");
    CHECK(refusal({"--lr", "0"}) == "learning rate: must be above 0; try 0.01.");
    CHECK(refusal({"--backend", "abacus"}) ==
          "backend: \"abacus\" is not a backend; use auto, cpu, cuda, cuda-tf32 or reference.");
    CHECK(refusal({"--nodes", "many"}) ==
          "Could not convert: --nodes = many; see \"headloom-cli filter --help\".");
    CHECK(refusal({"--weave"}).starts_with("unknown option or argument --weave"));
}
