#include "core/tensor/shape.h"

#include <fmt/ranges.h>

#include <algorithm>

namespace headloom {

Shape::Shape(std::span<const std::int64_t> sizes) : rank_(static_cast<int>(sizes.size())) {
    assert(rank_ <= maxRank);
    std::copy(sizes.begin(), sizes.end(), sizes_.begin());
}

std::int64_t Shape::count() const {
    std::int64_t product = 1;
    for (const std::int64_t size : sizes()) product *= size;
    return product;
}

std::string Shape::text() const {
    return fmt::format("[{}]", fmt::join(sizes(), ", "));
}

}  // namespace headloom
