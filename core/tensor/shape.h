#pragma once

#include <array>
#include <cassert>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>

namespace headloom {

/// Sizes of a tensor's axes, outermost first; row-major (C) order everywhere. Up to 6 axes.
/// The order of attention axes is always [batch, head, query pseudo, key pseudo, query, key].
class Shape {
  public:
    static constexpr int maxRank = 6;

    Shape() = default;
    Shape(std::initializer_list<std::int64_t> sizes)
        : Shape(std::span<const std::int64_t>(sizes.begin(), sizes.size())) {}
    explicit Shape(std::span<const std::int64_t> sizes);

    int rank() const { return rank_; }
    /// Size of one axis; negative axes count from the end.
    std::int64_t operator[](int axis) const {
        if (axis < 0) axis += rank_;
        assert(axis >= 0 && axis < rank_);
        return sizes_[static_cast<std::size_t>(axis)];
    }
    /// Product of all sizes; 1 for rank 0.
    std::int64_t count() const;
    std::span<const std::int64_t> sizes() const {
        return {sizes_.data(), static_cast<std::size_t>(rank_)};
    }
    /// "[2, 3, 4]".
    std::string text() const;

    friend bool operator==(const Shape& a, const Shape& b) {
        return a.rank_ == b.rank_ && a.sizes_ == b.sizes_;
    }

  private:
    int rank_ = 0;
    std::array<std::int64_t, maxRank> sizes_ = {};
};

}  // namespace headloom
