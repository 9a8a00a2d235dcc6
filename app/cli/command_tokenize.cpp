#include "app/cli/command.h"
#include "app/cli/text.h"
#include "core/base/utf8.h"
#include "core/io/source_file.h"
#include "core/io/tokenizers/tokenizer_files.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <memory>
#include <optional>

namespace headloom::cli {

namespace {

using json = nlohmann::ordered_json;

struct TokenizeOptions {
    std::string tokenizer;
    std::optional<std::string> prompt, file;
    bool json = false, words = false, specialAsText = false;
};

/// Positions in characters of a text that is given in bytes.
class CharacterPositions {
  public:
    explicit CharacterPositions(std::string_view text) : text_(text), before_(text.size() + 1) {
        for (std::size_t at = 0; at < text.size(); ++at)
            before_[at + 1] = before_[at] + (isWithin(at) ? 0 : 1);
    }
    /// A part of a character counts as all of it.
    std::size_t begin(std::size_t byte) const { return before_[byte] - (isWithin(byte) ? 1 : 0); }
    std::size_t end(std::size_t byte) const { return before_[byte]; }

  private:
    bool isWithin(std::size_t byte) const {
        return byte < text_.size() && (static_cast<unsigned char>(text_[byte]) & 0xC0) == 0x80;
    }

