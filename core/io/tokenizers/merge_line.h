#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace headloom {

/// Whether merges and tokens spell bytes as characters (GPT-2) or are text.
enum class MergeSpelling { bytes, text };

/// The two parts of a merge, as the model looks them up; none where they are not two spellings.
std::optional<std::pair<std::string, std::string>> mergeOfParts(std::string_view left,
                                                                std::string_view right,
                                                                MergeSpelling spelling);
/// The same from "left right".
std::optional<std::pair<std::string, std::string>> mergeOfLine(std::string_view line,
                                                               MergeSpelling spelling);

}  // namespace headloom
