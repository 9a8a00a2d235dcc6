#pragma once

#include "core/io/stored_type.h"

#include <cstddef>

namespace headloom {

/// Decodes one block of a quantised GGUF type into its blockOf(type).elements numbers. As ggml does
/// it, in float32.
void decodeGgufBlock(StoredType type, const std::byte* block, float* out);

}  // namespace headloom
