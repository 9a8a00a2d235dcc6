#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <cmath>

#include "cli_support.h"

using namespace headloom;
using namespace headloom::testing;
using nlohmann::json;

namespace {

std::string golden(const std::string& name) {
    return std::string(HEADLOOM_TEST_DATA) + "/architectures/" + name + ".safetensors";
}

/// What a model answers, greedily: the steps of `run --json`.
json answers(const std::string& model, std::vector<std::string> more = {}) {
    std::vector<std::string> arguments = {"run", model,    "--ids",     "1,2,3",    "--steps",
                                          "5",   "--json", "--backend", "reference"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Ended ended = cli(arguments);
    CAPTURE(ended.err);
    REQUIRE(ended.code == 0);
    return json::parse(ended.out)["steps"];
}

std::string refusal(std::vector<std::string> arguments) {
    const Ended ended = cli(std::move(arguments));
    CHECK(ended.code == 2);
    CHECK(ended.out.empty());
    CHECK(lines(ended.err).size() == 1);
    return ended.err;
}

}  // namespace

TEST_CASE("a converted model answers as the original, and converts to the same bytes") {
    for (const char* name : {"qwen3", "gpt2", "iha-e"}) {
        CAPTURE(name);
        const TemporaryFolder folder;
        const std::string once = folder / "m.safetensors";
        std::filesystem::create_directory(folder / "again");
        const std::string twice = folder / "again/m.safetensors";
        const Ended ended = cli({"convert", golden(name), "--output", once});
        REQUIRE(ended.code == 0);
        CHECK(ended.out.starts_with("Written: " + once + ": "));
        CHECK(answers(once) == answers(golden(name)));
        REQUIRE(cli({"convert", once, "--output", twice}).code == 0);
        CHECK(contentsOf(once) == contentsOf(twice));
    }
}

TEST_CASE("an IHA of ordinary heads answers as they do") {
    const TemporaryFolder folder;
    const std::string out = folder / "iha.safetensors";
    const Ended ended = cli({"convert", golden("llama"), "--output", out, "--iha", "3"});
    CAPTURE(ended.err);
    REQUIRE(ended.code == 0);
    CHECK(contains(ended.out, "x 3 pseudo-heads"));
    const json before = answers(golden("llama")), after = answers(out);
    REQUIRE(before.size() == after.size());
    for (std::size_t i = 0; i < before.size(); ++i) {
        CHECK(before[i]["id"] == after[i]["id"]);
        // the copies of a key share one softmax: other sums of the same float32 numbers
        CHECK(std::abs(before[i]["probability"].get<double>() -
                       after[i]["probability"].get<double>()) < 1e-5);
    }
}

TEST_CASE("what the file does not say decides the conversion") {
    const TemporaryFolder folder;
    const std::string out = folder / "m.safetensors";
    CHECK(contains(refusal({"convert", golden("iha-a"), "--output", out}),
                   "give --alpha-order source-target or --alpha-order target-source"));
    CHECK_FALSE(std::filesystem::exists(out));
    REQUIRE(
        cli({"convert", golden("iha-a"), "--output", out, "--alpha-order", "source-target"}).code ==
        0);
    CHECK(answers(out) == answers(golden("iha-a"), {"--alpha-order", "source-target"}));
    CHECK(answers(out) != answers(golden("iha-a"), {"--alpha-order", "target-source"}));
}

TEST_CASE("conversions that cannot be are one sentence") {
    const TemporaryFolder folder;
    const std::string out = folder / "m.safetensors",
                      own = saved(folder, "own", untrained("four-witnesses", "iha"));
    CHECK(refusal({"convert", golden("llama")}) ==
          "headloom-cli: --output is required; see \"headloom-cli convert --help\".\n");
    CHECK(refusal({"convert", own, "--output", own}) ==
          "headloom-cli: " + own + ": is the input; write to another file.\n");
    CHECK(contains(refusal({"convert", own, "--output", out, "--iha", "2"}), "is already IHA"));
    CHECK(contains(refusal({"convert", golden("llama"), "--output", out, "--iha", "0"}),
                   "pseudo-heads"));
    CHECK(contains(refusal({"convert", folder.write("x", "hello"), "--output", out}),
                   "is no kind of checkpoint"));
    CHECK(contains(refusal({"convert", golden("llama"), "--output", folder / "no" / "m"}),
                   "cannot be written"));
    CHECK_FALSE(std::filesystem::exists(out));
}
