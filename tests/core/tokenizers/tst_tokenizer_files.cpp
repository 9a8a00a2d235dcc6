#include "tests/support/gguf_writer.h"

#include <doctest/doctest.h>

#include "tokenizer_support.h"

// Tokenizers written here by hand, small enough to check by hand, and what is wrong with damaged
// ones.

using namespace headloom;
using namespace headloom::testing;

namespace {

using Ids = std::vector<int>;
using Texts = std::vector<std::string>;

std::shared_ptr<const Tokenizer> gguf(const std::function<void(GgufWriter&)>& keys,
                                      std::uint64_t count) {
    GgufWriter writer;
    writer.header(3, 0, count);
    keys(writer);
    const auto file = GgufFile::parse(asFile(writer.bytes)).value();
    auto tokenizer = readGgufTokenizer(file);
    REQUIRE_MESSAGE(tokenizer, tokenizer.error().sentence());
    return *tokenizer;
}

std::string ggufSentence(const std::function<void(GgufWriter&)>& keys, std::uint64_t count) {
    GgufWriter writer;
    writer.header(3, 0, count);
    keys(writer);
    const auto file = GgufFile::parse(asFile(writer.bytes)).value();
    const auto tokenizer = readGgufTokenizer(file);
    return tokenizer ? "" : tokenizer.error().sentence();
}

std::string jsonSentence(const std::string& text) {
    const auto tokenizer = readTokenizerJson(asFile(text));
    return tokenizer ? "" : tokenizer.error().sentence();
}

std::string reasonOf(const std::string& text) {
    const auto tokenizer = readTokenizerJson(asFile(text));
    REQUIRE_MESSAGE(tokenizer, tokenizer.error().sentence());
    return (*tokenizer)->idsOnlyReason();
}

/// llama2.c's format: a score and a text a token.
std::string tokenizerBin(const std::vector<std::pair<float, std::string>>& tokens,
                         std::int32_t longest = 8) {
    GgufWriter writer;
    writer.number(longest);
    for (const auto& [score, text] : tokens) {
        writer.number(score).number(static_cast<std::int32_t>(text.size()));
        writer.bytes += text;
    }
    return writer.bytes;
}

const std::vector<std::pair<float, std::string>> fewTokens = {
    {0, "<unk>"}, {0, "\n<s>\n"}, {0, "\n</s>\n"}, {0, "<0x61>"}, {0, "<0xC3>"}, {0, "<0xA9>"},
    {-3, " "},    {-4, "b"},      {-5, "c"},       {-2, "bc"},    {-1, " b"},    {-6, " bc"}};

constexpr const char* again = "; the file is damaged: download or save it again.";

}  // namespace

TEST_CASE("llama2.c's tokenizer joins by score, falls back to bytes, and adds BOS and a space") {
    const auto tokenizer = readLlama2cTokenizer(asFile(tokenizerBin(fewTokens))).value();
    // " bc": " b" has the better score of the two pairs, then " bc" is a token.
    CHECK(idsOf(*tokenizer->encode("bc")) == Ids{1, 11});
    CHECK(idsOf(*tokenizer->encode("cbc")) == Ids{1, 6, 8, 9});
    CHECK(idsOf(*tokenizer->encode("aé")) == Ids{1, 6, 3, 4, 5});
    CHECK(idsOf(*tokenizer->encode("")) == Ids{1});
    // A special token is one wherever it is typed, unless it is to be text.
    CHECK(idsOf(*tokenizer->encode("</s>")) == Ids{1, 2});
    CHECK(tokenizer->encode("</s>", SpecialTokens::asText)->size() > 2);
    // " d" has neither the letter nor its byte.
    CHECK(idsOf(*tokenizer->encode("d")) == Ids{1, 6, 0});
    CHECK(tokenizer->text(1) == "<s>");
    CHECK(tokenizer->text(4) == "<0xC3>");
    CHECK(tokenizer->text(3) == "a");
    CHECK(tokenizer->text(11) == " bc");
    CHECK(tokenizer->text(12) == "<12>");
    CHECK(tokenizer->text(-1) == "<-1>");
    CHECK(tokenizer->decode({11, 4, 5}) == " bcé");
    CHECK(tokenizer->special().eos == 2);
    CHECK(tokenizer->implicitStart() == Ids{1});
    CHECK(tokenizer->summary() == "SentencePiece BPE, 12 tokens");
    const auto pieces = tokenizer->encode("aé").value();
    CHECK(pieces[0].implicit);
    CHECK(pieces[3].begin == 1);
    CHECK(pieces[4].end == 3);
}

