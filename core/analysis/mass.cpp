#include "core/analysis/mass.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>

namespace headloom {

namespace {

/// Sizes of one layer's maps, [1, H, P, P, N, Nk] or without the batch axis.
struct Maps {
    explicit Maps(const Tensor& maps)
        : first(maps.shape().rank() - 5),
          heads(maps.size(first)),
          pseudo(maps.size(first + 1)),
          rows(maps.size(first + 3)),
          keys(maps.size(first + 4)),
          data(maps.data<float>()) {
        assert(first == 0 || (first == 1 && maps.size(0) == 1));
    }

    std::span<const float> row(std::int64_t head, std::int64_t p, std::int64_t r,
                               std::int64_t at) const {
        assert(head < heads && p < pseudo && r < pseudo && at < rows);
        const std::int64_t tile = (head * pseudo + p) * pseudo + r;
        return {data + (tile * rows + at) * keys, static_cast<std::size_t>(keys)};
    }

    int first;
    std::int64_t heads, pseudo, rows, keys;
    const float* data;
};

double sumOf(std::span<const float> row) {
    double sum = 0;
    for (const float cell : row) sum += cell;
    return sum;
}

double sumAt(std::span<const float> row, const std::vector<int>& positions) {
    double sum = 0;
    for (const int position : positions)
        if (position >= 0 && position < static_cast<int>(row.size()))
            sum += row[static_cast<std::size_t>(position)];
    return sum;
}

/// Of the magnitudes s of a row.
struct SizeSums {
    double sizes = 0, logs = 0;  ///< sum of s and of s log(s)
    double logOfSizes = 0;       ///< as the other logarithms are made: that of one cell cancels
};

/// Logarithms to the digits that the cells have and several at a time: they take most of the time
/// of a survey. The sums are not finite where a cell is not.
SizeSums quickSums(std::span<const float> row) {
    constexpr Eigen::Index atOnce = 16;
    using Block = Eigen::Array<float, atOnce, 1>;
    SizeSums sums;
    const auto count = static_cast<Eigen::Index>(row.size());
    for (Eigen::Index at = 0; at < count; at += atOnce) {
        const Eigen::Index here = std::min(atOnce, count - at);
        Block sizes = Block::Zero();
        sizes.head(here) = Eigen::Map<const Eigen::ArrayXf>(row.data() + at, here).abs();
        const double sum = sizes.cast<double>().sum();
        if (sum == 0) continue;  // half of a causal map
        const Block logs = sizes.max(std::numeric_limits<float>::min()).log();
        sums.sizes += sum;
        sums.logs += (sizes.cast<double>() * logs.cast<double>()).sum();
    }
    sums.logOfSizes = Block::Constant(static_cast<float>(sums.sizes)).log().eval()[0];
    return sums;
}

/// The same of the cells that are finite.
SizeSums finiteSums(std::span<const float> row) {
    SizeSums sums;
    for (const float cell : row) {
        const double size = std::abs(cell);
        if (size == 0 || !std::isfinite(size)) continue;
        sums.sizes += size;
        sums.logs += size * std::log(size);
    }
    sums.logOfSizes = std::log(sums.sizes);
    return sums;
}

}  // namespace

double rowMass(const Tensor& maps, int head, int p, int r, int row) {
    return sumOf(Maps(maps).row(head, p, r, row));
}

double tileMass(const Tensor& maps, int head, int p, int r, int row) {
    const Maps all(maps);
    double sum = 0;
    for (int i = 0; i <= row; ++i) sum += sumOf(all.row(head, p, r, i));
    return sum / (row + 1);
}

double evidenceMass(const Tensor& maps, int head, int p, int r, int row,
                    const std::vector<int>& positions) {
    return sumAt(Maps(maps).row(head, p, r, row), positions);
}

EvidenceSummary evidenceSummary(const Tensor& maps, int row, const std::vector<int>& positions) {
    EvidenceSummary summary;
    if (positions.empty()) return summary;
    const Maps all(maps);
    for (int head = 0; head < all.heads; ++head)
        for (int p = 0; p < all.pseudo; ++p) {
            EvidenceEntry entry{head, p, 0};
            for (int r = 0; r < all.pseudo; ++r)
                entry.mass += sumAt(all.row(head, p, r, row), positions);
            if (summary.entries.empty() || entry.mass > summary.best.mass) summary.best = entry;
            summary.mean += entry.mass;
            summary.entries.push_back(entry);
        }
    summary.chosenFrom = static_cast<int>(summary.entries.size());
    summary.mean /= summary.chosenFrom;
    return summary;
}

double rowEntropy(const Tensor& maps, int head, int p, int row) {
    const Maps all(maps);
    double entropy = 0;
    for (int r = 0; r < all.pseudo; ++r)
        for (const float cell : all.row(head, p, r, row))
            if (cell > 0) entropy -= cell * std::log(static_cast<double>(cell));
    return entropy;
}

double entropyBits(std::span<const float> row) {
    // -sum s/S log2(s/S) = log2(S) - sum s log2(s) / S, in one pass
    SizeSums sums = quickSums(row);
    if (!std::isfinite(sums.sizes)) sums = finiteSums(row);
    if (sums.sizes == 0) return std::numeric_limits<double>::quiet_NaN();
    return std::max(0.0, (sums.logOfSizes - sums.logs / sums.sizes) / std::log(2.0));
}

double tileCosine(const Tensor& maps, int head, int p, int r, int otherHead, int otherP, int otherR,
                  int row) {
    const Maps all(maps);
    double product = 0, one = 0, other = 0;
    for (int i = 0; i <= row; ++i) {
        const auto a = all.row(head, p, r, i), b = all.row(otherHead, otherP, otherR, i);
        for (std::size_t j = 0; j < a.size(); ++j) {
            product += static_cast<double>(a[j]) * b[j];
            one += static_cast<double>(a[j]) * a[j];
            other += static_cast<double>(b[j]) * b[j];
        }
    }
    return one > 0 && other > 0 ? product / std::sqrt(one * other) : 0;
}

}  // namespace headloom
