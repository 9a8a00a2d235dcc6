#include "core/train/non_finite.h"

#include "core/models/decoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace headloom {

namespace {

bool allFinite(const Tensor& tensor, Backend& backend) {
    if (!tensor) return true;
    const Tensor host = onHost(tensor, backend);
    const auto values = host.values<float>();
    return std::all_of(values.begin(), values.end(), [](float x) { return std::isfinite(x); });
}

}  // namespace

std::string firstNonFinite(const Weights& weights, Backend& backend) {
    for (const auto& [name, tensor] : weights.entries())
        if (!allFinite(tensor, backend)) return name;
    return {};
}

std::string firstNonFinite(const ActivationTrace& trace, Backend& backend) {
    for (std::size_t i = 0; i < trace.layers.size(); ++i) {
        const LayerTrace& layer = trace.layers[i];
        const std::pair<const char*, Tensor> steps[] = {{"hook_resid_pre", layer.residPre},
                                                        {"ln1.hook_normalized", layer.norm1},
                                                        {"attn.hook_q", layer.q},
                                                        {"attn.hook_k", layer.k},
                                                        {"attn.hook_v", layer.v},
                                                        {"attn.hook_mixed_q", layer.mixedQ},
                                                        {"attn.hook_mixed_k", layer.mixedK},
                                                        {"attn.hook_mixed_v", layer.mixedV},
                                                        {"attn.hook_pattern", layer.maps},
                                                        {"attn.hook_z", layer.z},
                                                        {"hook_resid_mid", layer.residMid},
                                                        {"ln2.hook_normalized", layer.norm2},
                                                        {"mlp.hook_pre", layer.mlpPre},
                                                        {"mlp.hook_post", layer.mlpPost}};
        for (const auto& [name, tensor] : steps)
            if (!allFinite(tensor, backend)) return fmt::format("blocks.{}.{}", i, name);
    }
    if (!allFinite(trace.residFinal, backend)) return "hook_resid_post";
    if (!allFinite(trace.normFinal, backend)) return "ln_final.hook_normalized";
    return allFinite(trace.logits, backend) ? "" : "logits";
}

}  // namespace headloom
