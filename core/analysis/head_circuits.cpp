#include "core/analysis/head_circuits.h"

#include "core/analysis/singular_values.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

namespace headloom {

namespace {

using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// One head of a tensor [heads, rows, columns].
Eigen::Map<const Matrix> headOf(const Tensor& tensor, std::int64_t head) {
    return {tensor.data<float>() + head * tensor.size(1) * tensor.size(2), tensor.size(1),
            tensor.size(2)};
}

/// A circuit as the product left * right, [D, d] and [d, D].
struct Factors {
    Eigen::MatrixXf left, right;
};

Tensor weightOf(const Weights& weights, int layer, const char* name) {
    return weights.find("blocks." + std::to_string(layer) + ".attn." + name);
}

/// sum_m share(m) heads[m], of a tensor [H, rows, columns].
template <class Share>
Eigen::MatrixXf mixture(const Tensor& heads, Share share) {
    Eigen::MatrixXf sum = Eigen::MatrixXf::Zero(heads.size(1), heads.size(2));
    for (std::int64_t m = 0; m < heads.size(0); ++m)
        if (const float weight = share(m); weight != 0) sum += weight * headOf(heads, m);
    return sum;
}

/// Of a tile of IHA or IHA-lite.
Factors tileFactors(const ModelConfig& config, const Weights& weights, int layer, int head,
                    Circuit circuit, const PseudoPair& tile) {
    const LayerConfig& shape = config.layers[static_cast<std::size_t>(layer)];
    const std::int64_t heads = config.nHeads, pseudo = shape.nPseudo;
    const auto mixed = [&](const char* name, const char* mixing, std::int64_t index) {
        const Tensor alpha = weightOf(weights, layer, mixing);
        return mixture(weightOf(weights, layer, name), [&](std::int64_t m) {
            return alpha.data<float>()[(m * heads + head) * pseudo + index];
        });
    };
    if (circuit == Circuit::qk)
        return {mixed("W_Q", "alpha_Q", tile.p), mixed("W_K", "alpha_K", tile.r).transpose()};
    const Tensor out = weightOf(weights, layer, "W_O"), r = weightOf(weights, layer, "R");
    const bool perHead = !r || shape.collapse == CollapseKind::perHead;
    return {mixed("W_V", "alpha_V", tile.r), mixture(out, [&](std::int64_t g) {
                if (perHead && g != head) return 0.0F;
                if (!r) return 1.0F;
                const std::int64_t column = (perHead ? 0 : head * pseudo) + tile.p;
                return r.data<float>()[g * r.size(1) + column];
            })};
}

/// None for differential attention.
std::optional<Factors> factorsOf(const ModelConfig& config, const Weights& weights, int layer,
                                 int head, Circuit circuit, std::optional<PseudoPair> tile) {
    const LayerConfig& shape = config.layers[static_cast<std::size_t>(layer)];
    if (shape.kind == AttentionKind::differential) return std::nullopt;
    const bool qk = circuit == Circuit::qk;
    const Tensor first = weightOf(weights, layer, qk ? "W_Q" : "W_V"),
                 second = weightOf(weights, layer, qk ? "W_K" : "W_O");
    if (!first || !second) return std::nullopt;
    const bool mixes = shape.kind == AttentionKind::iha || shape.kind == AttentionKind::ihaLite;
    if (tile && mixes) return tileFactors(config, weights, layer, head, circuit, *tile);
    const int group = head / (config.nHeads / config.kvHeads());
    const auto left = headOf(first, qk ? head : group), right = headOf(second, qk ? group : head);
    if (qk) return Factors{left, right.transpose()};
    return Factors{left, right};
}

}  // namespace

Tensor headCircuit(const ModelConfig& config, const Weights& weights, int layer, int head,
                   Circuit circuit, std::optional<PseudoPair> tile,
                   const std::function<bool()>& cancelled) {
    const auto factors = factorsOf(config, weights, layer, head, circuit, tile);
    if (!factors) return {};
    const Tensor out = Tensor::host({factors->left.rows(), factors->right.cols()}, DType::f32);
    Eigen::Map<Matrix> product(out.data<float>(), out.size(0), out.size(1));
    constexpr Eigen::Index rowsAtOnce = 256;
    for (Eigen::Index first = 0; first < product.rows(); first += rowsAtOnce) {
        if (cancelled && cancelled()) return {};
        const Eigen::Index taken = std::min(rowsAtOnce, product.rows() - first);
        product.middleRows(first, taken).noalias() =
            factors->left.middleRows(first, taken) * factors->right;
    }
    return out;
}

std::vector<double> circuitSingularValues(const ModelConfig& config, const Weights& weights,
                                          int layer, int head, Circuit circuit,
                                          std::optional<PseudoPair> tile,
                                          const std::function<bool()>& cancelled) {
    const auto factors = factorsOf(config, weights, layer, head, circuit, tile);
    if (!factors || !factors->left.allFinite() || !factors->right.allFinite()) return {};
    // orthogonal matrices on either side change no singular value: the triangles' product has them
    const Eigen::MatrixXd left = triangleOf(factors->left.cast<double>(), cancelled),
                          right = triangleOf(factors->right.transpose().cast<double>(), cancelled);
    if (left.size() == 0 || right.size() == 0) return {};
    const std::vector<double> found = singularValuesOf(left * right.transpose(), cancelled);
    // what the decompositions leave of a zero, some units of 2^-53 of the largest, is one
    constexpr double nothing = 1e-13;
    std::vector<double> values;
    for (const double value : found) values.push_back(value > nothing * found[0] ? value : 0);
    return values;
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
