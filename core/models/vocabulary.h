#pragma once

#include "core/base/error.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace headloom {

/// The tokens of a small model, one string an id, and how a prompt is read into ids.
class Vocabulary {
  public:
    Vocabulary() = default;
    /// `tokens` in id order; `endToken` ends a chain (-1: none).
    explicit Vocabulary(std::vector<std::string> tokens, int endToken = -1);

    int size() const { return static_cast<int>(tokens_.size()); }
    bool empty() const { return tokens_.empty(); }
    /// The token's text; "<7>" for an id outside the vocabulary.
    std::string text(int id) const;
    int endToken() const { return endToken_; }
    const std::vector<std::string>& tokens() const { return tokens_; }

    /// Longest match from the left; white space between tokens is skipped unless it is a token.
    /// Error: names the first character that no token begins with, and lists the tokens.
    Result<std::vector<int>> encode(std::string_view prompt) const;
    /// Concatenated token texts.
    std::string decode(const std::vector<int>& ids) const;

    std::string toJson() const;
    static Result<Vocabulary> fromJson(std::string_view text);

  private:
    std::vector<std::string> tokens_;
    int endToken_ = -1;
};

}  // namespace headloom
