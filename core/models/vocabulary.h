#pragma once

#include "core/base/error.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace headloom {

class Tokenizer;

/// The tokens of a model, one string an id, and how a prompt is read into ids: by longest match, or
/// by the tokenizer that the model was trained with. Cheap to copy.
///
/// Where several tokens may share a position (their embeddings are summed), such a sum is a token
/// with a number of its own, so that a sequence is one number a position everywhere: after the V
/// tokens come the sums of two, then those of three, and so on. It is written "a+3".
class Vocabulary {
  public:
    Vocabulary() = default;
    /// `tokens` in id order; `endToken` ends a chain (-1: none). Up to `mostSummed` tokens share a
    /// position; if that is above 1, "+" is no token and the numbers of all sums fit an int.
    explicit Vocabulary(std::vector<std::string> tokens, int endToken = -1, int mostSummed = 1);
    /// Stands on a tokenizer: its texts are the tokens, its EOS ends a chain, and prompts get its
    /// implicit tokens.
    explicit Vocabulary(std::shared_ptr<const Tokenizer> tokenizer);

    int size() const { return static_cast<int>(tokens().size()); }
    bool empty() const { return tokens().empty(); }
    /// Null for a vocabulary that is a plain list.
    const Tokenizer* tokenizer() const { return tokenizer_.get(); }
    /// The token's or sum's text; "<7>" for a number outside the vocabulary.
    std::string text(int id) const;
    int mostSummed() const { return mostSummed_; }
    /// Whether the number is that of a token or of a sum.
    bool holds(int id) const;
    /// The ids of the tokens that share the position: of a sum in the order it was made of, else
    /// the number itself.
    std::vector<int> parts(int id) const;
    /// The number of 1 to mostSummed() tokens at one position.
    int sumOf(const std::vector<int>& ids) const;
    int endToken() const { return endToken_; }
    const std::vector<std::string>& tokens() const { return *tokens_; }

    /// With a tokenizer, what that gives. Otherwise longest match from the left; white space
    /// between tokens is skipped unless it is a token. Errors: names the first character that no
    /// token begins with, and lists the tokens; a sum of too many tokens or of none.
    Result<std::vector<int>> encode(std::string_view prompt) const;
    /// Concatenated token texts; with a tokenizer, the text it decodes to.
    std::string decode(const std::vector<int>& ids) const;

    /// Empty for one that stands on a tokenizer: a list of its texts would read prompts
    /// differently.
    std::string toJson() const;
    static Result<Vocabulary> fromJson(std::string_view text);

  private:
    /// The longest token that the text begins with; -1: none.
    int matchAt(std::string_view text) const;

    static std::shared_ptr<const std::vector<std::string>> noTokens();

    std::shared_ptr<const std::vector<std::string>> tokens_ = noTokens();
    std::shared_ptr<const Tokenizer> tokenizer_;
    int endToken_ = -1;
    int mostSummed_ = 1;
};

}  // namespace headloom
