#pragma once

#include "core/base/error.h"
#include "core/io/safetensors.h"

#include <string>

namespace headloom {

// What our models and filters have in common as files (semantics.md, "Files of ours").

/// Of "iha.alpha_order", in every file with interleaved heads.
constexpr const char* ownAlphaOrder = "source_target_pseudo";

/// One metadata entry; empty where there is none.
std::string metadataOf(const SafetensorsFile& file, const char* key);

/// Error: a file that says another order of its alphas, or none.
Result<void> checkAlphaOrder(const SafetensorsFile& file);

/// What a part of a file says of itself, with the file's name in front.
Error inFile(const std::string& file, Error error);

}  // namespace headloom
