#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdlib>

#include "cli_support.h"

using namespace headloom;
using namespace headloom::testing;
using nlohmann::json;

namespace {

/// Runs the program with --json; fails the test where it does not end well.
json jsonOf(std::vector<std::string> arguments) {
    arguments.emplace_back("--json");
    const Ended ended = cli(arguments);
    CAPTURE(ended.err);
    REQUIRE(ended.code == 0);
    CHECK(ended.err.empty());
    return json::parse(ended.out);
}

std::vector<std::string> keysOf(const json& object) {
    std::vector<std::string> keys;
    for (const auto& item : object.items()) keys.push_back(item.key());  // sorted
    return keys;
}
using Keys = std::vector<std::string>;

}  // namespace

TEST_CASE("run --json has the schema and sound numbers") {
    const TemporaryFolder folder;
    const std::string model = saved(folder, "iha.safetensors", untrained("four-witnesses", "iha"));
    const json root = jsonOf({"run", model, "--example", "3"});
    CHECK(keysOf(root) == Keys{"model", "prompt", "steps"});
    CHECK(root["model"] == model);
    REQUIRE(root["prompt"].size() == 5);
    REQUIRE(root["steps"].size() == 16);
    bool first = true;
    for (const json& step : root["steps"]) {
        CHECK(keysOf(step) == Keys{"evidence", "id", "probability", "token", "top"});
        REQUIRE(step["top"].size() == 6);  // the vocabulary has no more
        double sum = 0;
        for (const json& candidate : step["top"]) {
            CHECK(keysOf(candidate) == Keys{"id", "logit", "probability", "token"});
            sum += candidate["probability"].get<double>();
        }
        CHECK(sum == doctest::Approx(1));
        CHECK(step["id"] == step["top"][0]["id"]);  // greedy
        CHECK(step["probability"] == step["top"][0]["probability"]);
        CHECK(step["token"] == std::to_string(step["id"].get<int>()));
        const double ratio = step["top"][0]["probability"].get<double>() /
                             step["top"][1]["probability"].get<double>();
        const double difference =
            step["top"][0]["logit"].get<double>() - step["top"][1]["logit"].get<double>();
        CHECK(std::log(ratio) == doctest::Approx(difference));
        // Two heads, two pseudo-queries, two key families; where the chain is still the true one.
        if (!step["evidence"].empty()) CHECK(step["evidence"].size() == 8);
        if (first) REQUIRE(step["evidence"].size() == 8);
        first = false;
        for (const json& entry : step["evidence"]) {
            CHECK(keysOf(entry) == Keys{"head", "key_pseudo", "layer", "mass", "query_pseudo"});
            CHECK(entry["mass"].get<double>() >= 0);
            CHECK(entry["mass"].get<double>() <= 1);
        }
    }
}

TEST_CASE("a prompt of the task has its evidence, other text has none") {
    const TemporaryFolder folder;
    const std::string model = saved(folder, "m", untrained("four-witnesses", "mha"));
    const json known = jsonOf({"run", model, "--prompt", "0 2 5 1 3"});
    CHECK(known["prompt"] == json({0, 2, 5, 1, 3}));
    CHECK(known["steps"].size() == 16);
    CHECK(known["steps"][0]["evidence"].size() == 2);
    const json text = jsonOf({"run", model, "--ids", "0,2", "--steps", "3"});
    CHECK(text["prompt"] == json({0, 2}));
    CHECK(text["steps"].size() == 3);
    CHECK(text["steps"][0]["evidence"] == json::array());
    // Without --steps as far as the context of 20 goes: the last token is written, not read.
    CHECK(jsonOf({"run", model, "--ids", "0,2"})["steps"].size() == 19);
}

TEST_CASE("the top has at most ten entries, and sampling has its temperature and seed") {
    const TemporaryFolder folder;
    const std::string model = saved(folder, "m", untrained("pointer-chain", "mha"));
    const json greedy = jsonOf({"run", model, "--greedy", "--steps", "1"});
    CHECK(greedy["steps"][0]["top"].size() == 10);
    const std::vector<std::string> sampled = {
        "run", model, "--temperature", "2", "--top-k", "5", "--steps", "8", "--seed", "7"};
    const json one = jsonOf(sampled), two = jsonOf(sampled);
    CHECK(one["steps"] == two["steps"]);
    const json& top = one["steps"][0]["top"];
    const double ratio = top[0]["probability"].get<double>() / top[1]["probability"].get<double>();
    CHECK(std::log(ratio) ==
          doctest::Approx((top[0]["logit"].get<double>() - top[1]["logit"].get<double>()) / 2));
    for (const json& step : one["steps"]) {
        bool among = false;
        for (int i = 0; i < 5; ++i)
            among = among || step["top"][std::size_t(i)]["id"] == step["id"];
        CHECK(among);
    }
}

