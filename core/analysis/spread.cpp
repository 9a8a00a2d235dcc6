#include "core/analysis/spread.h"

#include <algorithm>
#include <cmath>

namespace headloom {

void Spread::add(double value) {
    if (!std::isfinite(value)) return;
    least_ = count_ > 0 ? std::min(least_, value) : value;
    most_ = count_ > 0 ? std::max(most_, value) : value;
    ++count_;
    const double before = value - mean_;
    mean_ += before / count_;
    squares_ += before * (value - mean_);
}

double Spread::deviation() const {
    return count_ > 1 ? std::sqrt(squares_ / (count_ - 1)) : none;
}

}  // namespace headloom
