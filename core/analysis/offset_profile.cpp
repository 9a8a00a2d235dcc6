#include "core/analysis/offset_profile.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace headloom {

namespace {

double at(const std::vector<double>& values, int offset) {
    return offset >= 0 && offset < static_cast<int>(values.size())
               ? values[static_cast<std::size_t>(offset)]
               : 0.0;
}

}  // namespace

void OffsetProfile::add(const Tensor& map, std::span<const int> rows) {
    const auto keys = static_cast<int>(map.size(1));
    for (const int row : rows) {
        assert(row >= 0 && row < map.size(0));
        const auto reach = static_cast<std::size_t>(row) + 1;
        if (sums_.size() < reach) {
            sums_.resize(reach);
            magnitudes_.resize(reach);
        }
        const float* cells = map.data<float>() + std::int64_t{row} * keys;
        for (int key = 0; key < keys; ++key) {
            const double cell = cells[key];
            if (!std::isfinite(cell)) continue;
            if (key > row) {
                later_ += std::abs(cell);
                continue;
            }
            const auto offset = static_cast<std::size_t>(row - key);
            sums_[offset] += cell;
            magnitudes_[offset] += std::abs(cell);
        }
        ++rows_;
    }
}

double OffsetProfile::weight(int offset) const {
    return rows_ > 0 ? at(sums_, offset) / static_cast<double>(rows_) : 0;
}

double OffsetProfile::mass() const {
    const double all = std::accumulate(magnitudes_.begin(), magnitudes_.end(), later_);
    return rows_ > 0 ? all / static_cast<double>(rows_) : 0;
}

double OffsetProfile::share(int offset) const {
    const double all = mass() * static_cast<double>(rows_);
    return all > 0 ? at(magnitudes_, offset) / all : 0;
}

double OffsetProfile::later() const {
    const double all = mass() * static_cast<double>(rows_);
    return all > 0 ? later_ / all : 0;
}

std::optional<int> OffsetProfile::dominant() const {
    const auto most = std::max_element(magnitudes_.begin(), magnitudes_.end());
    if (most == magnitudes_.end() || *most <= 0) return std::nullopt;
    return static_cast<int>(most - magnitudes_.begin());
}

std::optional<int> OffsetProfile::carried(const OffsetRule& rule) const {
    const auto offset = dominant();
    if (!offset || mass() < rule.dead || share(*offset) <= rule.share) return std::nullopt;
    return offset;
}

std::vector<int> offsetsCarried(std::span<const OffsetProfile> maps, int most,
                                const OffsetRule& rule) {
    std::vector<int> carried;
    for (int offset = 1; offset <= most; ++offset)
        if (std::any_of(maps.begin(), maps.end(),
                        [&](const OffsetProfile& map) { return map.carried(rule) == offset; }))
            carried.push_back(offset);
    return carried;
}

}  // namespace headloom
