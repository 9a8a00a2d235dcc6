#include "core/models/kv_cache.h"

#include <algorithm>

namespace headloom {

Result<KvCache> KvCache::make(const ModelConfig& config, Backend& backend) {
    if (!config.causal())
        return fail(
            Error::Kind::unsupported, "KV cache",
            "a layer with mask none lets early tokens see later ones, so nothing can be cached",
            "run the whole sequence at once, or use mask flat or token");
    KvCache cache;
    cache.capacity_ = config.nCtx;
    for (const LayerConfig& layer : config.layers) {
        const Shape shape{1, config.kvHeads(), layer.nPseudo, config.nCtx, config.dHead()};
        cache.layers_.push_back(
            {backend.allocate(shape, DType::f32), backend.allocate(shape, DType::f32)});
    }
    return cache;
}

void KvCache::truncate(std::int64_t length) {
    length_ = std::clamp<std::int64_t>(length, 0, length_);
}

}  // namespace headloom
