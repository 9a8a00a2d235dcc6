#pragma once

#include "core/models/batch.h"

#include <cstdint>

namespace headloom {

/// Where training samples come from: an endless, numbered supply.
class BatchSource {
  public:
    virtual ~BatchSource() = default;
    /// Samples first .. first+count-1. A sample depends on its number only. Called from several
    /// threads at once.
    virtual Batch batch(std::uint64_t first, std::int64_t count) const = 0;
};

}  // namespace headloom
