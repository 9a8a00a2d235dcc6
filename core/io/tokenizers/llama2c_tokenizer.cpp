#include "core/io/tokenizers/sentence_piece.h"
#include "core/io/tokenizers/tokenizer_files.h"
#include "core/models/tokenizers/byte_alphabet.h"

#include <fmt/format.h>

#include <cstring>
#include <limits>

namespace headloom {

namespace {

// As SentencePiece numbers them, and llama2.c with it.
constexpr int unknownId = 0, bosId = 1, eosId = 2, firstByteId = 3;

struct Listed {
    std::vector<std::string_view> tokens;
    std::vector<float> scores;
    std::string failure;  ///< what is wrong; empty: nothing
};

/// The first such files had no length of the longest token in front.
enum class Header { longest, none };

Listed listTokens(std::string_view bytes, Header header) {
    Listed listed;
    const auto stop = [&listed](std::string what) {
        listed.failure = std::move(what);
        return std::move(listed);
    };
    std::int32_t longest = std::numeric_limits<std::int32_t>::max();
    std::size_t at = 0;
    if (header == Header::longest) {
        if (bytes.size() < sizeof(longest)) return stop("is too short for a tokenizer");
        std::memcpy(&longest, bytes.data(), sizeof(longest));
        at = sizeof(longest);
    }
    while (at < bytes.size()) {
        const std::size_t id = listed.tokens.size();
        float score = 0;
        std::int32_t length = 0;
        if (bytes.size() - at < sizeof(score) + sizeof(length))
            return stop(fmt::format("is cut off in token {} at byte {}", id, at));
        std::memcpy(&score, bytes.data() + at, sizeof(score));
        std::memcpy(&length, bytes.data() + at + sizeof(score), sizeof(length));
        at += sizeof(score) + sizeof(length);
        if (length < 0 || static_cast<std::size_t>(length) > bytes.size() - at)
            return stop(fmt::format("token {} claims {} bytes at byte {}, but {} follow", id,
                                    length, at, bytes.size() - at));
        if (length > longest)
            return stop(fmt::format("token {} has {} bytes, but the longest is said to have {}", id,
                                    length, longest));
        listed.tokens.push_back(bytes.substr(at, static_cast<std::size_t>(length)));
        listed.scores.push_back(score);
        at += static_cast<std::size_t>(length);
    }
    if (listed.tokens.size() < static_cast<std::size_t>(firstByteId))
        return stop(fmt::format("has {} tokens, too few", listed.tokens.size()));
    return listed;
}

/// llama2.c writes BOS and EOS with a line break on either side.
std::string_view trimmed(std::string_view text) {
    while (text.starts_with('\n')) text.remove_prefix(1);
    while (text.ends_with('\n')) text.remove_suffix(1);
    return text;
}

TokenEntry entryOf(std::size_t id, std::string_view token) {
    if (id < static_cast<std::size_t>(firstByteId))
        return {std::string(trimmed(token)), TokenEntry::Kind::special};
    const bool isByte = id < firstByteId + 256u && byteOfHexName(token);
    return {std::string(token), isByte ? TokenEntry::Kind::byte : TokenEntry::Kind::normal};
}

}  // namespace

bool looksLikeLlama2cTokenizer(const SourceFile& file) {
    return listTokens(file.text(), Header::longest).failure.empty() ||
           listTokens(file.text(), Header::none).failure.empty();
}

TokenizerResult readLlama2cTokenizer(const SourceFile& file) {
    Listed listed = listTokens(file.text(), Header::longest);
    if (!listed.failure.empty())
        if (Listed older = listTokens(file.text(), Header::none); older.failure.empty())
            listed = std::move(older);
    if (!listed.failure.empty())
        return fail(Error::Kind::badFile, file.name(), listed.failure,
                    "name a tokenizer .bin as llama2.c's tokenizer.py writes it");
    std::vector<TokenEntry> entries;
    entries.reserve(listed.tokens.size());
    for (std::size_t id = 0; id < listed.tokens.size(); ++id)
        entries.push_back(entryOf(id, listed.tokens[id]));
    TokenizerParts parts;
    parts.special.bos = bosId;
    parts.special.eos = eosId;
    parts.special.unk = unknownId;
    parts.implicitStart = {bosId};
    parts.spaceMark = std::string(" ");  // the writer has put spaces back
    for (const int id : {unknownId, bosId, eosId}) {
        AddedToken token;
        token.content = entries[static_cast<std::size_t>(id)].spelling;
        token.id = id;
        token.special = true;
        parts.added.push_back(std::move(token));
    }
    parts.table = std::make_shared<const TokenTable>(std::move(entries));
    fillSentencePiece(parts, std::move(listed.scores), true);
    return makeTokenizer(std::move(parts));
}

}  // namespace headloom
