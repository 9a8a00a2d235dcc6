#pragma once

#include "core/models/tokenizers/text_tokenizer.h"

#include <vector>

namespace headloom {

/// SentencePiece's BPE as GGUF and llama2.c store it: one score for each token of parts.table,
/// which must be set, as must parts.special.unk. `prefixed`: text gets a space in front.
void fillSentencePiece(TokenizerParts& parts, std::vector<float> scores, bool prefixed);

}  // namespace headloom