    std::string_view text_;
    std::vector<std::uint32_t> before_;  ///< characters that begin before each byte
};

struct Tokenized {
    const Tokenizer& tokenizer;
    const std::string& prompt;
    std::vector<TokenPiece> pieces;
};

json idOrNull(int id) {
    return id < 0 ? json() : json(id);
}

std::string asJson(const TokenizeOptions& options, const Tokenized& result) {
    const Tokenizer& tokenizer = result.tokenizer;
    const SpecialIds& special = tokenizer.special();
    json root = {{"tokenizer", asUtf8(options.tokenizer)},
                 {"kind", tokenizer.summary()},
                 {"size", tokenizer.size()},
                 {"special",
                  {{"bos", idOrNull(special.bos)},
                   {"eos", idOrNull(special.eos)},
                   {"unk", idOrNull(special.unk)},
                   {"cls", idOrNull(special.cls)},
                   {"sep", idOrNull(special.sep)}}}};
    if (!tokenizer.idsOnlyReason().empty()) root["ids_only"] = tokenizer.idsOnlyReason();
    root["tokens"] = json::array();
    const CharacterPositions positions(result.prompt);
    const std::vector<bool> starts = tokenizer.wordStarts(idsOf(result.pieces));
    for (std::size_t i = 0; i < result.pieces.size(); ++i) {
        const TokenPiece& piece = result.pieces[i];
        json entry = {{"id", piece.id},
                      {"text", tokenizer.text(piece.id)},
                      {"implicit", piece.implicit},
                      {"starts_word", static_cast<bool>(starts[i])}};
        if (!piece.implicit) {
            entry["begin"] = positions.begin(piece.begin);
            entry["end"] = positions.end(piece.end);
        }
        root["tokens"].push_back(std::move(entry));
    }
    return jsonText(root);
}

/// "0-5": the characters of the prompt.
std::string placeOf(const TokenPiece& piece, const CharacterPositions& positions) {
    if (piece.implicit) return "-";
    return fmt::format("{}-{}", positions.begin(piece.begin), positions.end(piece.end));
}

std::string tokenTable(const Tokenized& result) {
    const CharacterPositions positions(result.prompt);
    Table table({"token", "id", "characters", "text"});
    for (std::size_t i = 0; i < result.pieces.size(); ++i) {
        const TokenPiece& piece = result.pieces[i];
        table.add({std::to_string(i), std::to_string(piece.id), placeOf(piece, positions),
                   visible(result.tokenizer.text(piece.id)) +
                       (piece.implicit ? "  (added to every prompt)" : "")});
    }
    return table.text();
}

std::string wordTable(const Tokenized& result) {
    const std::vector<int> ids = idsOf(result.pieces);
    const std::vector<bool> starts = result.tokenizer.wordStarts(ids);
    Table table({"word", "tokens", "ids", "text"});
    int word = 0;
    for (std::size_t begin = 0; begin < ids.size(); ++word) {
        std::size_t end = begin + 1;
        while (end < ids.size() && !starts[end]) ++end;
        const std::vector<int> own(ids.begin() + static_cast<std::ptrdiff_t>(begin),
                                   ids.begin() + static_cast<std::ptrdiff_t>(end));
        std::string list;
        for (const int id : own) list += (list.empty() ? "" : " ") + std::to_string(id);
        table.add({std::to_string(word), fmt::format("{}-{}", begin, end - 1), list,
                   visible(result.tokenizer.decode(own))});
        begin = end;
    }
    return table.text();
}

std::string asText(const TokenizeOptions& options, const Tokenized& result) {
    const Tokenizer& tokenizer = result.tokenizer;
    std::string text = fmt::format("{}: {}\n", options.tokenizer, tokenizer.summary());
    if (!tokenizer.idsOnlyReason().empty())
        text += fmt::format("The prompt was read as token ids: {}.\n", tokenizer.idsOnlyReason());
    text += "\n" + (options.words ? wordTable(result) : tokenTable(result));
    std::size_t implicit = 0;
    for (const TokenPiece& piece : result.pieces) implicit += piece.implicit ? 1 : 0;
    text += fmt::format("\n{} tokens", result.pieces.size());
    if (implicit > 0) text += fmt::format(", {} of them added to every prompt", implicit);
    return text + "\n";
}

Result<ExitCode> tokenize(const TokenizeOptions& options) {
    std::string prompt;
    if (options.prompt) {
        prompt = *options.prompt;
    } else if (options.file) {
        const auto file = SourceFile::open(*options.file);
        if (!file) return tl::unexpected(file.error());
        prompt = file->text();
    } else {
        return fail(Error::Kind::badInput, {}, "there is no text to tokenize",
                    "give it with --prompt or --file");
    }
    const auto tokenizer = openTokenizer(options.tokenizer);
    if (!tokenizer) return tl::unexpected(tokenizer.error());
    auto pieces =
        (*tokenizer)
            ->encode(prompt, options.specialAsText ? SpecialTokens::asText : SpecialTokens::parsed);
    if (!pieces) return tl::unexpected(pieces.error());
    const Tokenized result{**tokenizer, prompt, std::move(*pieces)};
    const std::string text = options.json ? asJson(options, result) : asText(options, result);
    print(text);
    return exitDone;
}

}  // namespace

void addTokenizeCommand(CLI::App& program, Work& work) {
    auto options = std::make_shared<TokenizeOptions>();
    CLI::App* command = program.add_subcommand(
        "tokenize", "Show the tokens that a model's tokenizer makes of a text");
    command
        ->add_option("--tokenizer", options->tokenizer,
                     "tokenizer.json, vocab.json or merges.txt, a GGUF file,\n"
                     "llama2.c's tokenizer .bin, or a folder with one of them")
        ->required()
        ->type_name("FILE");
    CLI::Option* prompt =
        command->add_option("--prompt", options->prompt, "the text")->type_name("TEXT");
    command->add_option("--file", options->file, "a file with the text, taken as it is")
        ->type_name("FILE")
        ->excludes(prompt);
    command->add_flag("--words", options->words, "join the pieces of a word into one row");
    command->add_flag("--special-as-text", options->specialAsText,
                      "text that spells a special token is only text");
    command->add_flag("--json", options->json, "print JSON");
    command->footer(
        "Tokens that the tokenizer adds to every prompt (BOS, or CLS and SEP) are listed as such.\n"
        "Characters count from 0. Where the tokenizer's way with text is not known, the prompt is\n"
        "a list of token ids, as in --prompt \"1 403 407\".");
    command->callback([options, &work] { work = [options] { return tokenize(*options); }; });
}

}  // namespace headloom::cli
