#pragma once

#include "core/models/trace.h"

namespace headloom {

/// How far into a layer a tensor is made: what is computed before it is what rounding can have
/// changed in it.
enum class TraceStage {
    input,
    norm,       ///< of what goes into the attention
    projected,  ///< q, k, v, with their own norms
    mixed,      ///< pseudo-heads, rotated
    scored,
    weighed,  ///< patterns and maps
    attended,
    collapsed,
    attentionAdded,
    mlpNorm,
    mlpIn
};

struct LayerTensor {
    const char* name;  ///< after "blocks.N."
    Tensor LayerTrace::*member;
    TraceStage stage;
};

/// Every tensor of a layer's trace, in the order in which they are computed.
inline constexpr LayerTensor layerTensors[] = {
    {"resid_pre", &LayerTrace::residPre, TraceStage::input},
    {"ln1.out", &LayerTrace::norm1, TraceStage::norm},
    {"ln1.statistics", &LayerTrace::statistics1, TraceStage::norm},
    {"attn.projected_q", &LayerTrace::projectedQ, TraceStage::projected},
    {"attn.projected_k", &LayerTrace::projectedK, TraceStage::projected},
    {"attn.ln_q.statistics", &LayerTrace::statisticsQ, TraceStage::projected},
    {"attn.ln_k.statistics", &LayerTrace::statisticsK, TraceStage::projected},
    {"attn.q", &LayerTrace::q, TraceStage::projected},
    {"attn.k", &LayerTrace::k, TraceStage::projected},
    {"attn.v", &LayerTrace::v, TraceStage::projected},
    {"attn.mixed_q", &LayerTrace::mixedQ, TraceStage::mixed},
    {"attn.mixed_k", &LayerTrace::mixedK, TraceStage::mixed},
    {"attn.mixed_v", &LayerTrace::mixedV, TraceStage::mixed},
    {"attn.scores", &LayerTrace::scores, TraceStage::scored},
    {"attn.pattern", &LayerTrace::pattern, TraceStage::weighed},
    {"attn.maps", &LayerTrace::maps, TraceStage::weighed},
    {"attn.y", &LayerTrace::y, TraceStage::attended},
    {"attn.ln_z.out", &LayerTrace::normZ, TraceStage::attended},
    {"attn.ln_z.statistics", &LayerTrace::statisticsZ, TraceStage::attended},
    {"attn.z", &LayerTrace::z, TraceStage::collapsed},
    {"resid_mid", &LayerTrace::residMid, TraceStage::attentionAdded},
    {"ln2.out", &LayerTrace::norm2, TraceStage::mlpNorm},
    {"ln2.statistics", &LayerTrace::statistics2, TraceStage::mlpNorm},
    {"mlp.pre", &LayerTrace::mlpPre, TraceStage::mlpIn},
    {"mlp.post", &LayerTrace::mlpPost, TraceStage::mlpIn},
    {"mlp.linear", &LayerTrace::mlpLinear, TraceStage::mlpIn},
    {"mlp.gated", &LayerTrace::mlpGated, TraceStage::mlpIn},
};
static_assert(sizeof(LayerTrace) == sizeof(layerTensors) / sizeof(*layerTensors) * sizeof(Tensor),
              "every tensor of LayerTrace has a line above");

struct TraceTensor {
    const char* name;
    Tensor ActivationTrace::*member;
};

/// What of a trace is of no layer, the token ids apart.
inline constexpr TraceTensor traceTensors[] = {
    {"resid_final", &ActivationTrace::residFinal},
    {"ln_final.out", &ActivationTrace::normFinal},
    {"ln_final.statistics", &ActivationTrace::statisticsFinal},
    {"logits", &ActivationTrace::logits},
};

}  // namespace headloom
