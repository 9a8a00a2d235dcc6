#pragma once

#include "core/analysis/tensor_statistics.h"

#include <optional>

namespace headloom {

/// A matrix made small enough to be drawn: each cell holds the value of largest magnitude of a
/// block of `block` x `block` elements, so that no peak is lost; NaN where the block has one.
struct PooledMatrix {
    Tensor values;  ///< [rows, columns], host, float32; empty: there is no matrix
    std::int64_t block = 1;
};

/// Of `rows * columns` elements in rows, in at most `most` rows and columns. One pass, a row at a
/// time. `cancelled` is polled between rows; true gives nothing.
std::optional<PooledMatrix> pooled(const ElementSource& elements, std::int64_t rows,
                                   std::int64_t columns, std::int64_t most,
                                   const std::function<bool()>& cancelled = {});

}  // namespace headloom
