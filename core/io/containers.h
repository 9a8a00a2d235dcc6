#pragma once

#include "core/io/tensor_source.h"
#include "core/io/zip.h"

#include <vector>

namespace headloom {

// One reader a container. Each takes the whole file, mapped or in memory, trusts nothing in it and
// gives what openTensorSource passes to TensorSource::of.

/// Whatever the file is by its content; a set of shards is more than one file.
Result<TensorListing> listFile(const SourceFile& file);

/// huggingface/safetensors.
Result<TensorListing> listSafetensors(const SourceFile& file);
/// ggml's GGUF, versions 2 and 3; metadata holds its keys, each as GgufValue::line() spells it.
Result<TensorListing> listGguf(const SourceFile& file);
/// karpathy/llama2.c's versions 0, 1 and 2, under the names of Meta's checkpoints.
Result<TensorListing> listLlama2c(const SourceFile& file);
/// One NumPy array, named after the file.
Result<TensorListing> listNpy(const SourceFile& file);
/// numpy.savez.
Result<TensorListing> listNpz(const SourceFile& file, const std::vector<ZipMember>& members);
/// torch.save since PyTorch 1.6. In the containers that trainers write ({"model": ...,
/// "optimizer": ...} and the like) only the model's tensors are listed, without the outer key.
Result<TensorListing> listTorch(const SourceFile& file, const std::vector<ZipMember>& members);

}  // namespace headloom
