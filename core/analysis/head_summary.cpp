#include "core/analysis/head_summary.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace headloom {

namespace {

/// One row of w.
void joinTiles(const Tensor& maps, std::int64_t row, std::vector<float>& joined) {
    const std::int64_t pseudo = maps.size(2), rows = maps.size(4), keys = maps.size(5);
    std::fill(joined.begin(), joined.end(), 0.F);
    for (std::int64_t tile = 0; tile < pseudo * pseudo; ++tile) {
        const float* values = maps.data<float>() + (tile * rows + row) * keys;
        for (std::size_t key = 0; key < joined.size(); ++key) joined[key] += values[key];
    }
    if (pseudo > 1)
        for (float& value : joined) value /= static_cast<float>(pseudo);
}

}  // namespace

HeadSummary summarise(const Tensor& maps, int side) {
    const std::int64_t rows = maps.size(4), keys = maps.size(5);
    HeadSummary summary;
    summary.side = static_cast<int>(std::min<std::int64_t>(side, rows));
    summary.thumbnail.resize(static_cast<std::size_t>(summary.side) *
                             static_cast<std::size_t>(summary.side));
    std::vector<float> joined(static_cast<std::size_t>(keys));
    std::vector<std::int64_t> blockOf(static_cast<std::size_t>(keys));
    for (std::int64_t key = 0; key < keys; ++key)
        blockOf[static_cast<std::size_t>(key)] = key * summary.side / keys;
    double distance = 0, first = 0;
    for (std::int64_t row = 0; row < rows; ++row) {
        joinTiles(maps, row, joined);
        float* blocks = summary.thumbnail.data() + row * summary.side / rows * summary.side;
        double sum = 0, far = 0;
        for (std::int64_t key = 0; key < keys; ++key) {
            const float size = std::abs(joined[static_cast<std::size_t>(key)]);
            if (size == 0) continue;
            sum += size;
            far += double{size} * static_cast<double>(std::abs(row - key));
            float& block = blocks[blockOf[static_cast<std::size_t>(key)]];
            block = std::max(block, size);
        }
        if (sum > 0) distance += far / sum;
        if (row > 0 || rows == 1) first += joined[0];
    }
    summary.distance = distance / static_cast<double>(rows);
    summary.first = first / static_cast<double>(std::max<std::int64_t>(1, rows - 1));
    return summary;
}

}  // namespace headloom
