#include "core/models/tokenizers/word_piece.h"

#include "core/models/tokenizers/unicode.h"

#include <algorithm>

namespace headloom {

void WordPiece::encode(std::string_view piece, std::vector<PieceToken>& out) const {
    const PieceToken unknown{options_.unknown, 0, piece.size()};
    std::vector<std::size_t> ends;  // of the characters
    for (std::size_t at = 0; at < piece.size();) {
        at += codePointAt(piece, at).length;
        ends.push_back(at);
        if (ends.size() > options_.longestWord) return out.push_back(unknown);
    }
    std::vector<PieceToken> tokens;
    std::string spelling;
    for (std::size_t begin = 0; begin < piece.size();) {
        PieceToken longest;
        // no token reaches further
        auto end = std::upper_bound(ends.begin(), ends.end(), begin + table_->longest());
        while (end != ends.begin() && *--end > begin) {
            spelling = begin > 0 ? options_.continuation : std::string();
            spelling += piece.substr(begin, *end - begin);
            if (const int id = table_->find(spelling); id >= 0) {
                longest = {id, begin, *end};
                break;
            }
        }
        if (longest.id < 0) return out.push_back(unknown);
        tokens.push_back(longest);
        begin = longest.end;
    }
    out.insert(out.end(), tokens.begin(), tokens.end());
}

}  // namespace headloom
