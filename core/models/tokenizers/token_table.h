#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace headloom {

struct TokenEntry {
    enum class Kind {
        normal,
        special,  ///< means something to the model and no text: BOS, [SEP]
        byte      ///< SentencePiece's <0xNN>
    };
    /// As the model looks it up: raw bytes where the file spells bytes as characters.
    std::string spelling;
    Kind kind = Kind::normal;
};

/// The entries of a vocabulary in id order, found by spelling.
class TokenTable {
  public:
    explicit TokenTable(std::vector<TokenEntry> entries);
    TokenTable(const TokenTable&) = delete;
    TokenTable& operator=(const TokenTable&) = delete;

    int size() const { return static_cast<int>(entries_.size()); }
    const TokenEntry& operator[](int id) const { return entries_[static_cast<std::size_t>(id)]; }
    /// The lowest id with that spelling; -1 where there is none.
    int find(std::string_view spelling) const;
    /// Bytes of the longest spelling.
    std::size_t longest() const { return longest_; }

  private:
    std::vector<TokenEntry> entries_;
    std::unordered_map<std::string_view, int> ids_;
    std::size_t longest_ = 0;
};

}  // namespace headloom
