#include "core/analysis/pooled_matrix.h"

#include <algorithm>
#include <cmath>

namespace headloom {

std::optional<PooledMatrix> pooled(const ElementSource& elements, std::int64_t rows,
                                   std::int64_t columns, std::int64_t most,
                                   const std::function<bool()>& cancelled) {
    PooledMatrix made;
    if (rows < 1 || columns < 1) return made;
    made.block = (std::max(rows, columns) + most - 1) / most;
    const std::int64_t across = (columns + made.block - 1) / made.block;
    made.values = Tensor::host({(rows + made.block - 1) / made.block, across}, DType::f32);
    std::vector<float> line(static_cast<std::size_t>(columns));
    for (std::int64_t row = 0; row < rows; ++row) {
        if (cancelled && cancelled()) return std::nullopt;
        elements.read(row * columns, line);
        float* cells = made.values.data<float>() + row / made.block * across;
        for (std::int64_t column = 0; column < columns; ++column) {
            float& cell = cells[column / made.block];
            const float value = line[static_cast<std::size_t>(column)];
            if (std::abs(value) > std::abs(cell) || std::isnan(value)) cell = value;
        }
    }
    return made;
}

}  // namespace headloom
