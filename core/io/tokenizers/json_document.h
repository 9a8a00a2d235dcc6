#pragma once

#include "core/base/error.h"
#include "core/io/source_file.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace headloom {

// JSON of files that nobody vouches for. A key that occurs twice is refused, because which of two
// would count differs between readers; so is nesting deeper than any tokenizer's.
Result<nlohmann::json> parseJsonDocument(std::string_view text, const std::string& file);

// Members of an object; a default where the member is missing or of another type.
const nlohmann::json& member(const nlohmann::json& object, const char* key);  ///< null: none
std::string textMember(const nlohmann::json& object, const char* key);
bool flagMember(const nlohmann::json& object, const char* key, bool otherwise);

}  // namespace headloom
