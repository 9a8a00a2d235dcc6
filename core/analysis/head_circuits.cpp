#include "core/analysis/head_circuits.h"

#include <Eigen/Core>
#include <cmath>
#include <string>

namespace headloom {

namespace {

using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// One head of a tensor [heads, rows, columns].
Eigen::Map<const Matrix> headOf(const Tensor& tensor, std::int64_t head) {
    return {tensor.data<float>() + head * tensor.size(1) * tensor.size(2), tensor.size(1),
            tensor.size(2)};
}

}  // namespace

Tensor headCircuit(const ModelConfig& config, const Weights& weights, int layer, int head,
                   Circuit circuit) {
    const LayerConfig& shape = config.layers[static_cast<std::size_t>(layer)];
    if (shape.kind == AttentionKind::differential) return {};
    const auto find = [&](const char* name) {
        return weights.find("blocks." + std::to_string(layer) + ".attn." + name);
    };
    const bool qk = circuit == Circuit::qk;
    const Tensor first = find(qk ? "W_Q" : "W_V"), second = find(qk ? "W_K" : "W_O");
    if (!first || !second) return {};
    const int group = head / (config.nHeads / config.kvHeads());
    const auto left = headOf(first, qk ? head : group), right = headOf(second, qk ? group : head);
    const Tensor out = Tensor::host({left.rows(), qk ? right.rows() : right.cols()}, DType::f32);
    Eigen::Map<Matrix> product(out.data<float>(), out.size(0), out.size(1));
    if (qk)
        product.noalias() = left * right.transpose();
    else
        product.noalias() = left * right;
    return out;
}

Tensor pooled(const Tensor& matrix, std::int64_t most) {
    const std::int64_t rows = matrix.size(0), columns = matrix.size(1);
    if (rows <= most && columns <= most) return matrix;
    const std::int64_t block = (std::max(rows, columns) + most - 1) / most;
    const Tensor out =
        Tensor::host({(rows + block - 1) / block, (columns + block - 1) / block}, DType::f32);
    const float* from = matrix.data<float>();
    float* to = out.data<float>();
    std::fill(to, to + out.count(), 0.0F);
    for (std::int64_t row = 0; row < rows; ++row)
        for (std::int64_t column = 0; column < columns; ++column) {
            float& cell = to[row / block * out.size(1) + column / block];
            const float value = from[row * columns + column];
            if (std::abs(value) > std::abs(cell) || std::isnan(value)) cell = value;
        }
    return out;
}

}  // namespace headloom
