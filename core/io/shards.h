#pragma once

#include "core/io/tensor_source.h"

namespace headloom {

/// Whether a JSON text is an index of shards: it has a "weight_map".
bool isShardIndex(std::string_view text);

/// The tensors of all the shards that an index (model.safetensors.index.json) names. The index
/// decides which shard's copy counts. Every name must be that of a file beside the index: no paths,
/// and no link that leads elsewhere. Errors list what is missing before anything is read.
Result<TensorListing> listShards(const SourceFile& index);

/// The one checkpoint in a folder: its index, else its one safetensors file, else its one file that
/// is a checkpoint by content. Errors list the candidates.
Result<std::filesystem::path> checkpointInFolder(const std::filesystem::path& folder);

}  // namespace headloom
