#include "core/models/vocabulary.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cctype>

namespace headloom {

Vocabulary::Vocabulary(std::vector<std::string> tokens, int endToken)
    : tokens_(std::move(tokens)), endToken_(endToken) {}

std::string Vocabulary::text(int id) const {
    if (id < 0 || id >= size()) return fmt::format("<{}>", id);
    return tokens_[static_cast<std::size_t>(id)];
}

namespace {

/// The code point that starts at `at`, whole, so that a message never shows half a character.
std::string characterAt(std::string_view text, std::size_t at) {
    std::size_t length = 1;
    while (at + length < text.size() &&
           (static_cast<unsigned char>(text[at + length]) & 0xC0) == 0x80)
        ++length;
    return std::string(text.substr(at, length));
}

std::string listed(const std::vector<std::string>& tokens) {
    constexpr std::size_t most = 40;
    std::string all;
    for (std::size_t i = 0; i < tokens.size() && i < most; ++i) all += (i ? " " : "") + tokens[i];
    return tokens.size() > most ? all + " ..." : all;
}

}  // namespace

Result<std::vector<int>> Vocabulary::encode(std::string_view prompt) const {
    std::vector<int> ids;
    std::size_t at = 0;
    while (at < prompt.size()) {
        int best = -1;
        std::size_t length = 0;
        for (int id = 0; id < size(); ++id) {
            const std::string& token = tokens_[static_cast<std::size_t>(id)];
            if (token.size() > length && prompt.substr(at, token.size()) == token) {
                best = id;
                length = token.size();
            }
        }
        if (best >= 0) {
            ids.push_back(best);
            at += length;
        } else if (std::isspace(static_cast<unsigned char>(prompt[at]))) {
            ++at;
        } else {
            return fail(
                Error::Kind::badInput, "prompt",
                fmt::format("\"{}\" is not in this model's vocabulary", characterAt(prompt, at)),
                "use only " + listed(tokens_));
        }
    }
    return ids;
}

std::string Vocabulary::decode(const std::vector<int>& ids) const {
    std::string all;
    for (const int id : ids) all += text(id);
    return all;
}

std::string Vocabulary::toJson() const {
    return nlohmann::json{{"tokens", tokens_}, {"end", endToken_}}.dump();
}

Result<Vocabulary> Vocabulary::fromJson(std::string_view text) {
    const auto bad = [] {
        return fail(Error::Kind::badFile, "vocabulary", "is not a list of token strings",
                    "save the model again");
    };
    const nlohmann::json root = nlohmann::json::parse(text, nullptr, false);
    if (!root.is_object() || !root.contains("tokens") || !root["tokens"].is_array()) return bad();
    std::vector<std::string> tokens;
    for (const auto& token : root["tokens"]) {
        if (!token.is_string()) return bad();
        tokens.push_back(token.get<std::string>());
    }
    const auto end = root.find("end");
    if (end != root.end() && !end->is_number_integer()) return bad();
    return Vocabulary(std::move(tokens), end == root.end() ? -1 : end->get<int>());
}

}  // namespace headloom
