#include "core/base/rng.h"
#include "core/models/weights.h"

#include <cmath>

namespace headloom {

namespace {

constexpr double embeddingDeviation = 0.5;

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

/// alpha [source, target, P]: the identity for every pseudo-head, plus noise.
void fillMixing(const Tensor& out, Rng& rng, double noise) {
    const std::int64_t heads = out.size(0), pseudo = out.size(2);
    float* value = out.data<float>();
    for (std::int64_t m = 0; m < heads; ++m)
        for (std::int64_t h = 0; h < heads; ++h)
            for (std::int64_t p = 0; p < pseudo; ++p)
                *value++ = static_cast<float>((m == h ? 1.0 : 0.0) + noise * rng.normal());
}

/// R [H, H*P] or [H, P]: the mean of the head's own pseudo-heads, plus noise.
void fillCollapse(const Tensor& out, Rng& rng, double noise, std::int64_t pseudo) {
    const std::int64_t heads = out.size(0), columns = out.size(1);
    float* value = out.data<float>();
    for (std::int64_t h = 0; h < heads; ++h)
        for (std::int64_t c = 0; c < columns; ++c) {
            const bool own = columns == pseudo || c / pseudo == h;
            const double mean = own ? 1.0 / static_cast<double>(pseudo) : 0.0;
            *value++ = static_cast<float>(mean + noise * rng.normal());
        }
}

}  // namespace

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
                pseudo = spec.shape[2];
                fillMixing(tensor, rng, mixing.alphaNoise);
                break;
            case WeightRole::collapse:
                fillCollapse(tensor, rng, mixing.collapseNoise, pseudo);
                break;
        }
        weights.add(spec.name, tensor);
    }
    return weights;
}

}  // namespace headloom
