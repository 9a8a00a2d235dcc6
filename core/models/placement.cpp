#include "core/models/decoder.h"

#include <algorithm>

namespace headloom {

Tensor place(const Tensor& tensor, Backend& backend) {
    if (backend.info().isHost) return tensor;
    const Tensor there = backend.allocate(tensor.shape(), tensor.dtype());
    backend.upload(tensor, there);
    return there;
}

Weights place(const Weights& weights, Backend& backend) {
    if (backend.info().isHost) return weights;
    Weights placed;
    for (const auto& [name, tensor] : weights.entries()) placed.add(name, backend.resident(tensor));
    return placed;
}

Tensor pinned(const Tensor& host, Backend& backend) {
    const Tensor copy = backend.allocateHost(host.shape(), host.dtype());
    std::copy_n(host.raw(), host.bytes(), copy.raw());
    return copy;
}

Weights zerosLike(const Weights& weights, Backend& backend) {
    Weights zeros;
    for (const auto& [name, tensor] : weights.entries()) {
        const Tensor zero = backend.allocate(tensor.shape(), tensor.dtype());
        backend.zero(zero);
        zeros.add(name, zero);
    }
    return zeros;
}

Tensor onHost(const Tensor& tensor, Backend& backend) {
    if (!tensor || backend.info().isHost) return tensor;
    const Tensor host = Tensor::host(tensor.shape(), tensor.dtype());
    backend.download(tensor, host);
    return host;
}

}  // namespace headloom
