#pragma once

#include "core/tensor/tensor.h"

namespace headloom {

/// What one training step or evaluation consumes.
struct Batch {
    Tensor ids;                    ///< [B, N] i32, host
    Tensor targets;                ///< [B, N, nSlots] i32, host; negative: not counted
    std::int64_t counted() const;  ///< how many targets count
};

}  // namespace headloom
