#include "core/analysis/mass.h"

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
    // -sum s/S log2(s/S) = log2(S) - sum s log2(s) / S, in one pass; the logarithms to the digits
    // that the cells have, since they take most of the time of a survey
    double sum = 0, logs = 0;
    for (const float cell : row) {
        const float size = std::abs(cell);
        if (size == 0 || !std::isfinite(size)) continue;
        sum += size;
        logs += static_cast<double>(size) * std::log2(size);
    }
    if (sum == 0) return std::numeric_limits<double>::quiet_NaN();
    return std::max(0.0, std::log2(static_cast<float>(sum)) - logs / sum);
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
