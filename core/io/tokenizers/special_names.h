#pragma once

#include "core/models/tokenizers/text_tokenizer.h"

#include <string_view>

namespace headloom {

/// Fills in the roles of special tokens: as a tokenizer_config.json says (`config`, may be empty or
/// damaged: it is not what the tokenizer consists of), else by the names that published models use.
void nameSpecialTokens(TokenizerParts& parts, std::string_view config);

}  // namespace headloom
