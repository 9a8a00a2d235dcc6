#include "core/analysis/offset_mixes.h"

#include <Eigen/Eigenvalues>
#include <algorithm>

namespace headloom {

OffsetMixes::OffsetMixes(int nMaps, int most)
    : nMaps_(nMaps),
      most_(most),
      products_(static_cast<std::size_t>(nMaps * nMaps)),
      onOffset_(static_cast<std::size_t>(most * nMaps)) {}

void OffsetMixes::add(std::span<const Tensor> maps, std::span<const int> rows) {
    assert(static_cast<int>(maps.size()) == nMaps_);
    const auto count = static_cast<std::size_t>(nMaps_);
    for (const int row : rows) {
        assert(row >= most_);
        std::vector<std::span<const float>> cells;
        for (const Tensor& map : maps) cells.push_back(map.at(row).values<float>());
        for (std::size_t a = 0; a < count; ++a) {
            for (std::size_t b = 0; b < count; ++b)
                for (std::size_t key = 0; key < cells[a].size(); ++key)
                    products_[a * count + b] += static_cast<double>(cells[a][key]) * cells[b][key];
            for (int offset = 1; offset <= most_; ++offset)
                onOffset_[static_cast<std::size_t>(offset - 1) * count + a] +=
                    cells[a][static_cast<std::size_t>(row - offset)];
        }
        ++rows_;
    }
}

std::vector<OffsetMix> OffsetMixes::solve() const {
    const Eigen::Map<const Eigen::MatrixXd> products(products_.data(), nMaps_, nMaps_);
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(products);
    const Eigen::VectorXd& values = solver.eigenvalues();
    constexpr double rounding = 1e-9;  // of float32 maps: copies of a map add nothing
    Eigen::VectorXd inverse = Eigen::VectorXd::Zero(nMaps_);
    for (int i = 0; i < nMaps_; ++i)
        if (values(i) > rounding * values(nMaps_ - 1)) inverse(i) = 1 / values(i);
    std::vector<OffsetMix> mixes;
    for (int offset = 1; offset <= most_; ++offset) {
        const Eigen::Map<const Eigen::VectorXd> wanted(
            onOffset_.data() + std::ptrdiff_t{offset - 1} * nMaps_, nMaps_);
        const Eigen::VectorXd weights = solver.eigenvectors() * inverse.asDiagonal() *
                                        solver.eigenvectors().transpose() * wanted;
        const double fitted = rows_ > 0 ? weights.dot(wanted) / static_cast<double>(rows_) : 0;
        mixes.push_back({offset, {weights.begin(), weights.end()}, std::clamp(fitted, 0.0, 1.0)});
    }
    return mixes;
}

Tensor mixed(std::span<const Tensor> maps, const OffsetMix& mix) {
    const Tensor sum = Tensor::host(maps.front().shape(), DType::f32);
    for (std::size_t map = 0; map < maps.size(); ++map)
        for (std::int64_t cell = 0; cell < sum.count(); ++cell)
            sum.data<float>()[cell] +=
                static_cast<float>(mix.weights[map] * maps[map].data<float>()[cell]);
    return sum;
}

}  // namespace headloom