// libFuzzer found it: the token cut the text within a character.
TEST_CASE("a special token that is half a character is never found in a text") {
    auto tokens = fewTokens;
    tokens[0].second = "\xA9";
    const auto tokenizer = readLlama2cTokenizer(asFile(tokenizerBin(tokens))).value();
    CHECK(idsOf(*tokenizer->encode("é")) == Ids{1, 6, 4, 5});
}

TEST_CASE("llama2.c's first files, without the longest length, read the same") {
    const auto tokenizer =
        readLlama2cTokenizer(asFile(tokenizerBin(fewTokens).substr(sizeof(std::int32_t)))).value();
    CHECK(idsOf(*tokenizer->encode("cbc")) == Ids{1, 6, 8, 9});
}

TEST_CASE("a damaged tokenizer .bin is named as such") {
    const auto sentence = [](const std::string& bytes) {
        const auto tokenizer = readLlama2cTokenizer(asFile(bytes));
        return tokenizer ? "" : tokenizer.error().sentence();
    };
    const std::string remedy = "; name a tokenizer .bin as llama2.c's tokenizer.py writes it.";
    const std::string whole = tokenizerBin(fewTokens);
    CHECK(sentence("") == "f: is too short for a tokenizer" + remedy);
    CHECK(sentence(tokenizerBin({})) == "f: has 0 tokens, too few" + remedy);
    CHECK(sentence(whole.substr(0, 10)) == "f: is cut off in token 0 at byte 4" + remedy);
    CHECK(sentence(whole.substr(0, 15)) ==
          "f: token 0 claims 5 bytes at byte 12, but 3 follow" + remedy);
    CHECK(sentence(tokenizerBin(fewTokens, 5)) ==
          "f: token 2 has 6 bytes, but the longest is said to have 5" + remedy);
    std::string negative = whole;
    negative[11] = '\xFF';
    CHECK(sentence(negative) == "f: token 0 claims -16777211 bytes at byte 12, but " +
                                    std::to_string(whole.size() - 12) + " follow" + remedy);
    for (std::size_t length = 0; length < whole.size(); ++length)
        readLlama2cTokenizer(asFile(whole.substr(0, length)));
}

