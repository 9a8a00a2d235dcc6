#include "core/models/tokenizers/text_tokenizer.h"

#include "core/base/utf8.h"
#include "core/models/tokenizers/byte_alphabet.h"
#include "core/models/tokenizers/unicode.h"

#include <fmt/format.h>

#include <cctype>
#include <charconv>

namespace headloom {

namespace {

tl::unexpected<Error> bad(std::string what, std::string remedy) {
    return fail(Error::Kind::badInput, "prompt", std::move(what), std::move(remedy));
}

bool beginsWithWhiteSpace(std::string_view text) {
    return !text.empty() && codePointLength(text, 0) > 0 &&
           isWhiteSpace(codePointAt(text, 0).value);
}

bool endsWithWhiteSpace(std::string_view text) {
    return !firstNotUtf8(text) && !text.empty() &&
           isWhiteSpace(codePointBefore(text, text.size()).value);
}

/// "1 403 407" or "1, 403, 407".
Result<std::vector<TokenPiece>> readIds(std::string_view prompt, int size) {
    const auto separates = [](char c) {
        return c == ',' || std::isspace(static_cast<unsigned char>(c)) != 0;
    };
    std::vector<TokenPiece> pieces;
    std::size_t at = 0;
    while (true) {
        while (at < prompt.size() && separates(prompt[at])) ++at;
        if (at == prompt.size()) return pieces;
        std::size_t end = at;
        while (end < prompt.size() && !separates(prompt[end])) ++end;
        const std::string_view word = prompt.substr(at, end - at);
        int id = -1;
        const auto [stop, failed] = std::from_chars(word.data(), word.data() + word.size(), id);
        if (failed != std::errc() || stop != word.data() + word.size() || id < 0 || id >= size)
            return bad(fmt::format("\"{}\" is not an id from 0 to {}", visible(word), size - 1),
                       "give token ids separated by spaces, as in 1 403 407");
        pieces.push_back({id, at, end, false});
        at = end;
    }
}

class TextTokenizer final : public Tokenizer {
  public:
    explicit TextTokenizer(TokenizerParts parts) : parts_(std::move(parts)) {
        for (const AddedToken& token : parts_.added)
            if (!token.normalised) raw_.add(token);
        for (AddedToken token : parts_.added) {
            if (!token.normalised) continue;
            // As its text will look when it is searched for.
            if (const auto content = normalise(AlignedText(token.content, 0)))
                token.content = content->text();
            afterNormalising_.add(std::move(token));
        }
    }

    std::string summary() const override {
        return fmt::format("{}, {} tokens", parts_.kind, size());
    }
    const std::string& idsOnlyReason() const override { return parts_.idsOnlyReason; }
    int size() const override { return parts_.table->size(); }
    const SpecialIds& special() const override { return parts_.special; }
    const std::vector<int>& implicitStart() const override { return parts_.implicitStart; }
    const std::vector<int>& implicitEnd() const override { return parts_.implicitEnd; }

    Result<std::vector<TokenPiece>> encode(std::string_view prompt,
                                           SpecialTokens special) const override;
    std::string text(int id) const override;
    std::string decode(const std::vector<int>& ids) const override;
    std::vector<bool> wordStarts(const std::vector<int>& ids) const override;

  private:
    using Tokens = std::vector<TokenPiece>;
    using Step = tl::expected<void, std::string>;

    tl::expected<AlignedText, std::string> normalise(AlignedText text) const;
    Step encodeText(AlignedText text, bool atPromptStart, SpecialTokens special, Tokens& out) const;
    Step encodePieces(AlignedText text, bool atPromptStart, Tokens& out) const;
    bool exists(int id) const { return id >= 0 && id < size(); }
    bool isSpecial(int id) const {
        return exists(id) && (*parts_.table)[id].kind == TokenEntry::Kind::special;
    }
    bool continues(int id) const {
        return exists(id) && !isSpecial(id) &&
               (*parts_.table)[id].spelling.starts_with(parts_.continuation);
    }
    std::string bytesOf(int id) const;

