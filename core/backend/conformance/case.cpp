#include "core/backend/conformance/case.h"

#include <algorithm>
#include <limits>

namespace headloom::conformance {

std::int64_t Draw::between(std::int64_t low, std::int64_t high) {
    return low + rng_.below(static_cast<std::uint32_t>(high - low + 1));
}

Tensor Draw::normal(const Shape& shape, double deviation) {
    const Tensor made = Tensor::host(shape, DType::f64);
    for (double& value : made.values<double>())
        value = static_cast<float>(deviation * rng_.normal());
    return made;
}

Tensor Draw::whole(const Shape& shape, std::int64_t low, std::int64_t high) {
    return ids(shape, low, high).cast(DType::f64);
}

Tensor Draw::ids(const Shape& shape, std::int64_t low, std::int64_t high) {
    const Tensor made = Tensor::host(shape, DType::i32);
    for (std::int32_t& value : made.values<std::int32_t>())
        value = static_cast<std::int32_t>(between(low, high));
    return made;
}

Tensor unwritten(const Shape& shape) {
    const Tensor made = Tensor::host(shape, DType::f64);
    const auto values = made.values<double>();
    std::fill(values.begin(), values.end(), std::numeric_limits<double>::quiet_NaN());
    return made;
}

void store(Backend& backend, double value, const Tensor& out) {
    backend.upload(Tensor::of<double>({1}, {value}).cast(out.dtype()), out);
}

}  // namespace headloom::conformance