TEST_CASE("a GGUF vocabulary of the GPT-2 kind merges bytes by rank") {
    const Texts tokens = {"a", "b", "c", "Ġ", "ab", "Ġa", "Ġab", "Ã", "©", "<|end|>", "<user>"};
    const auto write = [&](GgufWriter& writer, const char* pre) {
        writer.key("tokenizer.ggml.model", "gpt2").key("tokenizer.ggml.pre", pre);
        writer.key("tokenizer.ggml.tokens", tokens);
        writer.key("tokenizer.ggml.token_type",
                   std::vector<std::int32_t>{1, 1, 1, 1, 1, 1, 1, 1, 1, 3, 4});
        writer.key("tokenizer.ggml.merges", Texts{"a b", "Ġ a", "Ġ ab"});
        writer.key("tokenizer.ggml.eos_token_id", 9u);
    };
    const auto tokenizer = gguf([&](GgufWriter& writer) { write(writer, "gpt-2"); }, 6);
    CHECK(tokenizer->summary() == "byte-level BPE, 11 tokens");
    // "a b" has the lowest rank, so " ab" is " " + "ab", which the third merge joins.
    CHECK(idsOf(*tokenizer->encode(" ab")) == Ids{6});
    CHECK(idsOf(*tokenizer->encode("ab ac")) == Ids{4, 5, 2});
    CHECK(idsOf(*tokenizer->encode("é")) == Ids{7, 8});
    CHECK(idsOf(*tokenizer->encode("a<|end|>b")) == Ids{0, 9, 1});
    CHECK(idsOf(*tokenizer->encode("a<user>b", SpecialTokens::asText)) == Ids{0, 10, 1});
    CHECK(tokenizer->encode("<|end|>", SpecialTokens::asText).error().sentence() ==
          "prompt: \"<\" is not in this tokenizer's vocabulary; leave it out, or use the model's "
          "own tokenizer.");
    CHECK(tokenizer->text(6) == " ab");
    CHECK(tokenizer->text(7) == "<0xC3>");
    CHECK(tokenizer->decode({7, 8, 6, 9}) == "é ab<|end|>");
    CHECK(tokenizer->wordStarts({0, 4, 6, 1, 9, 0}) ==
          std::vector<bool>{true, false, true, false, true, true});

    const auto unknown = gguf([&](GgufWriter& writer) { write(writer, "later"); }, 6);
    CHECK(unknown->idsOnlyReason() == "the pre-tokenizer \"later\" is not known");
    CHECK(idsOf(*unknown->encode(" 6 0,9\n")) == Ids{6, 0, 9});
    CHECK(unknown->text(6) == " ab");  // writing is as ever
    CHECK(unknown->encode("6 ab").error().what == "\"ab\" is not an id from 0 to 10");
    CHECK_FALSE(unknown->encode("11"));
    CHECK_FALSE(unknown->encode("-1"));
    CHECK_FALSE(unknown->encode("99999999999"));
    CHECK(unknown->encode("")->empty());
}

TEST_CASE("a GGUF vocabulary of BERT's kind has CLS and SEP round every prompt") {
    const auto tokenizer = gguf(
        [](GgufWriter& writer) {
            writer.key("tokenizer.ggml.model", "bert");
            writer.key("tokenizer.ggml.tokens",
                       Texts{"[UNK]", "[CLS]", "[SEP]", "▁play", "ing", "▁!", "▁我", "[MASK]"});
            writer.key("tokenizer.ggml.token_type",
                       std::vector<std::int32_t>{3, 3, 3, 1, 1, 1, 1, 3});
            writer.key("tokenizer.ggml.unknown_token_id", 0u);
        },
        4);
    CHECK(idsOf(*tokenizer->encode("Playing! plaÿ")) == Ids{1, 3, 4, 5, 3, 2});
    CHECK(idsOf(*tokenizer->encode("我我x")) == Ids{1, 6, 6, 0, 2});
    CHECK(idsOf(*tokenizer->encode("[MASK]")) == Ids{1, 7, 2});
    CHECK(tokenizer->text(4) == "##ing");
    CHECK(tokenizer->decode({3, 4, 5, 7}) == "playing ! [MASK]");
    CHECK(tokenizer->wordStarts({1, 3, 4, 5}) == std::vector<bool>{true, true, false, true});
    CHECK(tokenizer->special().sep == 2);
}

