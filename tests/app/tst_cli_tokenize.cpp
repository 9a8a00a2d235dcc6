#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli_support.h"

using namespace headloom::testing;
using nlohmann::json;

namespace {

const std::string tokenizers = HEADLOOM_TEST_DATA "/tokenizers/";

}  // namespace

TEST_CASE("tokenize lists ids, pieces and characters, and what is added unseen") {
    const Ended ended =
        cli({"tokenize", "--tokenizer", tokenizers + "bert-uncased.json", "--prompt", "É!"});
    CHECK(ended.err.empty());
    CHECK(ended.code == 0);
    CHECK(ended.out == tokenizers + "bert-uncased.json: WordPiece, " +
                           "359 tokens\n\n"
                           "token  id  characters  text\n"
                           "    0   2           -  [CLS]  (added to every prompt)\n"
                           "    1  28         0-1  e\n"
                           "    2   5         1-2  !\n"
                           "    3   3           -  [SEP]  (added to every prompt)\n"
                           "\n4 tokens, 2 of them added to every prompt\n");
}

TEST_CASE("tokenize --json has the same for programs") {
    const Ended ended = cli({"tokenize", "--tokenizer", tokenizers + "llama3.json", "--prompt",
                             "<|special|>é a", "--json"});
    REQUIRE(ended.code == 0);
    const json root = json::parse(ended.out);
    CHECK(root["kind"] == fmt::format("byte-level BPE, {} tokens", root["size"].get<int>()));
    CHECK(root["special"]["bos"] == 0);
    CHECK(root["special"]["cls"] == nullptr);
    CHECK_FALSE(root.contains("ids_only"));
    const json& tokens = root["tokens"];
    REQUIRE(tokens.size() == 5);
    CHECK(tokens[0] ==
          json({{"id", 0}, {"text", "<s>"}, {"implicit", true}, {"starts_word", true}}));
    CHECK(tokens[1]["text"] == "<|special|>");
    CHECK(tokens[1]["begin"] == 0);
    CHECK(tokens[1]["end"] == 11);
    // Both bytes of the letter stand for all of it.
    CHECK(tokens[2]["text"] == "<0xC3>");
    CHECK(tokens[2]["begin"] == 11);
    CHECK(tokens[3]["text"] == "<0xA9>");
    CHECK(tokens[3]["end"] == 12);
    CHECK(tokens[3]["starts_word"] == false);
    CHECK(tokens[4]["text"] == " a");
    CHECK(tokens[4]["starts_word"] == true);

    const Ended asText = cli({"tokenize", "--tokenizer", tokenizers + "llama3.json", "--prompt",
                              "<|special|>", "--special-as-text", "--json"});
    CHECK(json::parse(asText.out)["tokens"].size() > 2);
}

TEST_CASE("tokenize --words joins the pieces of a word") {
    const Ended ended = cli(
        {"tokenize", "--tokenizer", tokenizers + "gpt2.json", "--prompt", "zebra the", "--words"});
    CHECK(ended.code == 0);
    const auto all = lines(ended.out);
    REQUIRE(all.size() == 7);
    CHECK(all[3].ends_with("  zebra"));
    CHECK(all[4].ends_with("   the"));
    CHECK(all[6] == "6 tokens");
}

TEST_CASE("tokenize reads a file as it is, and says what it cannot do") {
    const TemporaryFolder folder;
    const std::string tokenizer = tokenizers + "gpt2.json";
    const Ended read = cli(
        {"tokenize", "--tokenizer", tokenizer, "--file", folder.write("text", "a\n"), "--json"});
    REQUIRE(read.code == 0);
    CHECK(json::parse(read.out)["tokens"][1]["text"] == "\n");

    const auto refusal = [](std::vector<std::string> arguments) {
        const Ended ended = cli(std::move(arguments));
        CHECK(ended.code == 2);
        CHECK(ended.out.empty());
        return ended.err;
    };
    CHECK(refusal({"tokenize", "--tokenizer", tokenizer}) ==
          "headloom-cli: there is no text to tokenize; give it with --prompt or --file.\n");
    CHECK(refusal({"tokenize", "--tokenizer", tokenizer, "--prompt", "a\xFF"}) ==
          "headloom-cli: prompt: is not UTF-8 at its byte 1; save the text as UTF-8.\n");
    CHECK(contains(refusal({"tokenize", "--tokenizer", "/no/such", "--prompt", ""}),
                   "there is no such file"));
    CHECK(contains(refusal({"tokenize", "--prompt", "a"}), "--tokenizer is required"));
}

TEST_CASE("a tokenizer of ids only says so, and reads ids") {
    const TemporaryFolder folder;
    const std::string unigram = folder.write(
        "u.json", R"({"model": {"type": "Unigram", "vocab": [["<unk>", 0], ["▁a", -1]]}})");
    const Ended ended = cli({"tokenize", "--tokenizer", unigram, "--prompt", "1, 0"});
    CHECK(ended.code == 0);
    CHECK(contains(ended.out,
                   "The prompt was read as token ids: tokenizers of the kind "
                   "\"Unigram\" are not read.\n"));
    CHECK(contains(ended.out, "    0   1         0-1   a\n"));
    CHECK(cli({"tokenize", "--tokenizer", unigram, "--prompt", "a"}).err ==
          "headloom-cli: prompt: \"a\" is not an id from 0 to 1; give token ids separated by "
          "spaces, as in 1 403 407.\n");
}
