// Checkpoints of other programs: `inspect`, and `run` on them.
#include "tests/support/gguf_writer.h"
#include "tests/support/pickle_writer.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <limits>

#include "cli_support.h"

using namespace headloom;
using namespace headloom::testing;
using nlohmann::json;

namespace {

std::string data(const std::string& name) {
    return std::string(HEADLOOM_TEST_DATA) + "/architectures/" + name;
}

json jsonOf(std::vector<std::string> arguments) {
    arguments.emplace_back("--json");
    const Ended ended = cli(arguments);
    CAPTURE(ended.err);
    REQUIRE(ended.code == 0);
    return json::parse(ended.out);
}

}  // namespace

TEST_CASE("inspect shows the tensors, the architecture and the report") {
    const Ended ended = cli({"inspect", data("qwen3.safetensors")});
    CHECK(ended.code == 0);
    CHECK(ended.err.empty());
    for (const char* part :
         {"architecture  llama (Llama family, Hugging Face names)", "model_type is qwen3",
          "24 used, 0 tied, 0 ignored, 0 unexpected, 0 missing", "24 F16",
          "nCtx         64  from the configuration", "stated, but switched off",
          "[24, 8]  used            weight"})
        CHECK(contains(ended.out, part));
    const json root = jsonOf({"inspect", data("gpt2.safetensors")});
    CHECK(root["container"] == "safetensors");
    CHECK(root["report"]["architecture"] == "gpt2");
    CHECK(root["report"]["runs"] == true);
    CHECK(root["report"]["missing"].empty());
    CHECK(root["report"]["types"]["F16"] == 28);
    for (const json& tensor : root["tensors"]) {
        if (tensor["name"] != "transformer.h.0.attn.c_attn.weight") continue;
        CHECK(tensor["shape"] == json({8, 24}));
        CHECK(tensor["becomes"].size() == 3);
    }
    for (const json& check : root["report"]["dimensions"])
        if (check["name"] == "dMlp") CHECK(check["configured"].is_null());
}

TEST_CASE("what a file does not say, the user says") {
    const Ended asked = cli({"run", data("iha-a.safetensors"), "--ids", "1,2"});
    CHECK(asked.code == 2);
    CHECK(contains(asked.err, "give --alpha-order source-target or --alpha-order target-source"));
    const json report = jsonOf({"inspect", data("iha-a.safetensors")})["report"];
    CHECK(report["runs"] == false);
    CHECK(report["question"]["setting"] == "alphaOrder");
    CHECK(report["question"]["answers"] == json({"source-target", "target-source"}));
    CHECK(jsonOf({"inspect", data("gpt2.safetensors")})["report"]["question"].is_null());
    CHECK(contains(cli({"inspect", data("iha-a.safetensors")}).out,
                   "asks: alphaOrder may be source-target or target-source\n"));
    CHECK(cli({"run", data("iha-a.safetensors"), "--ids", "1,2", "--alpha-order", "target-source",
               "--steps", "2"})
              .code == 0);
    const TemporaryFolder folder;
    const std::string alone =
        folder.write("m.safetensors", contentsOf(data("mistral.safetensors")));
    CHECK(contains(cli({"inspect", alone}).out, "give the number with --set nHeads=N"));
    CHECK(jsonOf({"inspect", alone, "--set", "nHeads=4"})["report"]["runs"] == true);
    CHECK(cli({"inspect", alone, "--set", "nHeads"}).err ==
          "headloom-cli: --set: \"nHeads\" is not NAME=VALUE; write for example --set nHeads=8.\n");
    const std::string map = folder.write("map.json", R"({"name": "mine", "title": "Mine",
        "needs": {"model.norm.weight": ""}, "tensors": {"model.norm.weight": {"to": "ln_final.w"}}})");
    CHECK(jsonOf({"inspect", alone, "--map", map})["report"]["architecture"] == "mine");
    CHECK(contains(cli({"inspect", alone, "--map", alone}).err, "is not a JSON object"));
}

TEST_CASE("an opened checkpoint runs like a bundled model") {
    const json root = jsonOf({"run", data("smollm.safetensors"), "--prompt", "", "--steps", "3"});
    CHECK(root["prompt"] == json({1}));  // bos_token_id of its configuration
    CHECK(root["steps"].size() == 3);
    CHECK(root["steps"][0]["evidence"].empty());
    CHECK(jsonOf({"run", data("smollm.safetensors"), "--ids", "1"})["steps"].size() == 32);
    const Ended words = cli({"run", data("smollm.safetensors"), "--prompt", "Once"});
    CHECK(words.code == 2);
    CHECK(words.err ==
          "headloom-cli: prompt: \"Once\" is not an id from 0 to 12; give token ids separated by "
          "spaces, as in 1 403 407.\n");
    const Ended mask = cli({"run", data("lens-attention.safetensors"), "--ids", "1,2,3"});
    CHECK(mask.code == 2);  // it looks both ways, so it cannot write
    CHECK(contains(mask.err, "mask none"));
}

TEST_CASE("checks that read weights, and another program's logits") {
    const std::string golden = data("golden.safetensors");
    const Ended checked = cli({"inspect", data("gpt2.safetensors"), "--check"});
    CHECK(checked.code == 0);
    CHECK_FALSE(contains(checked.out, "warning"));
    CHECK(contains(checked.out, "note: attention tells tokens apart (distance from uniform 0."));
    // golden.safetensors names its tensors after the models
    const Ended unnamed = cli({"inspect", data("gpt2.safetensors"), "--reference", golden});
    CHECK(unnamed.code == 2);
    CHECK(contains(unnamed.err, "has no tensor \"logits\"; save them under that name."));
    CHECK(cli({"inspect", data("gpt2.safetensors"), "--ids", "1"}).code == 2);
}

