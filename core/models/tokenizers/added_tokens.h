#pragma once

#include "core/models/tokenizer.h"

#include <array>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace headloom {

/// A token that is found in the text before anything else looks at it.
struct AddedToken {
    std::string content;
    int id = -1;
    bool special = false;
    bool singleWord = false;  ///< not within a word
    bool leftStrip = false;   ///< takes the white space before it
    bool rightStrip = false;  ///< takes the white space after it
    bool normalised = false;  ///< looked for after normalising, not before
};

/// Finds added tokens in a text: from the left, the longest at each place.
class AddedTokens {
  public:
    void add(AddedToken token);
    bool empty() const { return tokens_.empty(); }

    /// A stretch of a text: an added token, or text (id -1).
    struct Stretch {
        std::size_t begin, end;
        int id;
    };
    /// The whole text, cut at the added tokens. As text, special ones are not looked for.
    std::vector<Stretch> split(std::string_view text, SpecialTokens special) const;

  private:
    const AddedToken* longestAt(std::string_view text, std::size_t at) const;

    struct Hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const {
            return std::hash<std::string_view>()(text);
        }
    };
    std::unordered_map<std::string, AddedToken, Hash, std::equal_to<>> tokens_;
    /// Lengths of the tokens that begin with a byte, longest first.
    std::array<std::vector<std::size_t>, 256> lengths_;
};

}  // namespace headloom
