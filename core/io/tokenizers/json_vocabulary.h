#pragma once

#include "core/io/tokenizers/merge_line.h"
#include "core/models/tokenizers/added_tokens.h"
#include "core/models/tokenizers/token_table.h"

#include <nlohmann/json_fwd.hpp>
#include <tl/expected.hpp>

#include <string>
#include <vector>

namespace headloom {

/// Entries in id order of {"spelling": id, ...}, or of Unigram's [["spelling", score], ...]. Ids
/// that nothing has are entries without a spelling. The error says what is wrong.
tl::expected<std::vector<TokenEntry>, std::string> vocabularyEntries(const nlohmann::json& vocab,
                                                                     MergeSpelling spelling);

/// The added_tokens of a tokenizer.json, put into `entries` too.
tl::expected<std::vector<AddedToken>, std::string> addedTokens(const nlohmann::json& list,
                                                               std::vector<TokenEntry>& entries);

}  // namespace headloom
