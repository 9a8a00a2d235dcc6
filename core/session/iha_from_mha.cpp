#include "core/session/iha_from_mha.h"

#include <fmt/format.h>

#include <algorithm>

namespace headloom {

namespace {

/// Empty: every layer is one that this is for.
Result<void> checkKinds(const Model& mha) {
    if (mha.filter)
        return fail(Error::Kind::unsupported, mha.name, "is a graph filter, which has no decoder",
                    "open a model that reads tokens");
    for (int i = 0; i < mha.config.nLayers(); ++i) {
        const LayerConfig& layer = mha.config.layers[static_cast<std::size_t>(i)];
        if (layer.kind == AttentionKind::iha)
            return fail(Error::Kind::unsupported, mha.name,
                        fmt::format("is already IHA (layer {})", i), "edit its mixing as it is");
        if (layer.kind != AttentionKind::mha)
            return fail(Error::Kind::unsupported, mha.name,
                        fmt::format("layer {} is {}, which is not made of ordinary heads", i,
                                    mha.config.kindWords(layer)),
                        "choose an MHA or GQA model");
    }
    return {};
}

/// Grouped keys and values, and layers of ordinary heads, as IHA has them.
ModelConfig interleaved(ModelConfig config, int nPseudo) {
    config.nKvHeads = config.nHeads;
    for (LayerConfig& layer : config.layers) {
        layer.kind = AttentionKind::iha;
        layer.nPseudo = nPseudo;
        layer.collapse = CollapseKind::full;
        // An ordinary head has one pseudo-head, of which these are other names for the same.
        if (layer.mask == MaskKind::flat) layer.mask = MaskKind::token;
        if (layer.positions == PositionKind::virtualToken) layer.positions = PositionKind::token;
    }
    return config;
}

/// [H, H, P].
Tensor identityMixing(const Shape& shape) {
    const Tensor alpha = Tensor::host(shape, DType::f32);
    const std::int64_t heads = shape[0], pseudo = shape[2];
    for (std::int64_t h = 0; h < heads; ++h)
        std::fill_n(alpha.data<float>() + (h * heads + h) * pseudo, pseudo, 1.0F);
    return alpha;
}

/// [H, H*P].
Tensor meanOfOwn(const Shape& shape, ScoreKind score) {
    const Tensor r = Tensor::host(shape, DType::f32);
    const std::int64_t heads = shape[0], pseudo = shape[1] / heads;
    // A softmax shares one row among the P copies of a key; linear scores add them up.
    const auto copies = static_cast<float>(pseudo);
    const float weight = 1.0F / (score == ScoreKind::linear ? copies * copies : copies);
    for (std::int64_t h = 0; h < heads; ++h)
        std::fill_n(r.data<float>() + h * shape[1] + h * pseudo, pseudo, weight);
    return r;
}

/// [G, ...] as [H, ...]: each group's keys or values once a head.
Tensor perHead(const Tensor& grouped, const Shape& shape) {
    const Tensor all = Tensor::host(shape, DType::f32);
    const std::int64_t each = shape.count() / shape[0], share = shape[0] / grouped.size(0);
    for (std::int64_t h = 0; h < shape[0]; ++h)
        std::copy_n(grouped.data<float>() + h / share * each, each, all.data<float>() + h * each);
    return all;
}

}  // namespace

Result<std::shared_ptr<const Model>> ihaFromMha(const Model& mha, int nPseudo) {
    if (auto fine = checkKinds(mha); !fine) return tl::unexpected(fine.error());
    auto made = std::make_shared<Model>(mha);
    made->config = interleaved(mha.config, nPseudo);
    if (auto fine = validate(made->config); !fine) return tl::unexpected(fine.error());
    made->name = fmt::format("{} as IHA, P = {}", mha.name, nPseudo);
    made->weights = {};
    std::size_t layer = 0;
    for (const WeightSpec& spec : weightSpecs(made->config)) {
        if (spec.role == WeightRole::mixing) {
            made->weights.add(spec.name, identityMixing(spec.shape));
        } else if (spec.role == WeightRole::collapse) {
            const ScoreKind score = made->config.layers[layer++].score;
            made->weights.add(spec.name, meanOfOwn(spec.shape, score));
        } else {
            const Tensor held = mha.weights.find(spec.name);
            made->weights.add(spec.name,
                              held.shape() == spec.shape ? held : perHead(held, spec.shape));
        }
    }
    return made;
}

}  // namespace headloom
