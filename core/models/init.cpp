#include "core/base/rng.h"
#include "core/models/weights.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

namespace headloom {

namespace {

constexpr double embeddingDeviation = 0.5;
constexpr double lambdaDeviation = 0.1;

/// FNV-1a.
std::uint64_t streamOf(const std::string& name) {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    return hash;
}

void fillNormal(const Tensor& out, Rng& rng, double deviation) {
    for (float& value : out.values<float>()) value = static_cast<float>(deviation * rng.normal());
}

void fillUniform(const Tensor& out, Rng& rng, std::int64_t fanIn) {
    const double bound = 1.0 / std::sqrt(static_cast<double>(fanIn));
    for (float& value : out.values<float>())
        value = static_cast<float>(bound * (2.0 * rng.uniform() - 1.0));
}

/// alpha [source, target, P] or a mixing [source, target]: the identity, plus noise.
void fillMixing(const Tensor& out, Rng& rng, const MixingInit& mixing) {
    const double noise = mixing.start == MixingStart::identity ? 0 : mixing.alphaNoise;
    const std::int64_t heads = out.size(0), pseudo = out.count() / (heads * heads);
    float* value = out.data<float>();
    for (std::int64_t m = 0; m < heads; ++m)
        for (std::int64_t h = 0; h < heads; ++h)
            for (std::int64_t p = 0; p < pseudo; ++p)
                *value++ = static_cast<float>((m == h ? 1.0 : 0.0) + noise * rng.normal());
}

/// Where R starts on the P pseudo-heads of its own head, before noise.
double ownCollapse(MixingStart start, std::int64_t p, std::int64_t pseudo) {
    if (start == MixingStart::selectFirst) return p == 0 ? 1.0 : 0.0;
    if (start == MixingStart::selectLast) return p == pseudo - 1 ? 1.0 : 0.0;
    return 1.0 / static_cast<double>(pseudo);
}

/// R [H, H*P] or [H, P]. With one head both forms are the same.
void fillCollapse(const Tensor& out, Rng& rng, const MixingInit& mixing, std::int64_t pseudo) {
    const double noise = mixing.start == MixingStart::identityNoise ? mixing.collapseNoise : 0;
    const std::int64_t heads = out.size(0), columns = out.size(1);
    float* value = out.data<float>();
    for (std::int64_t h = 0; h < heads; ++h)
        for (std::int64_t c = 0; c < columns; ++c) {
            const bool own = columns == pseudo || c / pseudo == h;
            const double centre = own ? ownCollapse(mixing.start, c % pseudo, pseudo) : 0.0;
            *value++ = static_cast<float>(centre + noise * rng.normal());
        }
}

constexpr std::pair<MixingStart, std::string_view> startNames[] = {
    {MixingStart::identity, "identity"},
    {MixingStart::identityNoise, "identity+noise"},
    {MixingStart::mean, "mean"},
    {MixingStart::selectFirst, "select-first"},
    {MixingStart::selectLast, "select-last"}};

}  // namespace

std::string_view nameOf(MixingStart start) {
    for (const auto& [kind, name] : startNames)
        if (kind == start) return name;
    return {};
}

std::vector<std::string> mixingStartNames() {
    std::vector<std::string> names;
    for (const auto& entry : startNames) names.emplace_back(entry.second);
    return names;
}

Result<MixingStart> mixingStartFrom(std::string_view name) {
    for (const auto& [kind, known] : startNames)
        if (known == name) return kind;
    return fail(Error::Kind::badInput, "initialisation",
                fmt::format("\"{}\" is not a way to start the mixing", name),
                fmt::format("use one of: {}", fmt::join(mixingStartNames(), ", ")));
}

Weights initialWeights(const ModelConfig& config, std::uint64_t seed, const MixingInit& mixing) {
    Weights weights;
    std::int64_t pseudo = 1;
    for (const WeightSpec& spec : weightSpecs(config)) {
        // a stream of its own for each name: one more tensor leaves the others as they were
        Rng rng(seed, streamOf(spec.name));
        const Tensor tensor = Tensor::host(spec.shape, DType::f32);
        switch (spec.role) {
            case WeightRole::embedding:
            case WeightRole::position:
                fillNormal(tensor, rng, embeddingDeviation);
                break;
            case WeightRole::matrix:
            case WeightRole::bias:
                fillUniform(tensor, rng, spec.fanIn);
                break;
            case WeightRole::normScale:
                for (float& value : tensor.values<float>()) value = 1.0f;
                break;
            case WeightRole::normShift:
                break;
            case WeightRole::mixing:
                pseudo = spec.shape.rank() == 3 ? spec.shape[2] : 1;
                fillMixing(tensor, rng, mixing);
                break;
            case WeightRole::lambda:
                fillNormal(tensor, rng, lambdaDeviation);
                break;
            case WeightRole::collapse:
                fillCollapse(tensor, rng, mixing, pseudo);
                break;
        }
        weights.add(spec.name, tensor);
    }
    return weights;
}

}  // namespace headloom
