#include "core/analysis/logit_lens.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

namespace headloom {

namespace {

using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Place = LensPoint::Place;

/// A residual stream after the final norm, with its own scale.
Eigen::RowVectorXf finalNorm(const ModelConfig& config, const Weights& weights,
                             const std::vector<double>& residual) {
    Eigen::Map<const Eigen::RowVectorXd> x(residual.data(),
                                           static_cast<Eigen::Index>(residual.size()));
    if (!config.finalNorm) return x.cast<float>();
    const double mean = config.norm == NormKind::layer ? x.mean() : 0;
    const Eigen::RowVectorXd centred = x.array() - mean;
    const double variance = centred.squaredNorm() / static_cast<double>(x.size());
    const auto named = [&](const char* name) {
        const Tensor tensor = weights.find(name);
        return Eigen::Map<const Eigen::RowVectorXf>(tensor.data<float>(), tensor.count());
    };
    Eigen::RowVectorXf out = (centred / std::sqrt(variance + config.normEpsilon))
                                 .cast<float>()
                                 .cwiseProduct(named("ln_final.w"));
    if (weights.find("ln_final.b")) out += named("ln_final.b");
    return out;
}

/// Logits of a slot at every point, [points, classes].
Matrix logitsOf(const ModelConfig& config, const Weights& weights, const Matrix& normed, int slot) {
    const Eigen::Index classes = config.nClasses(), first = slot * classes;
    const auto matrix = [](const Tensor& tensor) {
        return Eigen::Map<const Matrix>(tensor.data<float>(), tensor.size(0), tensor.size(1));
    };
    Matrix logits;
    if (config.tiedHead)
        logits = normed * matrix(weights.find("embed.W_E")).transpose();
    else
        logits = normed * matrix(weights.find("unembed.W_U")).middleCols(first, classes);
    if (const Tensor bias = weights.find("unembed.b_U"))
        logits.rowwise() +=
            Eigen::Map<const Eigen::RowVectorXf>(bias.data<float>() + first, classes);
    if (const auto cap = static_cast<float>(config.logitCap); cap > 0)
        logits = cap * (logits.array() / cap).tanh();
    return logits;
}

}  // namespace

std::string_view nameOf(Place place) {
    return place == Place::residPre   ? "resid_pre"
           : place == Place::residMid ? "resid_mid"
                                      : "resid_post";
}

std::vector<LensPoint> logitLens(const ModelConfig& config, const Weights& weights,
                                 const RowTrace& trace, int slot, int token, int count) {
    std::vector<LensPoint> points;
    std::vector<const std::vector<double>*> residuals;
    const auto add = [&](int layer, Place place, const std::vector<double>& residual) {
        points.push_back({layer, place, {}, 0, 0, 0});
        residuals.push_back(&residual);
    };
    for (int layer = 0; layer < config.nLayers(); ++layer) {
        const LayerRow& row = trace.layers[static_cast<std::size_t>(layer)];
        add(layer, Place::residPre, row.residPre);
        if (config.dMlp > 0) add(layer, Place::residMid, row.residMid);
    }
    add(config.nLayers() - 1, Place::residPost, trace.residFinal);

    Matrix normed(static_cast<Eigen::Index>(points.size()), config.dModel);
    for (std::size_t i = 0; i < points.size(); ++i)
        normed.row(static_cast<Eigen::Index>(i)) = finalNorm(config, weights, *residuals[i]);
    const Matrix logits = logitsOf(config, weights, normed, slot);
    for (std::size_t i = 0; i < points.size(); ++i) {
        const std::span<const float> row(logits.row(static_cast<Eigen::Index>(i)).data(),
                                         static_cast<std::size_t>(logits.cols()));
        LensPoint& point = points[i];
        point.top = topCandidates(row, 1, count);
        point.logit = row[static_cast<std::size_t>(token)];
        point.probability = probabilities(row, 1)[static_cast<std::size_t>(token)];
        point.rank = static_cast<int>(std::count_if(
            row.begin(), row.end(), [&](float other) { return other > point.logit; }));
    }
    return points;
}

}  // namespace headloom
