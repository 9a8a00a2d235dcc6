#include "core/session/mha_difference.h"

#include "core/session/maps_in_view.h"
#include "core/session/mixing_weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace headloom {

namespace {

/// alpha [source, target, P] or a mixing [source, target] takes every head from itself alone.
bool isIdentity(const Tensor& mixing) {
    const std::int64_t heads = mixing.size(0), targets = mixing.size(1),
                       each = mixing.count() / (heads * targets);
    const float* value = mixing.data<float>();
    for (std::int64_t source = 0; source < heads; ++source)
        for (std::int64_t target = 0; target < targets; ++target)
            for (std::int64_t p = 0; p < each; ++p)
                if (*value++ != (source == target ? 1.0F : 0.0F)) return false;
    return true;
}

struct Collapse {
    bool own = true;       ///< no head reads another's pseudo-heads
    bool onlyLast = true;  ///< of its own only the last is read
    bool whole = true;     ///< and together once (linear scores: once in P)
};

Collapse collapseOf(const Tensor& r, const LayerConfig& layer) {
    Collapse found;
    const std::int64_t heads = r.size(0), columns = r.size(1), pseudo = layer.nPseudo;
    // linear scores add up the P copies of a key that a softmax shares one row among
    const double once = layer.score == ScoreKind::linear ? 1.0 / static_cast<double>(pseudo) : 1.0;
    for (std::int64_t h = 0; h < heads; ++h) {
        double sum = 0;
        for (std::int64_t c = 0; c < columns; ++c) {
            const float value = r.data<float>()[h * columns + c];
            const bool own = columns == pseudo || c / pseudo == h;
            if (value != 0 && !own) found.own = false;
            if (value != 0 && c % pseudo != pseudo - 1) found.onlyLast = false;
            sum += value;
        }
        found.whole = found.whole && std::abs(sum - once) < 1e-6;
    }
    return found;
}

/// What keeps a layer from being MHA; empty: nothing.
std::string obstacleIn(const Model& model, int index) {
    const LayerConfig& layer = model.config.layers[static_cast<std::size_t>(index)];
    std::optional<Collapse> collapse;
    for (const MixingTensor matrix : mixingTensorsOf(layer)) {
        const Tensor held = model.weights.find(tensorNameOf(matrix, index));
        if (matrix == MixingTensor::collapse)
            collapse = collapseOf(held, layer);
        else if (!isIdentity(held))
            return fmt::format("{} of layer {} is not the identity", nameOf(matrix), index);
    }
    if (collapse && !(collapse->own && collapse->whole))
        return fmt::format("R of layer {} does not read its own head alone and once", index);
    if (layer.nPseudo == 1) return {};
    if (layer.positions == PositionKind::virtualToken)
        return fmt::format(
            "the {} copies of a token stand at positions of their own, so the angle between two "
            "tokens is {}(n - n') + (p - p') and never that of MHA",
            layer.nPseudo, layer.nPseudo);
    if (layer.mask == MaskKind::flat && collapse && !collapse->onlyLast)
        return fmt::format(
            "under the flat mask the first copies of a token do not see all {} copies of their "
            "own token; only R on the last pseudo-head alone gives MHA",
            layer.nPseudo);
    return {};
}

double largestDifference(const Tensor& a, const Tensor& b) {
    const auto ours = a.values<float>(), theirs = b.values<float>();
    double largest = 0;
    for (std::size_t i = 0; i < ours.size(); ++i)
        largest = std::max(largest, std::abs(double(ours[i]) - double(theirs[i])));
    return largest;
}

}  // namespace

MhaDifference mhaEquality(const Model& model) {
    MhaDifference found;
    for (int layer = 0; layer < model.config.nLayers() && found.reason.empty(); ++layer)
        found.reason = obstacleIn(model, layer);
    found.exact = found.reason.empty();
    if (found.exact)
        found.reason =
            "every pseudo-head is a copy of its head, and the copies of a key share what "
            "the key would get";
    return found;
}

Result<std::shared_ptr<const Model>> plainMhaOf(const Model& model) {
    if (model.filter)
        return fail(Error::Kind::unsupported, model.name, "is a graph filter, which has no decoder",
                    "choose a model that reads tokens");
    auto made = std::make_shared<Model>(model);
    for (int i = 0; i < model.config.nLayers(); ++i) {
        LayerConfig& layer = made->config.layers[static_cast<std::size_t>(i)];
        if (layer.kind == AttentionKind::differential)
            return fail(Error::Kind::unsupported, model.name,
                        fmt::format("layer {} is differential attention, which is no mixing of "
                                    "ordinary heads",
                                    i),
                        "choose an IHA");
        layer.kind = AttentionKind::mha;
        layer.nPseudo = 1;
        if (layer.mask == MaskKind::flat) layer.mask = MaskKind::token;
        if (layer.positions == PositionKind::virtualToken) layer.positions = PositionKind::token;
    }
    made->weights = {};
    for (const WeightSpec& spec : weightSpecs(made->config))
        made->weights.add(spec.name, model.weights.find(spec.name));
    return made;
}

Result<MhaDifference> differenceToMha(const ChainRun& run, std::int64_t mostMapBytes,
                                      Backend& backend, const std::function<bool()>& cancelled) {
    const auto plain = plainMhaOf(*run.model);
    if (!plain) return tl::unexpected(plain.error());
    ChainRequest request;
    request.model = run.model;
    request.prompt.assign(run.tokens.begin(), run.tokens.begin() + run.rows);
    request.activations = false;
    request.effectiveMaps = true;
    request.cancelled = cancelled;
    if (mapBytes(request, run.rows) > double(mostMapBytes))
        request.effectiveMaps = request.maps = false;
    const auto ours = runChain(request, backend);
    if (!ours) return tl::unexpected(ours.error());
    request.model = *plain;
    const auto theirs = runChain(request, backend);
    if (!theirs) return tl::unexpected(theirs.error());

    MhaDifference found = mhaEquality(*run.model);
    found.logits = largestDifference(ours->trace.logits, theirs->trace.logits);
    for (std::size_t layer = 0; layer < ours->effective.size(); ++layer)
        found.maps = std::max(found.maps.value_or(0),
                              largestDifference(ours->effective[layer], theirs->effective[layer]));
    return found;
}

}  // namespace headloom
