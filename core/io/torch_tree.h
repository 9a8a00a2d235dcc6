#pragma once

#include "core/io/torch_tensor.h"

#include <cstddef>

namespace headloom {

/// Finds the tensors in what torch.save was given: names are the keys on the way, joined by dots.
/// Numbers and texts become metadata; objects that are neither are named in the warnings.
/// `pickleBytes` bounds the work: what refers to itself again and again is refused.
Result<TensorListing> listTorchTree(const SourceFile& file, const PickleTree& tree,
                                    const TorchTensors& tensors, std::size_t pickleBytes);

}  // namespace headloom
