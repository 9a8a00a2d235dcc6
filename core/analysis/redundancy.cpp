#include "core/analysis/redundancy.h"

#include "core/analysis/dendrogram.h"
#include "core/analysis/gram.h"
#include "core/analysis/mass.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace headloom {

namespace {

double magnitude(std::span<const float> row) {
    double sum = 0;
    for (const float cell : row)
        if (std::isfinite(cell)) sum += std::abs(cell);
    return sum;
}

/// Mass and entropy of one pattern, [rows, keys].
void addRows(const float* cells, std::int64_t rows, std::int64_t keys, Redundancy& redundancy) {
    double mass = 0, entropy = 0;
    int counted = 0;
    for (std::int64_t row = 0; row < rows; ++row) {
        const std::span<const float> values(cells + row * keys, static_cast<std::size_t>(keys));
        mass += magnitude(values);
        const double bits = entropyBits(values);
        if (std::isnan(bits)) continue;
        entropy += bits;
        ++counted;
    }
    redundancy.mass.push_back(mass / static_cast<double>(rows));
    redundancy.entropy.push_back(counted > 0 ? entropy / counted
                                             : std::numeric_limits<double>::quiet_NaN());
}

}  // namespace

Redundancy redundancyOf(const Tensor& patterns) {
    Redundancy redundancy;
    if (!patterns || patterns.count() == 0) return redundancy;
    const std::int64_t rows = patterns.size(-2), keys = patterns.size(-1), cells = rows * keys,
                       count = patterns.count() / cells;
    redundancy.count = static_cast<int>(count);
    Gram gram(count);
    gram.add(patterns.data<float>(), cells, cells);
    for (std::int64_t a = 0; a < count; ++a)
        for (std::int64_t b = 0; b < count; ++b) redundancy.cosines.push_back(gram.cosine(a, b));
    redundancy.effectiveRank = gram.rank();
    for (std::int64_t pattern = 0; pattern < count; ++pattern)
        addRows(patterns.data<float>() + pattern * cells, rows, keys, redundancy);
    return redundancy;
}

PatternClusters clustersOf(const Redundancy& redundancy, const RedundancyThresholds& thresholds) {
    std::vector<int> alive, dead;
    for (int pattern = 0; pattern < redundancy.count; ++pattern)
        (redundancy.mass[static_cast<std::size_t>(pattern)] < thresholds.dead ? dead : alive)
            .push_back(pattern);
    std::vector<double> similarity;
    for (const int a : alive)
        for (const int b : alive) similarity.push_back(redundancy.cosine(a, b));
    const Dendrogram dendrogram(static_cast<int>(alive.size()), similarity);
    const std::vector<int> groups = dendrogram.groupsAbove(thresholds.similar);

    PatternClusters found;
    found.dead = static_cast<int>(dead.size());
    found.cluster.assign(static_cast<std::size_t>(redundancy.count), -1);
    for (std::size_t i = 0; i < alive.size(); ++i) {
        found.cluster[static_cast<std::size_t>(alive[i])] = groups[i];
        found.distinct = std::max(found.distinct, groups[i] + 1);
    }
    for (const int place : dendrogram.order())
        found.order.push_back(alive[static_cast<std::size_t>(place)]);
    found.order.insert(found.order.end(), dead.begin(), dead.end());
    return found;
}

}  // namespace headloom
