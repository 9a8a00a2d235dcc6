#pragma once

#include "core/tensor/tensor.h"

#include <cstdint>
#include <memory>

namespace headloom {

/// A matrix as it is drawn: each cell the largest of `block` x `block` elements. Immutable.
struct MatrixShown {
    std::shared_ptr<const float> values;  ///< row by row; null: nothing to show
    int rows = 0, columns = 0;            ///< cells
    int block = 1;
};

/// Shares the memory of a tensor [rows, columns], float32, host.
inline MatrixShown matrixShown(const Tensor& matrix, std::int64_t block) {
    const auto kept = std::make_shared<const Tensor>(matrix);
    return {std::shared_ptr<const float>(kept, matrix.data<float>()),
            static_cast<int>(matrix.size(0)), static_cast<int>(matrix.size(1)),
            static_cast<int>(block)};
}

}  // namespace headloom