TEST_CASE("a damaged vocabulary of a GGUF file is named by its key") {
    const std::string remedy = "; the file is damaged: download or convert it again.";
    const auto gpt2 = [](const Texts& tokens, const Texts& merges) {
        return ggufSentence(
            [&](GgufWriter& writer) {
                writer.key("tokenizer.ggml.model", "gpt2").key("tokenizer.ggml.pre", "gpt-2");
                writer.key("tokenizer.ggml.tokens", tokens).key("tokenizer.ggml.merges", merges);
            },
            4);
    };
    const std::string merges = "f, key \"tokenizer.ggml.merges\": ";
    CHECK(gpt2({"a", "b"}, {}) ==
          merges + "has no merges, without which every byte would be a token" + remedy);
    CHECK(gpt2({"a", "b"}, {"ab"}) == merges + "merge 0 is \"ab\", not two spellings" + remedy);
    CHECK(gpt2({"a", "b"}, {"a b c"}) ==
          merges + "merge 0 is \"a b c\", not two spellings" + remedy);
    CHECK(gpt2({"a", "b"}, {"a "}) == merges + "merge 0 is \"a \", not two spellings" + remedy);
    CHECK(gpt2({"a", "b"}, {"a b"}) ==
          merges + "merge 0 joins \"a\" and \"b\", but \"ab\" is no token" + remedy);
    CHECK(gpt2({"a", "b\xFF"}, {"a b"}) ==
          "f, key \"tokenizer.ggml.tokens\": token 1 is not UTF-8 at its byte 1" + remedy);
    CHECK(gpt2({}, {"a b"}) ==
          "f, key \"tokenizer.ggml.tokens\": is not a list of token strings" + remedy);
    const auto llama = [](const std::function<void(GgufWriter&)>& more, std::uint64_t count) {
        return ggufSentence(
            [&](GgufWriter& writer) {
                writer.key("tokenizer.ggml.model", "llama");
                writer.key("tokenizer.ggml.tokens", Texts{"<unk>", "<s>", "</s>"});
                more(writer);
            },
            2 + count);
    };
    CHECK(llama([](GgufWriter&) {}, 0) ==
          "f, key \"tokenizer.ggml.scores\": is not one score for each of 3 tokens" + remedy);
    CHECK(llama([](GgufWriter& w) { w.key("tokenizer.ggml.scores", std::vector<float>{1}); }, 1) ==
          "f, key \"tokenizer.ggml.scores\": is not one score for each of 3 tokens" + remedy);
    CHECK(llama(
              [](GgufWriter& w) {
                  w.key("tokenizer.ggml.scores", std::vector<float>{0, 0, 0});
                  w.key("tokenizer.ggml.bos_token_id", 3u);
              },
              2) ==
          "f, key \"tokenizer.ggml.bos_token_id\": is 3, but the ids are 0 to 2" + remedy);
    CHECK(
        llama(
            [](GgufWriter& w) { w.key("tokenizer.ggml.token_type", std::vector<std::int32_t>{1}); },
            1) ==
        "f, key \"tokenizer.ggml.token_type\": is not one number for each of 3 tokens" + remedy);
    CHECK(ggufSentence([](GgufWriter&) {}, 0) ==
          "f: has no tokenizer; name the model's tokenizer.json, or another GGUF file of the "
          "model.");
    const auto t5 = gguf(
        [](GgufWriter& writer) {
            writer.key("tokenizer.ggml.model", "t5").key("tokenizer.ggml.tokens", Texts{"▁a"});
        },
        2);
    CHECK(t5->idsOnlyReason() == "tokenizers of the kind \"t5\" are not read");
    CHECK(t5->text(0) == " a");
}

