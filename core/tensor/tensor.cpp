#include "core/tensor/tensor.h"

#include <algorithm>
#include <cstring>

namespace headloom {

const char* nameOf(DType type) {
    switch (type) {
        case DType::f32:
            return "F32";
        case DType::f64:
            return "F64";
        case DType::i32:
            return "I32";
    }
    return "?";
}

Tensor::Tensor(Shape shape, DType type, std::shared_ptr<void> memory, std::size_t byteOffset)
    : shape_(shape), type_(type), memory_(std::move(memory)), offset_(byteOffset) {}

Tensor Tensor::host(const Shape& shape, DType type) {
    const std::size_t bytes = static_cast<std::size_t>(shape.count()) * sizeOf(type);
    // value-initialised, hence zero
    return Tensor(shape, type,
                  std::shared_ptr<std::byte[]>(new std::byte[std::max<std::size_t>(bytes, 1)]()));
}

Tensor Tensor::reshaped(const Shape& shape) const {
    assert(shape.count() == count());
    return Tensor(shape, type_, memory_, offset_);
}

Tensor Tensor::slice(std::int64_t begin, std::int64_t size) const {
    assert(shape_.rank() >= 1 && begin >= 0 && begin + size <= shape_[0]);
    std::vector<std::int64_t> sizes(shape_.sizes().begin(), shape_.sizes().end());
    sizes[0] = size;
    const std::size_t row = shape_[0] == 0 ? 0 : bytes() / static_cast<std::size_t>(shape_[0]);
    return Tensor(Shape(sizes), type_, memory_, offset_ + static_cast<std::size_t>(begin) * row);
}

Tensor Tensor::at(std::int64_t index) const {
    const Tensor row = slice(index, 1);
    return row.reshaped(Shape(shape_.sizes().subspan(1)));
}

Tensor Tensor::copy() const {
    Tensor made = host(shape_, type_);
    if (count() > 0) std::memcpy(made.raw(), raw(), bytes());
    return made;
}

namespace {
template <class From, class To>
void convert(const Tensor& from, const Tensor& to) {
    std::transform(from.values<From>().begin(), from.values<From>().end(), to.data<To>(),
                   [](From value) { return static_cast<To>(value); });
}
template <class From>
void convertFrom(const Tensor& from, const Tensor& to) {
    switch (to.dtype()) {
        case DType::f32:
            return convert<From, float>(from, to);
        case DType::f64:
            return convert<From, double>(from, to);
        case DType::i32:
            return convert<From, std::int32_t>(from, to);
    }
}
}  // namespace

Tensor Tensor::cast(DType type) const {
    if (type == type_) return copy();
    Tensor made = host(shape_, type);
    switch (type_) {
        case DType::f32:
            convertFrom<float>(*this, made);
            break;
        case DType::f64:
            convertFrom<double>(*this, made);
            break;
        case DType::i32:
            convertFrom<std::int32_t>(*this, made);
            break;
    }
    return made;
}

}  // namespace headloom
