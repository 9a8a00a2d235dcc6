#include <doctest/doctest.h>
#include <fmt/format.h>

#include "tokenizer_support.h"

// Goldens of huggingface/tokenizers: tests/oracle/tokenizer_goldens.py says how they were made.

using namespace headloom;
using namespace headloom::testing;

namespace {

const std::filesystem::path goldens = std::filesystem::path(HEADLOOM_TEST_DATA) / "tokenizers";

std::size_t charactersIn(std::string_view text) {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
    }));
}

/// Where a composed character comes from parts, all of them are its place; for the golden it is the
/// first alone.
bool composes(const std::string& text) {
    for (const char* part : {"\u0301", "\u1161", "\uFF9E"})
        if (text.find(part) != std::string::npos) return true;
    return false;
}

std::string idsAlone(const std::string& line) {
    std::string ids;
    for (const std::string& token : splitAt(line, " "))
        ids += token.substr(0, token.find(':')) + " ";
    return ids;
}

/// "id:begin:end id:begin:end", offsets in characters, as the goldens have it. A part of a
/// character counts as all of it.
std::string spelled(const std::vector<TokenPiece>& pieces, const std::string& text) {
    std::string line;
    for (const TokenPiece& piece : pieces) {
        std::size_t begin = piece.begin, end = piece.end;
        const auto within = [&text](std::size_t at) {
            return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80;
        };
        while (within(begin)) --begin;
        while (within(end)) ++end;
        line += fmt::format("{}{}:{}:{}", line.empty() ? "" : " ", piece.id,
                            piece.implicit ? 0 : charactersIn(text.substr(0, begin)),
                            piece.implicit ? 0 : charactersIn(text.substr(0, end)));
    }
    return line;
}

}  // namespace

TEST_CASE("a tokenizer.json gives the ids and offsets that huggingface/tokenizers gives") {
    const auto texts = splitAt(contentsOf(goldens / "texts.inp"), "\n__headloom_text__\n");
    REQUIRE(texts.size() > 30);
    for (const std::string name :
         {"gpt2", "roberta", "llama3", "qwen2", "smollm", "llama2", "gemma", "metaspace",
          "characters", "bert-uncased", "bert-cased", "words"}) {
        CAPTURE(name);
        const auto tokenizer = openTokenizer(goldens / (name + ".json"));
        REQUIRE_MESSAGE(tokenizer, tokenizer.error().sentence());
        CHECK((*tokenizer)->idsOnlyReason() == "");
        const auto lines = splitAt(contentsOf(goldens / (name + ".out")), "\n");
        REQUIRE(lines.size() == texts.size());
        for (std::size_t i = 0; i < texts.size(); ++i) {
            CAPTURE(i);
            CAPTURE(texts[i]);
            const auto pieces = (*tokenizer)->encode(texts[i]);
            REQUIRE_MESSAGE(pieces, pieces.error().sentence());
            const std::string line = spelled(*pieces, texts[i]);
            CHECK(idsAlone(line) == idsAlone(lines[i]));
            if (!composes(texts[i])) CHECK(line == lines[i]);
        }
    }
}