TEST_CASE("a malformed tokenizer.json is refused with a sentence") {
    const auto bpe = [](const std::string& vocab, const std::string& merges) {
        return jsonSentence(R"({"model": {"type": "BPE", "vocab": )" + vocab + R"(, "merges": )" +
                            merges + "}}");
    };
    CHECK(jsonSentence("{") == std::string("f: is not valid JSON at its byte 1") + again);
    CHECK(jsonSentence("{}") ==
          "f: is JSON, but has no tokenizer's \"model\"; name a tokenizer.json, or a vocab.json "
          "with its merges.txt.");
    CHECK(jsonSentence(R"({"model": {"type": "BPE", "vocab": {"a": 0, "a": 1}}})") ==
          std::string("f: the key \"a\" occurs twice") + again);
    CHECK(jsonSentence(std::string(100, '[')) == std::string("f: nests more than 64 deep") + again);
    CHECK(bpe("{}", "[]") == std::string("f: has no vocabulary") + again);
    CHECK(bpe("7", "[]") == std::string("f: has no vocabulary") + again);
    CHECK(bpe(R"({"a": 0, "b": -1})", "[]") ==
          std::string("f: the id of the token \"b\" is -1") + again);
    CHECK(bpe(R"({"a": 4000000000})", "[]") ==
          std::string("f: the id of the token \"a\" is 4000000000") + again);
    CHECK(bpe(R"({"a": 0, "b": 0})", "[]") ==
          std::string("f: the id 0 is given to \"b\" and to another token") + again);
    CHECK(bpe(R"({"a": 0})", "[]") ==
          std::string("f: has no merges, without which every byte would be a token") + again);
    for (const char* merge : {"\"aa\"", "\"a  a\"", "[\"a\"]", "[\"a\", 1]", "7", "[\"a\", \"\"]"})
        CHECK(bpe(R"({"a": 0})", std::string("[") + merge + "]").starts_with("f: merge 0 is "));
    CHECK(bpe(R"({"a": 0})", R"(["a b"])") ==
          std::string("f: merge 0 joins \"a\" and \"b\", but \"b\" is no token") + again);
    const auto with = [](const std::string& part) {
        return R"({"model": {"type": "WordPiece", "vocab": {"a": 0}}, )" + part + "}";
    };
    CHECK(jsonSentence(with(R"("added_tokens": [{"content": "x"}])"))
              .starts_with("f: the added token {\"content\":\"x\"} has no content or no id"));
    CHECK(jsonSentence(with(R"("pre_tokenizer": {"type": "Split", "pattern": {"String": ""}})")) ==
          std::string("f: a pattern is empty") + again);
    CHECK(jsonSentence(with(R"("pre_tokenizer": {"type": "Split", "pattern": 1})")) ==
          std::string("f: a pattern is neither \"String\" nor \"Regex\"") + again);
    CHECK(jsonSentence(with(R"("pre_tokenizer": {"type": "Sequence"})")) ==
          std::string("f: a sequence has no \"pretokenizers\"") + again);
    CHECK(jsonSentence(with(R"("normalizer": [])")) ==
          std::string("f: a step is not an object") + again);
    CHECK(jsonSentence(with(R"("post_processor": {"type": "TemplateProcessing",
                               "single": [{"SpecialToken": {"id": "[X]"}}]})")) ==
          std::string("f: the template names no token \"[X]\"") + again);
    CHECK(jsonSentence(with(R"("post_processor": {"type": "BertProcessing"})")) ==
          std::string("f: its \"cls\" or \"sep\" is no token") + again);
}

TEST_CASE("what a tokenizer.json has of unknown kinds leaves ids, and says why") {
    const auto with = [](const std::string& part) {
        return R"({"model": {"type": "WordPiece", "vocab": {"a": 0}}, )" + part + "}";
    };
    CHECK(reasonOf(R"({"model": {"type": "Unigram", "vocab": [["a", 0.5]]}})") ==
          "tokenizers of the kind \"Unigram\" are not read");
    CHECK(reasonOf(with(R"("pre_tokenizer": {"type": "Falcon"})")) ==
          "the pre-tokenizer \"Falcon\" is not known");
    CHECK(reasonOf(with(R"("normalizer": {"type": "Precompiled"})")) ==
          "the normalizer \"Precompiled\" is not known");
    CHECK(reasonOf(with(R"("post_processor": {"type": "New"})")) ==
          "the post-processor \"New\" is not known");
    CHECK(reasonOf(with(R"("pre_tokenizer": {"type": "Split", "behavior": "Isolated",
                           "pattern": {"Regex": "(a"}})"))
              .starts_with("the pattern \"(a\" is not understood at its byte 2: "));
    CHECK(reasonOf(R"({"model": {"type": "BPE", "end_of_word_suffix": "</w>",
                       "vocab": {"a": 0, "aa": 1}, "merges": ["a a"]}})") ==
          "BPE with \"end_of_word_suffix\" is not read");
    // Known kinds read text.
    CHECK(reasonOf(with(R"("normalizer": null)")).empty());
}

TEST_CASE("a literal String pattern is literal") {
    const auto tokenizer =
        readTokenizerJson(
            asFile(
                R"({"model": {"type": "WordPiece", "vocab": {"a": 0, ".": 1, "[UNK]": 2},
                      "unk_token": "[UNK]"},
            "pre_tokenizer": {"type": "Split", "pattern": {"String": "."},
                              "behavior": "Isolated"}})"))
            .value();
    CHECK(idsOf(*tokenizer->encode("a.a")) == Ids{0, 1, 0});
}

