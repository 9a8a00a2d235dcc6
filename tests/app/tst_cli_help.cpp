#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <sstream>

#include "cli_support.h"

using namespace headloom::testing;
using nlohmann::json;

namespace {

/// The commands that the program's own help lists.
std::vector<std::string> commands() {
    std::istringstream help(cli({"--help"}).out);
    std::vector<std::string> names;
    bool listing = false;
    for (std::string line; std::getline(help, line);) {
        if (line == "Subcommands:")
            listing = true;
        else if (line.empty())
            listing = false;
        else if (listing)
            names.push_back(line.substr(2, line.find(' ', 2) - 2));
    }
    return names;
}

}  // namespace

TEST_CASE("every command explains itself") {
    const auto names = commands();
    REQUIRE(names.size() >= 5);
    for (const std::string& name : names) {
        CAPTURE(name);
        const Ended ended = cli({name, "--help"});
        CHECK(ended.code == 0);
        CHECK(ended.err.empty());
        CHECK(ended.out.find("Usage: headloom-cli " + name) != std::string::npos);
        CHECK(ended.out.back() == '\n');
        std::istringstream lines(ended.out);
        for (std::string line; std::getline(lines, line);) {
            CAPTURE(line);
            CHECK(line.size() <= 100);  // fits a terminal
            // An option is described beside it, or below where it is long.
            if (line.starts_with("  -"))
                CHECK((line.size() > 34 || line.find("xcludes:") != std::string::npos ||
                       line.find("Needs:") != std::string::npos));
        }
    }
}

TEST_CASE("the overview fits a terminal") {
    std::istringstream lines(cli({"--help"}).out);
    for (std::string line; std::getline(lines, line);) {
        CAPTURE(line);
        CHECK(line.size() <= 100);
    }
}

TEST_CASE("the version and an overview") {
    CHECK(cli({"--version"}).out.starts_with("headloom-cli 0."));
    const Ended info = cli({"info"});
    CHECK(info.code == 0);
    CHECK(info.out.find("cpu        CPU, ") != std::string::npos);
    CHECK(info.out.find("reference  CPU, ") != std::string::npos);
    CHECK(info.out.find("Bundled models") != std::string::npos);
}

TEST_CASE("info about a model") {
    const TemporaryFolder folder;
    const std::string model = saved(folder, "m.safetensors", untrained("pointer-chain", "iha"));
    const Ended info = cli({"info", model});
    CHECK(info.code == 0);
    for (const char* part :
         {"IHA, 2 layers, 4 heads x 4 pseudo-heads of 16", "4 H^2 P = 4 x 4^2 x 4 = 256",
          "a chain ends with .", "Trained on pointer-chain, arm iha, seed 1",
          "[4, 4, 4]  blocks.1.attn.alpha_K"})
        CHECK(info.out.find(part) != std::string::npos);
}

TEST_CASE("check passes here and ends with its tally") {
    const Ended ended = cli({"check", "--backend", "cpu"});
    CHECK(ended.code == 0);
    CHECK(ended.out.ends_with(" passed, 0 failed\n"));
    CHECK(ended.out.find("ok   cpu        attention backward") != std::string::npos);
    const Ended quiet = cli({"check", "--backend", "cpu", "--failures"});
    CHECK(quiet.out.find('\n') == quiet.out.size() - 1);
}

TEST_CASE("bench names its cases as the PyTorch program does") {
    const Ended text = cli({"bench", "--repeat", "1", "--case", "mha-small"});
    CHECK(text.code == 0);
    CHECK(text.out.starts_with("forward/mha-small "));
    CHECK(text.out.find(" ms\ntrain/mha-small ") != std::string::npos);
    const Ended ended = cli({"bench", "forward", "--repeat", "2", "--case", "small", "--json"});
    REQUIRE(ended.code == 0);
    const json root = json::parse(ended.out);
    CHECK(root["backend"] == "cpu");
    CHECK(root["threads"] == 1);
    CHECK(root["repeat"] == 2);
    REQUIRE(root["results"].size() == 2);
    CHECK(root["results"][1]["name"] == "forward/iha-small");
    CHECK(root["results"][1]["ms"].get<double>() > 0);
}
