#include "core/io/tokenizers/json_vocabulary.h"

#include "core/base/utf8.h"
#include "core/io/tokenizers/json_document.h"
#include "core/models/tokenizers/byte_alphabet.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <optional>

namespace headloom {

namespace {

using nlohmann::json;

/// Gaps are rare and small; an id far beyond the number of tokens only wants memory.
constexpr std::uint64_t largestGap = 65536;

tl::unexpected<std::string> wrong(std::string what) {
    return tl::unexpected<std::string>(std::move(what));
}

TokenEntry entryOf(const std::string& spelling, MergeSpelling how) {
    if (how == MergeSpelling::bytes) {
        if (auto bytes = bytesOfSpelling(spelling)) return {std::move(*bytes), {}};
        return {spelling, TokenEntry::Kind::normal};
    }
    return {spelling, byteOfHexName(spelling) ? TokenEntry::Kind::byte : TokenEntry::Kind::normal};
}

/// An id that is a whole number and not far beyond `count` tokens.
std::optional<std::size_t> idOf(const json& value, std::size_t count) {
    if (!value.is_number_unsigned()) return std::nullopt;
    const auto id = value.get<std::uint64_t>();
    if (id > count + largestGap) return std::nullopt;
    return static_cast<std::size_t>(id);
}

std::string shown(const json& value) {
    return value.dump(-1, ' ', false, json::error_handler_t::replace).substr(0, 40);
}

}  // namespace

tl::expected<std::vector<TokenEntry>, std::string> vocabularyEntries(const json& vocab,
                                                                     MergeSpelling spelling) {
    std::vector<TokenEntry> entries;
    if (vocab.is_array()) {
        for (const json& pair : vocab) {
            if (!pair.is_array() || pair.empty() || !pair[0].is_string())
                return wrong(
                    fmt::format("token {} of its vocabulary is no pair of spelling and "
                                "score",
                                entries.size()));
            entries.push_back(entryOf(pair[0].get<std::string>(), spelling));
        }
        return entries;
    }
    if (!vocab.is_object() || vocab.empty()) return wrong("has no vocabulary");
    entries.reserve(vocab.size());
    for (const auto& [text, value] : vocab.items()) {
        const auto id = idOf(value, vocab.size());
        if (!id)
            return wrong(
                fmt::format("the id of the token \"{}\" is {}", visible(text), shown(value)));
        if (*id >= entries.size()) entries.resize(*id + 1);
        if (!entries[*id].spelling.empty())
            return wrong(fmt::format("the id {} is given to \"{}\" and to another token", *id,
                                     visible(text)));
        entries[*id] = entryOf(text, spelling);
    }
    return entries;
}

tl::expected<std::vector<AddedToken>, std::string> addedTokens(const json& list,
                                                               std::vector<TokenEntry>& entries) {
    std::vector<AddedToken> added;
    if (list.is_null()) return added;
    if (!list.is_array()) return wrong("its added tokens are not a list");
    const std::size_t count = entries.size() + list.size();
    for (const json& each : list) {
        AddedToken token;
        token.content = textMember(each, "content");
        const auto id = idOf(member(each, "id"), count);
        if (!id || token.content.empty())
            return wrong(fmt::format("the added token {} has no content or no id", shown(each)));
        token.id = static_cast<int>(*id);
        token.special = flagMember(each, "special", false);
        token.singleWord = flagMember(each, "single_word", false);
        token.leftStrip = flagMember(each, "lstrip", false);
        token.rightStrip = flagMember(each, "rstrip", false);
        token.normalised = flagMember(each, "normalized", !token.special);
        if (*id >= entries.size()) entries.resize(*id + 1);
        TokenEntry& entry = entries[*id];
        // What the model also makes of text keeps the model's spelling.
        if (token.special || entry.spelling.empty()) entry.spelling = token.content;
        if (token.special) entry.kind = TokenEntry::Kind::special;
        added.push_back(std::move(token));
    }
    return added;
}

}  // namespace headloom
