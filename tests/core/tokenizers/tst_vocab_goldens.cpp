#include <doctest/doctest.h>

#include <cstdlib>

#include "tokenizer_support.h"

// The vocabularies and expected ids that llama.cpp tests its tokenizers with, made with the models'
// original tokenizers. They are not part of the project: HEADLOOM_FIXTURES names their folder.

using namespace headloom;
using namespace headloom::testing;

namespace {

std::filesystem::path fixtures() {
    const char* folder = std::getenv("HEADLOOM_FIXTURES");
    return folder ? folder : "";
}

std::vector<int> numbersIn(const std::string& line) {
    std::istringstream in(line);
    std::vector<int> numbers;
    for (int number = 0; in >> number;) numbers.push_back(number);
    return numbers;
}

}  // namespace

TEST_CASE("all records of llama.cpp's vocabulary tests give the same ids") {
    if (fixtures().empty()) {
        MESSAGE("skipped: HEADLOOM_FIXTURES is not set");
        return;
    }
    for (const std::string name : {"gpt-2", "llama-spm", "bert-bge"}) {
        CAPTURE(name);
        const auto path = fixtures() / "gguf-vocab" / ("ggml-vocab-" + name + ".gguf");
        const auto tokenizer = openTokenizer(path);
        REQUIRE_MESSAGE(tokenizer, tokenizer.error().sentence());
        CHECK((*tokenizer)->idsOnlyReason().empty());
        const auto texts = splitAt(contentsOf(path.string() + ".inp"), "\n__ggml_vocab_test__\n");
        const auto lines = splitAt(contentsOf(path.string() + ".out"), "\n");
        REQUIRE(texts.size() == lines.size());
        REQUIRE(texts.size() == 46);
        for (std::size_t record = 0; record < texts.size(); ++record) {
            CAPTURE(record);
            CAPTURE(texts[record]);
            const auto pieces = (*tokenizer)->encode(texts[record]);
            REQUIRE(pieces);
            CHECK(typedIds(*pieces) == numbersIn(lines[record]));
        }
    }
}

TEST_CASE("llama2.c's tokenizer spells the ids of stories260K, and reads them back") {
    if (fixtures().empty()) {
        MESSAGE("skipped: HEADLOOM_FIXTURES is not set");
        return;
    }
    const auto tokenizer = openTokenizer(fixtures() / "llama2c" / "tok512.bin").value();
    const std::vector<int> ids = {403, 407, 261, 378, 432, 383, 286, 261, 376, 298, 315, 421,
                                  395, 317, 426, 338, 401, 396, 267, 337, 410, 408, 419, 292};
    const std::string text =
        " Once upon a time, there was a little girl named Lily. She loved to play outsid";
    CHECK(tokenizer->size() == 512);
    CHECK(tokenizer->decode(ids) == text);
    // The first space is the one that encode puts before a text.
    const auto pieces = tokenizer->encode(std::string_view(text).substr(1)).value();
    CHECK(typedIds(pieces) == ids);
    CHECK(pieces.front().id == 1);
    CHECK(pieces.front().implicit);
    CHECK(tokenizer->special().bos == 1);
    CHECK(tokenizer->special().eos == 2);
    CHECK(idsOf(*tokenizer->encode("")) == std::vector<int>{1});
    CHECK(idsOf(*tokenizer->encode("<s>")) == std::vector<int>{1, 1});
}
