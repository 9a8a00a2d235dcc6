#include "core/models/kv_cache.h"

#include <algorithm>

namespace headloom {

Result<KvCache> KvCache::make(const ModelConfig& config, Backend& backend, std::int64_t capacity) {
    if (!config.causal())
        return fail(
            Error::Kind::unsupported, "KV cache",
            "a layer with mask none lets early tokens see later ones, so nothing can be cached",
            "run the whole sequence at once, or use mask flat or token");
    KvCache cache;
    cache.capacity_ = capacity > 0 ? std::min<std::int64_t>(capacity, config.nCtx) : config.nCtx;
    for (const LayerConfig& layer : config.layers) {
        const std::int64_t halves = layer.kind == AttentionKind::differential ? 2 : 1,
                           groups = config.kvHeads(), d = config.dHead();
        const Shape keys{1, halves * groups, layer.nPseudo, cache.capacity_, d / halves},
            values{1, groups, layer.nPseudo, cache.capacity_, d};
        cache.layers_.push_back(
            {backend.allocate(keys, DType::f32), backend.allocate(values, DType::f32)});
    }
    return cache;
}

void KvCache::truncate(std::int64_t length) {
    length_ = std::clamp<std::int64_t>(length, 0, length_);
}

}  // namespace headloom
