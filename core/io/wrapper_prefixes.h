#pragma once

#include "core/io/tensor_source.h"

namespace headloom {

/// Removes what torch.compile ("_orig_mod.", anywhere in a name) and DistributedDataParallel
/// ("module.", at its start) put around a model, as often as it is there, and says so in the
/// warnings. Two tensors that would then share a name are an error.
Result<void> removeWrapperPrefixes(TensorListing& listing);

}  // namespace headloom
