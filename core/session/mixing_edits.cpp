#include "core/session/mixing_edits.h"

#include "core/base/rng.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace headloom {

namespace {

struct PresetName {
    MixingPreset::Kind kind;
    const char* name;
};
constexpr PresetName presetNames[] = {{MixingPreset::Kind::trained, "trained"},
                                      {MixingPreset::Kind::identity, "identity"},
                                      {MixingPreset::Kind::uniform, "uniform"},
                                      {MixingPreset::Kind::random, "random"}};

const LayerConfig& layerOf(const Model& model, int layer) {
    return model.config.layers[static_cast<std::size_t>(layer)];
}

/// alpha [source, target, P] or a mixing [source, target]: 1 where source = target.
void fillIdentity(const Tensor& out) {
    const std::int64_t heads = out.size(0), each = out.count() / (heads * out.size(1));
    for (std::int64_t h = 0; h < heads; ++h)
        std::fill_n(out.data<float>() + (h * out.size(1) + h) * each, each, 1.0F);
}

/// R [H, H*P] or [H, P] that reads the last pseudo-head of its own head: the one that sees its
/// own token as often as every other under the flat mask (iha.md 3).
void fillLastOfOwn(const Tensor& out, const LayerConfig& layer) {
    const std::int64_t pseudo = layer.nPseudo, columns = out.size(1);
    // linear scores add the P copies of a key up, a softmax shares one row among them
    const float weight = layer.score == ScoreKind::linear ? 1.0F / static_cast<float>(pseudo) : 1;
    for (std::int64_t h = 0; h < out.size(0); ++h) {
        const std::int64_t own = columns == pseudo ? 0 : h * pseudo;
        out.data<float>()[h * columns + own + pseudo - 1] = weight;
    }
}

void fillRandom(const Tensor& out, double deviation, std::uint64_t seed, std::uint64_t stream) {
    Rng rng(seed, stream);
    for (float& value : out.values<float>()) value = static_cast<float>(deviation * rng.normal());
}

/// Calls `visit(layer, matrix, name)` for every matrix in scope.
template <class Visit>
void eachInScope(const Model& model, const MixingScope& scope, const Visit& visit) {
    for (int layer = 0; layer < model.config.nLayers(); ++layer) {
        if (scope.layer && *scope.layer != layer) continue;
        for (const MixingTensor matrix : mixingTensorsOf(layerOf(model, layer)))
            if (!scope.matrix || *scope.matrix == matrix)
                visit(layer, matrix, tensorNameOf(matrix, layer));
    }
}

/// What is back at the trained numbers takes no room and marks nothing as edited.
void put(const Model& trained, ColumnChanges& changes, const std::string& name, Tensor tensor) {
    const auto held = trained.weights.find(name).values<float>();
    if (std::equal(held.begin(), held.end(), tensor.values<float>().begin()))
        changes.weights.erase(name);
    else
        changes.weights[name] = std::move(tensor);
}

Tensor blend(const Tensor& from, const Tensor& to, double t) {
    if (t == 0) return from;
    if (t == 1) return to;
    const Tensor made = Tensor::host(from.shape(), DType::f32);
    const auto a = from.values<float>(), b = to.values<float>();
    const auto out = made.values<float>();
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = static_cast<float>((1 - t) * a[i] + t * b[i]);
    return made;
}

Tensor tensorWith(const Model& trained, const ColumnChanges& changes, const std::string& name) {
    const auto found = changes.weights.find(name);
    return found == changes.weights.end() ? trained.weights.find(name) : found->second;
}

Result<void> checkScope(const Model& model, const MixingScope& scope) {
    const int layers = model.config.nLayers();
    if (scope.layer && (*scope.layer < 0 || *scope.layer >= layers))
        return fail(Error::Kind::badInput, "layer",
                    fmt::format("there is no layer {}", *scope.layer),
                    fmt::format("use 0 to {}", layers - 1));
    bool any = false;
    eachInScope(model, scope, [&any](int, MixingTensor, const std::string&) { any = true; });
    if (any) return {};
    const std::string matrix(scope.matrix ? nameOf(*scope.matrix) : "a mixing matrix");
    return fail(Error::Kind::unsupported, model.name,
                scope.layer ? fmt::format("layer {} has no {}", *scope.layer, matrix)
                            : fmt::format("no layer has {}", matrix),
                "choose a model that mixes heads, such as an IHA");
}

}  // namespace

