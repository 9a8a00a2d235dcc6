#include "core/io/content.h"
#include "core/io/tokenizers/tokenizer_files.h"

#include <fmt/format.h>

#include <optional>

namespace headloom {

namespace {

namespace fs = std::filesystem;

constexpr const char* known =
    "tokenizer.json, vocab.json with merges.txt, GGUF and llama2.c's tokenizer .bin are read";

std::optional<SourceFile> openIfThere(const fs::path& path) {
    std::error_code ignored;
    if (!fs::is_regular_file(path, ignored)) return std::nullopt;
    auto file = SourceFile::open(path);
    if (!file) return std::nullopt;
    return std::move(*file);
}

/// The text of the tokenizer_config.json beside a file; empty where there is none.
std::string configBeside(const fs::path& path) {
    const auto config = openIfThere(path.parent_path() / "tokenizer_config.json");
    return config ? std::string(config->text()) : std::string();
}

/// A SentencePiece model is a protocol buffer whose first piece is the unknown token.
bool looksLikeSentencePiece(std::string_view text) {
    return text.starts_with('\n') && text.substr(0, 32).find("<unk>") != std::string_view::npos;
}

/// Whether some "model" in the JSON is an object. A vocab.json has that word too, with a number.
bool looksLikeTokenizerJson(std::string_view text) {
    constexpr std::string_view key = "\"model\"", space = " \t\r\n";
    for (std::size_t at = text.find(key); at != std::string_view::npos;
         at = text.find(key, at + key.size())) {
        const std::size_t colon = text.find_first_not_of(space, at + key.size());
        if (colon == std::string_view::npos || text[colon] != ':') continue;
        const std::size_t value = text.find_first_not_of(space, colon + 1);
        if (value != std::string_view::npos && text[value] == '{') return true;
    }
    return false;
}

TokenizerResult openPair(const fs::path& vocabPath, const fs::path& mergesPath) {
    const auto vocab = SourceFile::open(vocabPath);
    if (!vocab) return tl::unexpected(vocab.error());
    const auto merges = SourceFile::open(mergesPath);
    if (!merges) return tl::unexpected(merges.error());
    return readVocabAndMerges(*vocab, *merges, configBeside(vocabPath));
}

TokenizerResult openJson(const SourceFile& file) {
    if (looksLikeTokenizerJson(file.text()))
        return readTokenizerJson(file, configBeside(file.path));
    const fs::path merges = file.path.parent_path() / "merges.txt";
    if (!openIfThere(merges))
        return fail(Error::Kind::badFile, file.name(),
                    "is JSON, but no tokenizer.json, and has no merges.txt beside it", known);
    return openPair(file.path, merges);
}

TokenizerResult openFile(const SourceFile& file) {
    const std::string_view text = file.text();
    const Content content = contentOf(text);
    if (content == Content::gguf) {
        const auto gguf = GgufFile::parse(file);
        if (!gguf) return tl::unexpected(gguf.error());
        return readGgufTokenizer(*gguf);
    }
    if (content == Content::json) return openJson(file);
    if (text.starts_with("#version"))
        return openPair(file.path.parent_path() / "vocab.json", file.path);
    if (looksLikeSentencePiece(text))
        return fail(Error::Kind::unsupported, file.name(),
                    "is a SentencePiece model, which is not read",
                    "name the tokenizer.json of the same model");
    if (looksLikeLlama2cTokenizer(file)) return readLlama2cTokenizer(file);
    if (content == Content::lfsPointer || content == Content::webPage || content == Content::empty)
        return notATensorFile(file, content);
    return fail(Error::Kind::badFile, file.name(), "is no tokenizer", known);
}

TokenizerResult openFolder(const fs::path& folder) {
    if (const auto file = openIfThere(folder / "tokenizer.json"))
        return readTokenizerJson(*file, configBeside(file->path));
    if (openIfThere(folder / "vocab.json") && openIfThere(folder / "merges.txt"))
        return openPair(folder / "vocab.json", folder / "merges.txt");
    for (const char* name : {"tokenizer.bin", "tokenizer.model"})
        if (const auto file = openIfThere(folder / name)) return openFile(*file);
    return fail(Error::Kind::notFound, folder.string(), "has no tokenizer in it", known);
}

}  // namespace

TokenizerResult openTokenizer(const fs::path& path) {
    std::error_code ignored;
    if (fs::is_directory(path, ignored)) return openFolder(path);
    const auto file = SourceFile::open(path);
    if (!file) return tl::unexpected(file.error());
    return openFile(*file);
}

}  // namespace headloom
