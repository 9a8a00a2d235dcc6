#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace headloom {

/// Inner products of all pairs of a list of patterns as vectors of their cells, summed up block by
/// block: what their cosines and their rank are made of. Cells that are not finite count as 0.
class Gram {
  public:
    explicit Gram(std::int64_t count);

    /// `width` further cells of every pattern; those of pattern i begin at first + i * stride.
    void add(const float* first, std::int64_t width, std::int64_t stride);

    std::int64_t count() const { return count_; }
    double product(std::int64_t a, std::int64_t b) const {
        return products_[static_cast<std::size_t>(a * count_ + b)];
    }
    /// In [-1, 1]; 0 with a pattern of zeros.
    double cosine(std::int64_t a, std::int64_t b) const;
    /// effectiveRank (tensor_statistics.h) of the matrix whose rows are the patterns.
    double rank() const;

  private:
    std::int64_t count_;
    std::vector<double> products_;  ///< [a, b]
};

}  // namespace headloom
