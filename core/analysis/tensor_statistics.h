#pragma once

#include "core/tensor/tensor.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace headloom {

/// Equal bins from `low` to `high`; the last one holds `high` as well.
struct Histogram {
    double low = 0, high = 0;
    std::vector<std::int64_t> bins;
};

/// What the elements of a tensor are like. Least, most, mean and deviation are those of the finite
/// ones; 0 where there are none.
struct TensorStatistics {
    std::int64_t count = 0, nans = 0, infinities = 0, zeros = 0;
    double least = 0, most = 0, mean = 0, deviation = 0;
    Histogram histogram;  ///< of the finite elements

    std::int64_t finite() const { return count - nans - infinities; }
};

/// A tensor of any size as it is gone through: elements first .. first + out.size() - 1, row-major.
struct ElementSource {
    std::int64_t count = 0;
    std::function<void(std::int64_t first, std::span<float> out)> read;
};
/// A host tensor, float32.
ElementSource elementsOf(const Tensor& tensor);

/// Two passes in blocks, without a copy of the whole; one where no bins are asked for. `cancelled`
/// is polled between blocks; true gives nothing.
std::optional<TensorStatistics> statisticsOf(const ElementSource& elements, int bins,
                                             const std::function<bool()>& cancelled = {});

/// Largest first, [min(rows, columns)]. A matrix [rows, columns], float32, host, finite. Cubic in
/// the smaller side. `cancelled` is polled while it works; true gives nothing.
std::vector<double> singularValues(const Tensor& matrix,
                                   const std::function<bool()>& cancelled = {});

/// How many directions a matrix uses: exp of the entropy of its squared singular values' shares,
/// from 1 to their number; 0 for a matrix of zeros (Roy and Vetterli 2007, with squares).
double effectiveRank(const std::vector<double>& singularValues);

}  // namespace headloom