std::string textOf(const MixingPreset& preset) {
    for (const PresetName& one : presetNames)
        if (one.kind == preset.kind)
            return preset.kind == MixingPreset::Kind::random
                       ? fmt::format("{}:{}", one.name, preset.seed)
                       : one.name;
    return {};
}

Result<MixingPreset> mixingPresetFrom(std::string_view text) {
    const std::size_t colon = text.find(':');
    const std::string_view name = text.substr(0, colon);
    for (const PresetName& one : presetNames) {
        if (name != one.name) continue;
        MixingPreset preset{one.kind, 0};
        if (colon == std::string_view::npos) return preset;
        const std::string_view seed = text.substr(colon + 1);
        const char* const end = seed.data() + seed.size();
        const auto [next, failed] = std::from_chars(seed.data(), end, preset.seed);
        if (preset.kind != MixingPreset::Kind::random || failed != std::errc() || next != end)
            break;
        return preset;
    }
    return fail(Error::Kind::badInput, std::string(text), "no mixing is called that",
                "use identity, uniform, random:SEED or trained");
}

Tensor presetTensor(const Model& trained, int layer, MixingTensor matrix,
                    const MixingPreset& preset) {
    const Tensor held = trained.weights.find(tensorNameOf(matrix, layer));
    if (preset.kind == MixingPreset::Kind::trained) return held;
    const Tensor made = Tensor::host(held.shape(), DType::f32);
    const bool collapse = matrix == MixingTensor::collapse;
    const auto summed = static_cast<double>(collapse ? held.size(1) : held.size(0));
    const auto stream = static_cast<std::uint64_t>(layer) * 8 + static_cast<std::uint64_t>(matrix);
    switch (preset.kind) {
        case MixingPreset::Kind::identity:
            collapse ? fillLastOfOwn(made, layerOf(trained, layer)) : fillIdentity(made);
            break;
        case MixingPreset::Kind::uniform:
            std::fill_n(made.data<float>(), made.count(), static_cast<float>(1 / summed));
            break;
        default:
            fillRandom(made, std::sqrt(1 / summed), preset.seed, stream);
    }
    return made;
}

Result<ColumnChanges> withWeight(const Model& trained, const ColumnChanges& changes,
                                 const MixingWeight& weight, float value) {
    const auto offset = offsetOf(weight, trained);
    if (!offset) return tl::unexpected(offset.error());
    const std::string name = tensorNameOf(weight.matrix, weight.layer);
    const Tensor edited = tensorWith(trained, changes, name).copy();
    edited.data<float>()[*offset] = value;
    ColumnChanges made = changes;
    put(trained, made, name, edited);
    return made;
}

Result<ColumnChanges> withMixing(const Model& trained, const ColumnChanges& changes,
                                 const MixingScope& scope, const MixingPreset& from,
                                 const MixingPreset& to, double t) {
    if (!(t >= 0 && t <= 1))
        return fail(Error::Kind::badInput, "share", fmt::format("{} is not between 0 and 1", t),
                    "0 is the first mixing, 1 the second");
    if (auto fine = checkScope(trained, scope); !fine) return tl::unexpected(fine.error());
    ColumnChanges made = changes;
    eachInScope(trained, scope, [&](int layer, MixingTensor matrix, const std::string& name) {
        put(trained, made, name,
            blend(presetTensor(trained, layer, matrix, from),
                  presetTensor(trained, layer, matrix, to), t));
    });
    return made;
}

ColumnChanges withTrainedMixing(const Model& trained, const ColumnChanges& changes,
                                const MixingScope& scope) {
    ColumnChanges made = changes;
    eachInScope(trained, scope,
                [&made](int, MixingTensor, const std::string& name) { made.weights.erase(name); });
    return made;
}

float weightOf(const Model& trained, const ColumnChanges& changes, const MixingWeight& weight) {
    const Tensor tensor = tensorWith(trained, changes, tensorNameOf(weight.matrix, weight.layer));
    return tensor.data<float>()[*offsetOf(weight, trained)];
}

}  // namespace headloom
