#pragma once

#include "core/models/tokenizers/piece_model.h"
#include "core/models/tokenizers/token_table.h"

#include <memory>
#include <string>

namespace headloom {

/// BERT's WordPiece: the longest token from the left, then the longest that continues a word, and
/// so on; a word that does not come out even is unknown as a whole. Source: google-research/bert,
/// tokenization.py.
class WordPiece final : public PieceModel {
  public:
    struct Options {
        std::string continuation = "##";  ///< before tokens that continue a word
        int unknown = -1;
        std::size_t longestWord = 100;  ///< in characters; a longer word is unknown
    };
    WordPiece(std::shared_ptr<const TokenTable> table, Options options)
        : table_(std::move(table)), options_(std::move(options)) {}

    void encode(std::string_view piece, std::vector<PieceToken>& out) const override;

  private:
    std::shared_ptr<const TokenTable> table_;
    Options options_;
};

}  // namespace headloom
