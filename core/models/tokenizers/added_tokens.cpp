#include "core/models/tokenizers/added_tokens.h"

#include "core/base/utf8.h"
#include "core/models/tokenizers/unicode.h"

#include <algorithm>

namespace headloom {

namespace {

bool isWithinWord(std::string_view text, std::size_t begin, std::size_t end) {
    return (begin > 0 && isWordCharacter(codePointBefore(text, begin).value)) ||
           (end < text.size() && isWordCharacter(codePointAt(text, end).value));
}

}  // namespace

void AddedTokens::add(AddedToken token) {
    // A part of a character is nothing that can be typed, and would cut the text within one.
    if (token.content.empty() || firstNotUtf8(token.content)) return;
    auto& lengths = lengths_[static_cast<unsigned char>(token.content.front())];
    const auto place =
        std::lower_bound(lengths.begin(), lengths.end(), token.content.size(), std::greater<>());
    if (place == lengths.end() || *place != token.content.size())
        lengths.insert(place, token.content.size());
    std::string content = token.content;
    tokens_.insert_or_assign(std::move(content), std::move(token));
}

const AddedToken* AddedTokens::longestAt(std::string_view text, std::size_t at) const {
    for (const std::size_t length : lengths_[static_cast<unsigned char>(text[at])]) {
        if (length > text.size() - at) continue;
        const auto found = tokens_.find(text.substr(at, length));
        if (found != tokens_.end()) return &found->second;
    }
    return nullptr;
}

std::vector<AddedTokens::Stretch> AddedTokens::split(std::string_view text,
                                                     SpecialTokens special) const {
    std::vector<Stretch> stretches;
    std::size_t done = 0;
    for (std::size_t at = 0; at < text.size();) {
        const AddedToken* token = empty() ? nullptr : longestAt(text, at);
        if (!token) {
            ++at;
            continue;
        }
        std::size_t begin = at, end = at + token->content.size();
        at = end;
        if (token->special && special == SpecialTokens::asText) continue;
        if (token->singleWord && isWithinWord(text, begin, end)) continue;
        while (token->leftStrip && begin > done && isWhiteSpace(codePointBefore(text, begin).value))
            begin -= codePointBefore(text, begin).length;
        while (token->rightStrip && end < text.size() && isWhiteSpace(codePointAt(text, end).value))
            end += codePointAt(text, end).length;
        if (begin > done) stretches.push_back({done, begin, -1});
        stretches.push_back({begin, end, token->id});
        at = done = end;
    }
    if (done < text.size()) stretches.push_back({done, text.size(), -1});
    return stretches;
}

}  // namespace headloom
