#pragma once

#include "core/models/tokenizer.h"
#include "core/models/tokenizers/added_tokens.h"
#include "core/models/tokenizers/normalisers.h"
#include "core/models/tokenizers/piece_model.h"
#include "core/models/tokenizers/splitters.h"
#include "core/models/tokenizers/token_table.h"

#include <memory>
#include <string>
#include <vector>

namespace headloom {

/// How spellings become text again.
enum class TokenSpelling {
    bytes,          ///< they are the text
    sentencePiece,  ///< a mark stands for a space, <0xNN> for a byte
    wordPiece       ///< words are set apart by spaces, except where "##" continues one
};

/// What a tokenizer consists of; the readers of files put it together.
struct TokenizerParts {
    std::string kind;  ///< "byte-level BPE"
    std::shared_ptr<const TokenTable> table;
    TokenSpelling spelling = TokenSpelling::bytes;
    std::string spaceMark = "\xE2\x96\x81";  ///< of sentencePiece: U+2581
    std::string continuation = "##";         ///< of wordPiece

    SpecialIds special;
    std::vector<int> implicitStart, implicitEnd;
    std::vector<AddedToken> added;

    std::vector<Normaliser> normalisers;
    std::vector<Splitter> splitters;
    std::shared_ptr<const PieceModel> model;  ///< null only where text is not read
    /// Why text is not read, without a full stop. Prompts are ids then.
    std::string idsOnlyReason;
};

/// The tokenizers of this program: added tokens first, then normalisers, splitters and the model
/// (the pipeline of huggingface/tokenizers).
std::shared_ptr<const Tokenizer> makeTokenizer(TokenizerParts parts);

}  // namespace headloom