TEST_CASE("GPT-2's pair of files opens by either, or by the folder") {
    const TemporaryFolder folder;
    const std::string vocab = R"({"a": 0, "b": 1, "ab": 2, "Ġ": 3, "model": 4, "{": 5,
                                  "<|endoftext|>": 6})";
    folder.write("vocab.json", vocab);
    CHECK(openTokenizer(folder / "vocab.json").error().what ==
          "is JSON, but no tokenizer.json, and has no merges.txt beside it");
    CHECK(openTokenizer(folder.path()).error().what == "has no tokenizer in it");
    folder.write("merges.txt", "#version: 0.2\na b\n");
    for (const auto& path : {folder / "vocab.json", folder / "merges.txt", folder.path()}) {
        const auto tokenizer = openTokenizer(path).value();
        CHECK(idsOf(*tokenizer->encode("ab a<|endoftext|>")) == Ids{2, 3, 0, 6});
        CHECK(tokenizer->special().eos == 6);
    }
    // The class beside them says how text is cut; an unknown one cannot.
    folder.write("tokenizer_config.json", R"({"tokenizer_class": "NewTokenizer"})");
    CHECK(openTokenizer(folder.path()).value()->idsOnlyReason() ==
          "how \"NewTokenizer\" cuts text into words is not known");
    folder.write("tokenizer_config.json", R"({"tokenizer_class": "Qwen2Tokenizer",
                                              "bos_token": null, "eos_token": {"content": "a"}})");
    CHECK(openTokenizer(folder.path()).value()->special().eos == 0);
    folder.write("merges.txt", "a b\nab\n");
    CHECK(openTokenizer(folder.path()).error().what == "line 2 is \"ab\", not two spellings");
    folder.write("merges.txt", "#version: 0.2\n\n");
    CHECK(openTokenizer(folder.path()).error().what ==
          "has no merges, without which every byte would be a token");
}

TEST_CASE("what is no tokenizer is named as what it is") {
    const TemporaryFolder folder;
    const auto sentence = [&folder](const std::string& bytes) {
        return openTokenizer(folder.write("f", bytes)).error().what;
    };
    CHECK(sentence("") == "is empty");
    CHECK(sentence("<!DOCTYPE html>") == "is a web page");
    CHECK(sentence("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n")
              .starts_with("is a Git LFS pointer"));
    CHECK(sentence("\n\x0e\n\x05<unk>\x15\0\0\0\0") ==
          "is a SentencePiece model, which is not read");
    CHECK(sentence("some text") == "is no tokenizer");
    CHECK(openTokenizer(folder / "none").error().what == "there is no such file");
}

TEST_CASE("a megabyte without a space takes no quadratic time") {
    // With a quadratic step this would not end within the test's time limit.
    const auto tokenizer = readLlama2cTokenizer(asFile(tokenizerBin(fewTokens))).value();
    std::string text;
    while (text.size() < (1u << 20)) text += "bcb";
    const auto pieces = tokenizer->encode(text).value();
    CHECK(tokenizer->decode(idsOf(pieces)) == "<s> " + text);
}

TEST_CASE("a hostile pattern or replacement ends in a sentence") {
    const auto tokenizer =
        readTokenizerJson(asFile(
                              R"({"model": {"type": "WordPiece", "vocab": {"a": 0}},
            "pre_tokenizer": {"type": "Split", "behavior": "Isolated",
                              "pattern": {"Regex": "(a+)+$"}}})"))
            .value();
    CHECK(tokenizer->encode(std::string(40, 'a') + "b").error().kind == Error::Kind::badInput);
    std::string doubling;
    for (int i = 0; i < 60; ++i)
        doubling += std::string(i > 0 ? "," : "") +
                    R"({"type": "Replace", "pattern": {"String": "a"}, "content": "aa"})";
    const auto growing =
        readTokenizerJson(asFile(
                              R"({"model": {"type": "WordPiece", "vocab": {"a": 0}},
            "normalizer": {"type": "Sequence", "normalizers": [)" +
                              doubling + "]}}"))
            .value();
    CHECK(growing->encode("a").error().what ==
          "grows beyond measure in the tokenizer's normalizers");
}
