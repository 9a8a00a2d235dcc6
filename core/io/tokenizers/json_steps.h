#pragma once

#include "core/models/tokenizers/text_tokenizer.h"

#include <nlohmann/json_fwd.hpp>
#include <tl/expected.hpp>

#include <string>

namespace headloom {

/// Why a part of a tokenizer.json is not read: it is damaged, or of a kind that is not done here.
struct Unread {
    bool damaged = false;
    std::string what;
};
using Step = tl::expected<void, Unread>;

// The parts of a tokenizer.json that say what happens to a text, added to `parts`.

Step readNormaliser(const nlohmann::json& node, TokenizerParts& parts);
Step readPreTokenizer(const nlohmann::json& node, TokenizerParts& parts);
/// What is added to every prompt. Needs parts.table.
Step readPostProcessor(const nlohmann::json& node, TokenizerParts& parts);

/// Whether a part, or a part of a sequence of it, is of a type.
bool hasType(const nlohmann::json& node, const std::string& type);

}  // namespace headloom
