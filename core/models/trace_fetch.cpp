#include "core/models/trace_fetch.h"

#include "core/models/trace_tensors.h"

namespace headloom {

Tensor startFetch(const Tensor& tensor, Backend& backend) {
    if (!tensor || backend.info().isHost) return tensor;
    const Tensor host = backend.allocateHost(tensor.shape(), tensor.dtype());
    backend.startDownload(tensor, host);
    return host;
}

LayerTrace startFetch(LayerTrace layer, Backend& backend) {
    if (backend.info().isHost) return layer;
    for (const LayerTensor& tensor : layerTensors)
        layer.*tensor.member = startFetch(layer.*tensor.member, backend);
    return layer;
}

void startFetchOfEnds(ActivationTrace& trace, Backend& backend) {
    if (backend.info().isHost) return;
    trace.ids = startFetch(trace.ids, backend);
    for (const TraceTensor& tensor : traceTensors)
        trace.*tensor.member = startFetch(trace.*tensor.member, backend);
}

}  // namespace headloom