    TokenizerParts parts_;
    AddedTokens raw_, afterNormalising_;
};

tl::expected<AlignedText, std::string> TextTokenizer::normalise(AlignedText text) const {
    const std::size_t before = text.size();
    for (const Normaliser& normaliser : parts_.normalisers) {
        auto next = normaliser(text);
        if (!next) return next;
        if (!mayGrow(before, next->size()))
            return tl::unexpected<std::string>(
                "grows beyond measure in the tokenizer's normalizers");
        text = std::move(*next);
    }
    return text;
}

TextTokenizer::Step TextTokenizer::encodePieces(AlignedText text, bool atPromptStart,
                                                Tokens& out) const {
    if (text.empty()) return {};
    Pieces pieces{std::move(text), {}, atPromptStart};
    pieces.stretches.emplace_back(0, pieces.text.size());
    for (const Splitter& splitter : parts_.splitters)
        if (auto fine = splitter(pieces); !fine) return fine;
    const std::string_view whole = pieces.text.text();
    std::vector<PieceToken> tokens;
    for (const auto& [begin, end] : pieces.stretches) {
        tokens.clear();
        parts_.model->encode(whole.substr(begin, end - begin), tokens);
        for (const PieceToken& token : tokens) {
            const std::size_t from = begin + token.begin, to = begin + token.end;
            if (token.id < 0)
                return tl::unexpected(fmt::format("\"{}\" is not in this tokenizer's vocabulary",
                                                  visible(whole.substr(from, to - from))));
            out.push_back(
                {token.id, pieces.text.promptBegin(from), pieces.text.promptEnd(to), false});
        }
    }
    return {};
}

/// A stretch of the prompt between added tokens.
TextTokenizer::Step TextTokenizer::encodeText(AlignedText text, bool atPromptStart,
                                              SpecialTokens special, Tokens& out) const {
    auto normal = normalise(std::move(text));
    if (!normal) return tl::unexpected(normal.error());
    for (const auto& [begin, end, id] : afterNormalising_.split(normal->text(), special)) {
        if (id >= 0) {
            out.push_back({id, normal->promptBegin(begin), normal->promptEnd(end), false});
            continue;
        }
        AlignedText stretch;
        stretch.append(*normal, begin, end);
        if (auto fine = encodePieces(std::move(stretch), atPromptStart && begin == 0, out); !fine)
            return fine;
    }
    return {};
}

Result<std::vector<TokenPiece>> TextTokenizer::encode(std::string_view prompt,
                                                      SpecialTokens special) const {
    if (!parts_.idsOnlyReason.empty()) return readIds(prompt, size());
    if (prompt.size() > longestPrompt) return bad("is longer than 2 GiB", "shorten it");
    if (const auto at = firstNotUtf8(prompt))
        return bad(fmt::format("is not UTF-8 at its byte {}", *at), "save the text as UTF-8");
    Tokens out;
    for (const int id : parts_.implicitStart) out.push_back({id, 0, 0, true});
    for (const auto& [begin, end, id] : raw_.split(prompt, special)) {
        if (id >= 0) {
            out.push_back({id, begin, end, false});
            continue;
        }
        const AlignedText text(prompt.substr(begin, end - begin), begin);
        if (auto fine = encodeText(text, begin == 0, special, out); !fine)
            return bad(fine.error(), "leave it out, or use the model's own tokenizer");
    }
    for (const int id : parts_.implicitEnd) out.push_back({id, prompt.size(), prompt.size(), true});
    return out;
}

/// What a token adds to a text; of WordPiece without the space between words.
std::string TextTokenizer::bytesOf(int id) const {
    if (!exists(id)) return fmt::format("<{}>", id);
    const TokenEntry& entry = (*parts_.table)[id];
    if (entry.spelling.empty()) return fmt::format("<{}>", id);  // a gap in the vocabulary
    if (entry.kind == TokenEntry::Kind::special || parts_.spelling == TokenSpelling::bytes)
        return entry.spelling;
    if (parts_.spelling == TokenSpelling::wordPiece)
        return continues(id) ? entry.spelling.substr(parts_.continuation.size()) : entry.spelling;
    if (entry.kind == TokenEntry::Kind::byte)
        if (const auto byte = byteOfHexName(entry.spelling))
            return std::string(1, static_cast<char>(*byte));
    std::string text;
    std::size_t done = 0;
    for (std::size_t at = entry.spelling.find(parts_.spaceMark); at != std::string::npos;
         at = entry.spelling.find(parts_.spaceMark, done)) {
        text += entry.spelling.substr(done, at - done) + " ";
        done = at + parts_.spaceMark.size();
    }
    return text + entry.spelling.substr(done);
}

std::string TextTokenizer::text(int id) const {
    // "##ing" is how a reader of WordPiece tells it from the word "ing".
    if (parts_.spelling == TokenSpelling::wordPiece && exists(id) &&
        !(*parts_.table)[id].spelling.empty())
        return asUtf8((*parts_.table)[id].spelling);
    return asUtf8(bytesOf(id));
}

std::string TextTokenizer::decode(const std::vector<int>& ids) const {
    std::string text;
    for (const int id : ids) {
        if (parts_.spelling == TokenSpelling::wordPiece && !text.empty() && !continues(id))
            text += ' ';
        text += bytesOf(id);
    }
    return text;
}

std::vector<bool> TextTokenizer::wordStarts(const std::vector<int>& ids) const {
    std::vector<bool> starts(ids.size());
    for (std::size_t i = 0; i < ids.size(); ++i) {
        if (i == 0 || isSpecial(ids[i]) || isSpecial(ids[i - 1]))
            starts[i] = true;
        else if (parts_.spelling == TokenSpelling::wordPiece)
            starts[i] = !continues(ids[i]);
        else
            starts[i] =
                beginsWithWhiteSpace(bytesOf(ids[i])) || endsWithWhiteSpace(bytesOf(ids[i - 1]));
    }
    return starts;
}

}  // namespace

std::shared_ptr<const Tokenizer> makeTokenizer(TokenizerParts parts) {
    return std::make_shared<const TextTokenizer>(std::move(parts));
}

}  // namespace headloom
