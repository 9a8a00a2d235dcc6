#pragma once

#include "core/io/tensor_source.h"

#include <string_view>

namespace headloom {

// One reader a container. Each takes the whole file, mapped or in memory, trusts nothing in it and
// gives what openTensorSource passes to TensorSource::of.

/// huggingface/safetensors.
Result<TensorListing> listSafetensors(const SourceFile& file);

}  // namespace headloom
