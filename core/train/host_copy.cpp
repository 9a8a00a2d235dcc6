#include "core/train/host_copy.h"

namespace headloom {

Weights hostCopy(const Weights& weights, Backend& backend) {
    Weights copy;
    for (const auto& [name, tensor] : weights.entries()) {
        const Tensor host = Tensor::host(tensor.shape(), tensor.dtype());
        backend.download(tensor, host);
        copy.add(name, host);
    }
    return copy;
}

}  // namespace headloom
