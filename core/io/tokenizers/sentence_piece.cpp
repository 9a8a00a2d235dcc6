#include "core/io/tokenizers/sentence_piece.h"

#include "core/models/tokenizers/bpe.h"

namespace headloom {

void fillSentencePiece(TokenizerParts& parts, std::vector<float> scores, bool prefixed) {
    parts.kind = "SentencePiece BPE";
    parts.spelling = TokenSpelling::sentencePiece;
    if (prefixed) parts.normalisers.push_back(prepend(" "));
    if (parts.spaceMark != " ") parts.normalisers.push_back(replace(" ", parts.spaceMark));
    parts.model =
        std::make_shared<const ScoredBpe>(parts.table, std::move(scores), parts.special.unk);
}

}  // namespace headloom
