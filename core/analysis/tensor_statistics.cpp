#include "core/analysis/tensor_statistics.h"

#include "core/analysis/singular_values.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <numeric>

namespace headloom {

namespace {

constexpr std::int64_t blockSize = 1 << 16;

/// Calls `visit` with every element. False: cancelled.
template <class Visit>
bool forEach(const ElementSource& elements, const std::function<bool()>& cancelled, Visit visit) {
    std::vector<float> block;
    for (std::int64_t first = 0; first < elements.count; first += blockSize) {
        if (cancelled && cancelled()) return false;
        block.resize(static_cast<std::size_t>(std::min(blockSize, elements.count - first)));
        elements.read(first, block);
        for (const float value : block) visit(static_cast<double>(value));
    }
    return true;
}

/// The bin of a value within the ends; all in the first where they coincide.
std::size_t binOf(const Histogram& histogram, double value) {
    const double width = histogram.high - histogram.low;
    if (!(width > 0)) return 0;
    const auto count = static_cast<double>(histogram.bins.size());
    const double at = (value - histogram.low) / width * count;
    return static_cast<std::size_t>(std::clamp(at, 0.0, count - 1));
}

}  // namespace

ElementSource elementsOf(const Tensor& tensor) {
    return {tensor.count(), [tensor](std::int64_t first, std::span<float> out) {
                const float* from = tensor.data<float>() + first;
                std::copy(from, from + out.size(), out.begin());
            }};
}

std::optional<TensorStatistics> statisticsOf(const ElementSource& elements, int bins,
                                             const std::function<bool()>& cancelled) {
    TensorStatistics found;
    found.count = elements.count;
    double least = INFINITY, most = -INFINITY, mean = 0, squares = 0;
    std::int64_t seen = 0;
    const bool first = forEach(elements, cancelled, [&](double value) {
        found.nans += std::isnan(value);
        found.infinities += std::isinf(value);
        if (!std::isfinite(value)) return;
        found.zeros += value == 0;
        least = std::min(least, value);
        most = std::max(most, value);
        // Welford's recurrence: no difference of large sums
        const double off = value - mean;
        mean += off / static_cast<double>(++seen);
        squares += off * (value - mean);
    });
    if (!first) return std::nullopt;
    found.histogram.bins.assign(static_cast<std::size_t>(bins), 0);
    if (seen == 0) return found;
    found.least = found.histogram.low = least;
    found.most = found.histogram.high = most;
    found.mean = mean;
    found.deviation = std::sqrt(squares / static_cast<double>(seen));
    if (bins == 0) return found;
    const bool second = forEach(elements, cancelled, [&](double value) {
        if (std::isfinite(value)) ++found.histogram.bins[binOf(found.histogram, value)];
    });
    if (!second) return std::nullopt;
    return found;
}

std::vector<double> singularValues(const Tensor& matrix, const std::function<bool()>& cancelled) {
    using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    const Eigen::Map<const Matrix> values(matrix.data<float>(), matrix.size(0), matrix.size(1));
    return singularValuesOf(values.cast<double>(), cancelled);
}

double effectiveRank(const std::vector<double>& singularValues) {
    double total = 0, entropy = 0;
    for (const double value : singularValues) total += value * value;
    if (total <= 0) return 0;
    for (const double value : singularValues)
        if (const double share = value * value / total; share > 0)
            entropy -= share * std::log(share);
    return std::exp(entropy);
}

}  // namespace headloom
