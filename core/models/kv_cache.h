#pragma once

#include "core/backend/backend.h"
#include "core/models/config.h"

#include <cstdint>
#include <vector>

namespace headloom {

/// Mixed and rotated keys and values of the tokens fed so far, [1, G, P, nCtx, d] a layer (keys of
/// differential attention: [1, 2H, 1, nCtx, d/2]). The
/// paper is silent on what to cache; mixed keys cost P times MHA's memory and save the mixing of
/// every old token at every step, which is what a screen that follows a chain needs.
class KvCache {
  public:
    /// Error: a mask `none` has no order to decode in, so it has no cache.
    /// `capacity` tokens; 0: as many as the model takes, which for a long context is gigabytes.
    static Result<KvCache> make(const ModelConfig& config, Backend& backend,
                                std::int64_t capacity = 0);

    std::int64_t length() const { return length_; }
    std::int64_t capacity() const { return capacity_; }
    /// Forgets tokens from `length` on: going back in a chain.
    void truncate(std::int64_t length);

  private:
    friend class Decoder;
    struct Layer {
        Tensor k, v;
    };
    std::vector<Layer> layers_;
    std::int64_t length_ = 0, capacity_ = 0;
};

}  // namespace headloom
