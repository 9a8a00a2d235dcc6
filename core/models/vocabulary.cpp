#include "core/models/vocabulary.h"

#include "core/models/tokenizer.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cassert>
#include <cctype>
#include <limits>
#include <optional>

namespace headloom {

namespace {

constexpr char joins = '+';
constexpr int mostSharers = 16;  // more is a damaged file

/// How many tokens and sums there are; none if an int cannot number them.
std::optional<int> countOf(std::size_t tokens, int mostSummed) {
    double sums = 1, all = 0;
    for (int k = 1; k <= mostSummed; ++k) all += sums *= static_cast<double>(tokens);
    if (all > std::numeric_limits<int>::max()) return std::nullopt;
    return static_cast<int>(all);
}

std::vector<std::string> textsOf(const Tokenizer& tokenizer) {
    std::vector<std::string> texts;
    texts.reserve(static_cast<std::size_t>(tokenizer.size()));
    for (int id = 0; id < tokenizer.size(); ++id) texts.push_back(tokenizer.text(id));
    return texts;
}

}  // namespace

std::shared_ptr<const std::vector<std::string>> Vocabulary::noTokens() {
    static const auto none = std::make_shared<const std::vector<std::string>>();
    return none;
}

Vocabulary::Vocabulary(std::vector<std::string> tokens, int endToken, int mostSummed)
    : tokens_(std::make_shared<const std::vector<std::string>>(std::move(tokens))),
      endToken_(endToken),
      mostSummed_(mostSummed) {
    assert(mostSummed >= 1 && countOf(tokens_->size(), mostSummed));
}

Vocabulary::Vocabulary(std::shared_ptr<const Tokenizer> tokenizer)
    : tokens_(std::make_shared<const std::vector<std::string>>(textsOf(*tokenizer))),
      tokenizer_(std::move(tokenizer)),
      endToken_(tokenizer_->special().eos) {}

bool Vocabulary::holds(int id) const {
    return id >= 0 && id < countOf(tokens_->size(), mostSummed_).value_or(size());
}

std::vector<int> Vocabulary::parts(int id) const {
    std::vector<int> ids;
    if (holds(id))
        for (; id >= size(); id = id / size() - 1) ids.push_back(id % size());
    ids.push_back(id);
    std::reverse(ids.begin(), ids.end());
    return ids;
}

int Vocabulary::sumOf(const std::vector<int>& ids) const {
    assert(!ids.empty() && static_cast<int>(ids.size()) <= mostSummed_);
    int number = -1;
    for (const int id : ids) number = (number + 1) * size() + id;
    return number;
}

std::string Vocabulary::text(int id) const {
    if (!holds(id)) return fmt::format("<{}>", id);
    std::string all;
    for (const int part : parts(id))
        all +=
            (all.empty() ? "" : std::string(1, joins)) + tokens()[static_cast<std::size_t>(part)];
    return all;
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

int Vocabulary::matchAt(std::string_view text) const {
    int best = -1;
    std::size_t length = 0;
    for (int id = 0; id < size(); ++id) {
        const std::string& token = tokens()[static_cast<std::size_t>(id)];
        if (token.size() <= length || text.substr(0, token.size()) != token) continue;
        best = id;
        length = token.size();
    }
    return best;
}

Result<std::vector<int>> Vocabulary::encode(std::string_view prompt) const {
    if (tokenizer_) return tokenizer_->encode(prompt).map(idsOf);
    std::vector<std::vector<int>> positions;
    bool joined = false;  // the next token goes to the last position
    for (std::size_t at = 0; at < prompt.size();) {
        const int token = matchAt(prompt.substr(at));
        if (token >= 0) {
            if (!joined) positions.emplace_back();
            positions.back().push_back(token);
            joined = false;
            at += tokens()[static_cast<std::size_t>(token)].size();
        } else if (std::isspace(static_cast<unsigned char>(prompt[at]))) {
            ++at;
        } else if (mostSummed_ > 1 && prompt[at] == joins && !joined && !positions.empty()) {
            joined = true;
            ++at;
        } else {
            return fail(
                Error::Kind::badInput, "prompt",
                fmt::format("\"{}\" is not in this model's vocabulary", characterAt(prompt, at)),
                "use only " + listed(tokens()));
        }
    }
    if (joined)
        return fail(Error::Kind::badInput, "prompt", "nothing follows the last \"+\"",
                    "name the token that shares the position, or leave the + out");
    std::vector<int> ids;
    for (const std::vector<int>& position : positions) {
        if (static_cast<int>(position.size()) > mostSummed_)
            return fail(Error::Kind::badInput, "prompt",
                        fmt::format("{} tokens cannot share a position", position.size()),
                        fmt::format("join at most {}", mostSummed_));
        ids.push_back(sumOf(position));
    }
    return ids;
}

std::string Vocabulary::decode(const std::vector<int>& ids) const {
    if (tokenizer_) return tokenizer_->decode(ids);
    std::string all;
    for (const int id : ids) all += text(id);
    return all;
}

std::string Vocabulary::toJson() const {
    if (tokenizer_) return {};
    nlohmann::json root{{"tokens", tokens()}, {"end", endToken_}};
    if (mostSummed_ > 1) root["summed"] = mostSummed_;
    return root.dump();
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
    const nlohmann::json summed = root.value("summed", nlohmann::json(1));
    if (!summed.is_number_integer() || summed < 1 || summed > mostSharers) return bad();
    if (!countOf(tokens.size(), summed.get<int>())) return bad();
    return Vocabulary(std::move(tokens), end == root.end() ? -1 : end->get<int>(),
                      summed.get<int>());
}

}  // namespace headloom
