#include "core/models/effective_maps.h"

#include <fmt/format.h>

namespace headloom {

Result<Tensor> effectiveMapsOf(const ModelConfig& config, int layer, const Tensor& maps,
                               const Weights& weights, Backend& backend) {
    const AttentionKind kind = config.layers[static_cast<std::size_t>(layer)].kind;
    if (kind == AttentionKind::differential)
        return fail(Error::Kind::unsupported, fmt::format("layer {}", layer),
                    "differential attention has no effective maps: each row of a head is divided "
                    "by its length after the maps",
                    "look at the maps themselves");
    const std::string prefix = fmt::format("blocks.{}.attn.", layer);
    Tensor alphaV = weights.find(prefix + "alpha_V");
    if (kind == AttentionKind::ihaLite)
        alphaV = alphaV.reshaped({alphaV.size(0), alphaV.size(1), 1});
    const std::int64_t heads = maps.size(1);
    const Tensor out =
        backend.allocate({maps.size(0), heads, heads, maps.size(4), maps.size(5)}, maps.dtype());
    backend.effectiveMaps(maps, alphaV, weights.find(prefix + "R"), out);
    return out;
}

}  // namespace headloom
