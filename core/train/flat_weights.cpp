#include "core/train/flat_weights.h"

namespace headloom {

FlatWeights flatZerosLike(const Weights& weights, Backend& backend) {
    constexpr std::int64_t stride = 16;  // float32 values in a cache line
    const auto room = [](const Tensor& tensor) {
        return (tensor.count() + stride - 1) / stride * stride;
    };
    std::int64_t count = 0;
    for (const auto& entry : weights.entries()) count += room(entry.second);
    FlatWeights flat;
    flat.all = backend.allocate({count}, DType::f32);
    backend.zero(flat.all);
    std::int64_t begin = 0;
    for (const auto& [name, tensor] : weights.entries()) {
        flat.parts.add(name, flat.all.slice(begin, tensor.count()).reshaped(tensor.shape()));
        begin += room(tensor);
    }
    return flat;
}

}  // namespace headloom
