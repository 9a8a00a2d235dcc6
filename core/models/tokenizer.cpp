#include "core/models/tokenizer.h"

namespace headloom {

std::vector<int> idsOf(const std::vector<TokenPiece>& pieces) {
    std::vector<int> ids;
    ids.reserve(pieces.size());
    for (const TokenPiece& piece : pieces) ids.push_back(piece.id);
    return ids;
}

}  // namespace headloom