TEST_CASE("inspect --stats reads every tensor that can be read") {
    // three tensors over the same six numbers, one of them not finite, and one of no type of ours
    const std::string w = pickle::tensor({.elements = 6, .size = {2, 3}, .stride = {3, 1}});
    const std::string b = pickle::tensor({.elements = 6, .size = {2}, .stride = {1}});
    const std::string other = pickle::tensor({.storage = "ComplexFloatStorage", .elements = 1});
    const TemporaryFolder folder;
    const std::string path = folder.write(
        "c.pt",
        pickle::archive(
            pickle::dict({{"attn.w", w}, {"norm.b", b}, {"odd", other}}),
            {bytesOf(std::vector<float>{0, 1, 2, 3, 4, std::numeric_limits<float>::quiet_NaN()})}));
    const Ended ended = cli({"inspect", path, "--stats"});
    REQUIRE(ended.code == 0);
    // 0, 1, 2, 3, 4: mean 2, deviation sqrt(2)
    for (const std::string part :
         {"min  max  mean    std  zeros  not finite         use  tensor\n",
          "  0    4     2  1.414      1           1  unexpected    w\n",
          "  0    1   0.5    0.5      1           0  unexpected    b\n",
          "  -    -     -      -      -           -  unexpected  odd\n",
          "1 of 6 numbers of attn.w are not finite.\n",
          "1 tensor has no statistics: what is of such a type is listed but not read.\n"}) {
        CAPTURE(part);
        CAPTURE(ended.out);
        CHECK(contains(ended.out, part));
    }
    const json tensors = jsonOf({"inspect", path, "--stats"})["tensors"];
    CHECK(tensors[0]["statistics"]["nans"] == 1);
    CHECK(tensors[0]["statistics"]["max"] == 4);
    CHECK(tensors[0]["statistics"]["zeros"] == 1);
    CHECK(tensors[2]["statistics"].is_null());
    CHECK_FALSE(jsonOf({"inspect", path})["tensors"][0].contains("statistics"));
}

TEST_CASE("inspect --head sums up what a head does without any input") {
    const TemporaryFolder folder;
    Model model = untrained("four-witnesses", "mha");
    for (const char* name : {"W_Q", "W_K", "W_V", "W_O"}) {
        const Tensor weights = model.weights.find(std::string("blocks.0.attn.") + name);
        for (float& value : weights.values<float>()) value = 0;
        weights.data<float>()[0] = 2;  // of head 0: one direction into one of its own
    }
    const std::string path = saved(folder, "m.safetensors", model);
    const Ended ended = cli({"inspect", path, "--head", "0.0"});
    CAPTURE(ended.out);
    CHECK(contains(ended.out, "\nhead 0 of layer 0\n"));
    CHECK(contains(ended.out, "W_QK     4               1  4 0 0 0"));
    const json head = jsonOf({"inspect", path, "--head", "0.1"})["head"];
    CHECK(head["head"] == 1);
    CHECK(head["W_OV"]["norm"] == 0);
    CHECK(head["W_OV"]["singular_values"].size() == static_cast<std::size_t>(model.config.dHead()));
    for (const char* wrong : {"0", "0.", ".0", "a.b", "0.0x"})
        CHECK(cli({"inspect", path, "--head", wrong}).err ==
              "headloom-cli: --head: \"" + std::string(wrong) +
                  "\" is not LAYER.HEAD; write for example --head 0.3.\n");
    CHECK(cli({"inspect", path, "--head", "0.2"}).err ==
          "headloom-cli: --head: there is no head 0.2; layers are 0 to 0, heads 0 to 1.\n");
    CHECK(contains(cli({"inspect", data("iha-a.safetensors"), "--head", "0.0"}).err,
                   "the checkpoint does not run, so it has no heads"));
}

TEST_CASE("what is no checkpoint is one sentence") {
    const TemporaryFolder folder;
    const Ended ended = cli({"inspect", folder.write("x.bin", "hello")});
    CHECK(ended.code == 2);
    CHECK(ended.out.empty());
    CHECK(lines(ended.err).size() == 1);
    CHECK(cli({"inspect", (folder / "none").string()}).code == 2);
}

TEST_CASE("a file with a tokenizer alone says what it is for") {
    const TemporaryFolder folder;
    GgufWriter words, nothing;
    words.header(3, 0, 1).key("tokenizer.ggml.model", "gpt2").pad();
    nothing.header(3, 0, 0).pad();
    const auto why = [&](const std::string& name, const std::string& bytes) {
        return jsonOf({"inspect", folder.write(name, bytes)})["report"]["why_not"];
    };
    CHECK(why("words.gguf", words.bytes) ==
          "it holds a tokenizer and no tensors: name it as the tokenizer of a model.");
    CHECK(why("nothing.gguf", nothing.bytes) == "it holds no tensors.");
}

TEST_CASE("inspect indents a name of many dots no deeper than modules nest") {
    const TemporaryFolder folder;
    const std::string name(100'000, '.');
    const std::string header =
        "{\"" + name + "\":{\"dtype\":\"F32\",\"shape\":[0],\"data_offsets\":[0,0]}}";
    const std::uint64_t length = header.size();
    const auto path = folder.write(
        "f", std::string(reinterpret_cast<const char*>(&length), sizeof length) + header);
    const Ended ended = cli({"inspect", path});
    CHECK(ended.code == 0);
    // the name and the report around it; indenting every dot would take ten gigabytes
    CHECK(ended.out.size() < 2 * name.size());
}