TEST_CASE("several tokens at one position are typed with + and printed as a list") {
    const TemporaryFolder folder;
    const std::string model = saved(folder, "m", untrained("ordered-keys", "iha"));
    const json root = jsonOf({"run", model, "--prompt", "a+3 b+1 c+0 d+7 d1+a2+b3+c4"});
    CHECK(root["prompt"][0] == json({8, 3}));
    CHECK(root["prompt"][4] == json({27, 40, 57, 74}));
    REQUIRE(root["steps"].size() == 4);  // the four answers of the last row
    CHECK(root["steps"][2]["row"] == 4);
    CHECK(root["steps"][2]["slot"] == 2);
    CHECK(root["steps"][2]["top"].size() == 8);
    CHECK(root["steps"][2]["evidence"].size() == 8);
    const Ended text = cli({"run", model, "--prompt", "a+3 b+1 c+0 d+7 d1+a2+b3+c4"});
    CHECK(text.out.find("prompt: a+3 b+1 c+0 d+7 d1+a2+b3+c4\n") != std::string::npos);
    CHECK(text.out.find("d is 7, a is 3, b is 1, c is 0") != std::string::npos);
    CHECK(cli({"run", model, "--prompt", "a+b+c+d+e"}).err.find("join at most 4") !=
          std::string::npos);
    const Ended info = cli({"info", model});
    CHECK(info.out.find("answers are among the first 8 tokens") != std::string::npos);
    CHECK(info.out.find("up to 4 tokens share a position, as in 0+1") != std::string::npos);
}

TEST_CASE("a model of several answers a token is read, row by row") {
    const TemporaryFolder folder;
    const std::string model = saved(folder, "m", untrained("look-back-bank", "iha"));
    const json root = jsonOf({"run", model});
    CHECK(root["prompt"].size() == 16);
    REQUIRE(root["steps"].size() == 12 * 4);  // rows 4..15, four answers each
    CHECK(root["steps"][5]["row"] == 5);
    CHECK(root["steps"][5]["slot"] == 1);
    const Ended refused = cli({"run", model, "--steps", "2"});
    CHECK(refused.code == 2);
    CHECK(refused.err ==
          "headloom-cli: model: it reads out 4 answers at every token, so it writes no chain; let "
          "it read the given tokens instead.\n");
}

TEST_CASE("the table names each step, its truth and its evidence") {
    const TemporaryFolder folder;
    const std::string model = saved(folder, "m", untrained("four-witnesses", "iha"));
    const Ended ended = cli({"run", model, "--backend", "reference"});
    CHECK(ended.code == 0);
    CHECK(ended.out.find("IHA, 1 layer, 2 heads x 2 pseudo-heads of 16\nprompt: ") !=
          std::string::npos);
    CHECK(ended.out.find("step  row  token  probability") != std::string::npos);
    CHECK(ended.out.find("(of 4)") != std::string::npos);
    CHECK(ended.out.find("symbol 1 of 16") != std::string::npos);
}

TEST_CASE("both backends write the same chain") {
    const TemporaryFolder folder;
    const std::string model = saved(folder, "m", untrained("pointer-chain", "iha"));
    const json fast = jsonOf({"run", model, "--backend", "cpu", "--threads", "2"});
    const json plain = jsonOf({"run", model, "--backend", "reference"});
    REQUIRE(fast["steps"].size() == plain["steps"].size());
    for (std::size_t i = 0; i < fast["steps"].size(); ++i) {
        CHECK(fast["steps"][i]["id"] == plain["steps"][i]["id"]);
        // float32 against float32 in another order of summation, through two layers
        CHECK(fast["steps"][i]["top"][0]["logit"].get<double>() ==
              doctest::Approx(plain["steps"][i]["top"][0]["logit"].get<double>()).epsilon(1e-4));
    }
}

TEST_CASE("a token that is not UTF-8 is spelled in bytes") {
    const TemporaryFolder folder;
    Model model = untrained("four-witnesses", "mha");
    // The file format holds UTF-8 only; a control character is as far as a token can go.
    std::vector<std::string> tokens = model.vocabulary.tokens();
    tokens[0] = "\n";
    model.vocabulary = Vocabulary(tokens);
    model.recipe.clear();
    const std::string path = saved(folder, "m", model);
    const Ended ended = cli({"run", path, "--ids", "0,1", "--steps", "1"});
    CHECK(ended.code == 0);
    CHECK(ended.out.find("prompt: <0x0A> 1\n") != std::string::npos);
}

TEST_CASE("a checkpoint tells its story in its own tokens") {
    const char* fixtures = std::getenv("HEADLOOM_FIXTURES");
    if (!fixtures) {
        MESSAGE("skipped: HEADLOOM_FIXTURES is not set");
        return;
    }
    const std::string folder = std::string(fixtures) + "/llama2c/";
    const json root = jsonOf({"run", folder + "stories260K.bin", "--tokenizer",
                              folder + "tok512.bin", "--prompt", "", "--steps", "24"});
    CHECK(root["prompt"] == json({1}));  // BOS alone
    std::string story;
    for (const json& step : root["steps"]) story += step["token"].get<std::string>();
    // by two independent programs in float64
    CHECK(story ==
          " Once upon a time, there was a little girl named Lily. She loved to play outsid");
}
