#pragma once

#include "core/models/vocabulary.h"
#include "core/tensor/tensor.h"

#include <span>
#include <vector>

namespace headloom {

/// What one training step or evaluation consumes.
struct Batch {
    Tensor ids;                    ///< as idsOf makes them
    Tensor targets;                ///< [B, N, nSlots] i32, host; negative: not counted
    std::int64_t counted() const;  ///< how many targets count
};

/// Sequences of one length, numbers of the vocabulary, as a decoder reads them: [B, N] i32 on the
/// host, or [B, N, K] where up to K tokens share a position, -1 for none.
Tensor idsOf(const Vocabulary& vocabulary, const std::vector<std::span<const int>>& sequences);

}  // namespace headloom
