#include "core/analysis/copies.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace headloom {

namespace {

/// Inner products of all pairs of a list of maps, summed up cell by cell.
class Gram {
  public:
    explicit Gram(std::size_t size) : size_(size), sums_(size * size) {}

    void add(const std::vector<double>& cell) {
        for (std::size_t a = 0; a < size_; ++a)
            for (std::size_t b = a; b < size_; ++b) sums_[a * size_ + b] += cell[a] * cell[b];
    }
    void cosines(double& smallest, double& mean) const {
        double sum = 0;
        std::size_t pairs = 0;
        for (std::size_t a = 0; a < size_; ++a)
            for (std::size_t b = a + 1; b < size_; ++b, ++pairs) {
                const double lengths =
                    std::sqrt(sums_[a * size_ + a]) * std::sqrt(sums_[b * size_ + b]);
                const double cosine = lengths > 0 ? sums_[a * size_ + b] / lengths : 0;
                smallest = std::min(smallest, cosine);
                sum += cosine;
            }
        if (pairs > 0) mean = sum / static_cast<double>(pairs);
    }

  private:
    std::size_t size_;
    std::vector<double> sums_;  ///< [a, b], a <= b
};

PseudoCopies copiesOf(const Tensor& maps, std::int64_t head) {
    const std::int64_t batch = maps.size(0), heads = maps.size(1), pseudo = maps.size(2),
                       tiles = pseudo * pseudo, cells = maps.size(4) * maps.size(5);
    Gram ofQueries(static_cast<std::size_t>(pseudo)), ofTiles(static_cast<std::size_t>(tiles));
    std::vector<double> queries(static_cast<std::size_t>(pseudo)),
        all(static_cast<std::size_t>(tiles));
    for (std::int64_t b = 0; b < batch; ++b) {
        const float* first = maps.data<float>() + (b * heads + head) * tiles * cells;
        for (std::int64_t cell = 0; cell < cells; ++cell) {
            std::fill(queries.begin(), queries.end(), 0.0);
            for (std::int64_t tile = 0; tile < tiles; ++tile) {
                const double value = first[tile * cells + cell];
                all[static_cast<std::size_t>(tile)] = value;
                queries[static_cast<std::size_t>(tile / pseudo)] += value;
            }
            ofQueries.add(queries);
            ofTiles.add(all);
        }
    }
    PseudoCopies copies;
    copies.head = static_cast<int>(head);
    ofQueries.cosines(copies.smallest, copies.mean);
    ofTiles.cosines(copies.tilesSmallest, copies.tilesMean);
    return copies;
}

}  // namespace

std::vector<PseudoCopies> pseudoCopies(const Tensor& maps) {
    std::vector<PseudoCopies> all;
    if (maps.size(2) < 2) return all;
    for (std::int64_t head = 0; head < maps.size(1); ++head) all.push_back(copiesOf(maps, head));
    return all;
}

std::string copiesSentence(const std::vector<PseudoCopies>& heads) {
    if (heads.empty()) return {};
    std::string named;
    std::size_t count = 0;
    double least = heads.front().smallest, most = least;
    for (const PseudoCopies& head : heads) {
        least = std::min(least, head.smallest);
        most = std::max(most, head.smallest);
        if (!head.copies()) continue;
        named += (count++ == 0 ? "" : ", ") + std::to_string(head.head);
    }
    if (count == 0)
        return fmt::format("pseudo-heads differ: map cosine {:.3f} to {:.3f} (smallest of a head)",
                           least, most);
    const std::string where =
        count == heads.size()
            ? "every head"
            : fmt::format("head{} {} of {}", count == 1 ? "" : "s", named, heads.size());
    return fmt::format(
        "pseudo-heads are copies in {} (map cosine above {}): they do the work of one; start with "
        "more noise, or use virtual positions",
        where, copiesAbove);
}

}  // namespace headloom
