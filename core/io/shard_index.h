#pragma once

#include "core/base/error.h"

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headloom {

/// What model.safetensors.index.json says: which file holds which tensor.
struct ShardIndex {
    std::vector<std::pair<std::string, std::string>> weightMap;  ///< tensor, shard; as listed
    std::map<std::string, std::string> metadata;                 ///< scalars only
};

/// Errors name `file` and what is wrong with the JSON, or with a shard's name: it must be a plain
/// file name, because an index could otherwise make the program read any file.
Result<ShardIndex> parseShardIndex(std::string_view text, const std::string& file);

}  // namespace headloom
