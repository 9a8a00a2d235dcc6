#include "tests/fuzz/tokenizer_targets.h"

#include "core/io/tokenizers/tokenizer_files.h"
#include "core/models/vocabulary.h"
#include "tests/fuzz/container_targets.h"
#include "tests/support/gguf_writer.h"

#include <algorithm>

namespace headloom::testing {

namespace {

using Texts = std::vector<std::string>;

/// Reads, spells and writes: everything that looks into the vocabulary.
void use(const TokenizerResult& tokenizer) {
    if (!tokenizer) return;
    const Vocabulary vocabulary(*tokenizer);
    for (const char* prompt : {"", "ab a", " \xC3\xA9\xE6\x88\x91  <s>[SEP]\n", "0 1", "a\xFF"})
        for (const SpecialTokens special : {SpecialTokens::parsed, SpecialTokens::asText}) {
            const auto pieces = (*tokenizer)->encode(prompt, special);
            if (!pieces) continue;
            (void)(*tokenizer)->decode(idsOf(*pieces));
            (void)(*tokenizer)->wordStarts(idsOf(*pieces));
        }
}

std::string ggufVocabulary(const char* model, const Texts& tokens) {
    GgufWriter writer;
    writer.header(3, 1, 8).key("tokenizer.ggml.model", model).key("tokenizer.ggml.pre", "gpt-2");
    writer.key("tokenizer.ggml.tokens", tokens);
    writer.key("tokenizer.ggml.token_type", std::vector<std::int32_t>{3, 3, 6, 1, 1, 4});
    writer.key("tokenizer.ggml.scores", std::vector<float>{0, 0, 0, -2, -1, 0});
    writer.key("tokenizer.ggml.merges", Texts{"a b"});
    writer.key("tokenizer.ggml.bos_token_id", 1u).flag("tokenizer.ggml.add_bos_token", true);
    writer.tensor("q", {32, 1}, 8, 0).pad();
    writer.bytes += std::string(34, '\1');
    return writer.bytes;
}

}  // namespace

void openGguf(std::span<const std::byte> bytes) {
    openContainer(bytes);
    if (const auto file = GgufFile::parse({"fuzz", bytes, nullptr})) use(readGgufTokenizer(*file));
}

void openTokenizerJson(std::span<const std::byte> bytes) {
    use(readTokenizerJson({"fuzz", bytes, nullptr}));
}

void openTokenizerBin(std::span<const std::byte> bytes) {
    use(readLlama2cTokenizer({"fuzz", bytes, nullptr}));
}

TokenizerResult readTokenizerPair(std::span<const std::byte> bytes) {
    const auto next = [&bytes] {
        const auto end = std::find(bytes.begin(), bytes.end(), std::byte{0});
        const auto file = bytes.first(static_cast<std::size_t>(end - bytes.begin()));
        bytes = bytes.subspan(std::min(bytes.size(), file.size() + 1));
        return file;
    };
    const SourceFile vocab{"vocab.json", next(), nullptr}, merges{"merges.txt", next(), nullptr};
    const SourceFile config{"tokenizer_config.json", next(), nullptr};
    return readVocabAndMerges(vocab, merges, config.text());
}

void openTokenizerPair(std::span<const std::byte> bytes) {
    use(readTokenizerPair(bytes));
}

std::vector<std::string> ggufSeeds() {
    return {ggufVocabulary("gpt2", {"<unk>", "<s>", "x", "a", "b", "ab"}),
            ggufVocabulary("llama", {"<unk>", "<s>", "<0x61>", "\u2581", "\u2581a", "u"}),
            ggufVocabulary("bert", {"[UNK]", "[CLS]", "x", "\u2581a", "b", "[SEP]"})};
}

std::vector<std::string> tokenizerJsonSeeds() {
    return {
        R"({"added_tokens":[{"id":3,"content":"<s>","special":true,"lstrip":true}],
            "pre_tokenizer":{"type":"Sequence","pretokenizers":[
              {"type":"Split","pattern":{"Regex":"\\p{L}+|\\s"},"behavior":"Isolated"},
              {"type":"ByteLevel","add_prefix_space":true,"use_regex":false}]},
            "post_processor":{"type":"TemplateProcessing","single":[
              {"SpecialToken":{"id":"<s>"}},{"Sequence":{"id":"A"}}]},
            "model":{"type":"BPE","vocab":{"a":0,"b":1,"ab":2},"merges":["a b",["a","b"]],
              "ignore_merges":true}})",
        "{\"normalizer\":{\"type\":\"Sequence\",\"normalizers\":[{\"type\":\"NFKC\"},"
        "{\"type\":\"Prepend\",\"prepend\":\"\u2581\"},"
        "{\"type\":\"Replace\",\"pattern\":{\"String\":\" \"},\"content\":\"\u2581\"}]},"
        "\"model\":{\"type\":\"BPE\",\"byte_fallback\":true,\"fuse_unk\":true,\"unk_token\":\"u\","
        "\"vocab\":{\"u\":0,\"\u2581\":1,\"a\":2,\"\u2581a\":3,\"<0xC3>\":4},"
        "\"merges\":[[\"\u2581\",\"a\"]]}}",
        R"({"normalizer":{"type":"BertNormalizer"},"pre_tokenizer":{"type":"BertPreTokenizer"},
            "post_processor":{"type":"BertProcessing","sep":["[SEP]",3],"cls":["[CLS]",2]},
            "model":{"type":"WordPiece","unk_token":"[UNK]","max_input_chars_per_word":9,
              "vocab":{"a":0,"##b":1,"[CLS]":2,"[SEP]":3,"[UNK]":4}}})"};
}

std::vector<std::string> tokenizerPairSeeds() {
    const std::string vocab =
        R"({"a":0,"b":1,"ab":2,"\u0120":3,"\u0120a":4,"<|endoftext|>":5,"\u00c3":6})";
    const std::string config =
        R"({"tokenizer_class":"GPT2Tokenizer","bos_token":{"content":"<|endoftext|>"}})";
    const std::string merges = "#version: 0.2\na b\r\n\u0120 a\n";
    return {vocab + '\0' + merges + '\0' + config, vocab + '\0' + "a b\n"};
}

std::vector<std::string> tokenizerBinSeeds() {
    GgufWriter writer;  // its numbers are as good for this format
    writer.number<std::int32_t>(6);
    for (const char* token : {"<unk>", "\n<s>\n", "</s>", "<0x61>", " ", " a"}) {
        const std::string text = token;
        writer.number(-1.5f).number(static_cast<std::int32_t>(text.size()));
        writer.bytes += text;
    }
    return {writer.bytes};
}

}  // namespace headloom::testing
