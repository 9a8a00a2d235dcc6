#include "core/models/trace_fetch.h"

namespace headloom {

Tensor startFetch(const Tensor& tensor, Backend& backend) {
    if (!tensor || backend.info().isHost) return tensor;
    const Tensor host = backend.allocateHost(tensor.shape(), tensor.dtype());
    backend.startDownload(tensor, host);
    return host;
}

LayerTrace startFetch(LayerTrace layer, Backend& backend) {
    if (backend.info().isHost) return layer;
    for (Tensor LayerTrace::*member :
         {&LayerTrace::residPre,    &LayerTrace::norm1,       &LayerTrace::statistics1,
          &LayerTrace::q,           &LayerTrace::k,           &LayerTrace::v,
          &LayerTrace::mixedQ,      &LayerTrace::mixedK,      &LayerTrace::mixedV,
          &LayerTrace::maps,        &LayerTrace::scores,      &LayerTrace::pattern,
          &LayerTrace::normZ,       &LayerTrace::statisticsZ, &LayerTrace::y,
          &LayerTrace::z,           &LayerTrace::residMid,    &LayerTrace::norm2,
          &LayerTrace::statistics2, &LayerTrace::mlpPre,      &LayerTrace::mlpPost,
          &LayerTrace::mlpLinear,   &LayerTrace::mlpGated,    &LayerTrace::projectedQ,
          &LayerTrace::projectedK,  &LayerTrace::statisticsQ, &LayerTrace::statisticsK})
        layer.*member = startFetch(layer.*member, backend);
    return layer;
}

void startFetchOfEnds(ActivationTrace& trace, Backend& backend) {
    if (backend.info().isHost) return;
    for (Tensor ActivationTrace::*member :
         {&ActivationTrace::ids, &ActivationTrace::residFinal, &ActivationTrace::normFinal,
          &ActivationTrace::statisticsFinal, &ActivationTrace::logits})
        trace.*member = startFetch(trace.*member, backend);
}

}  // namespace headloom
