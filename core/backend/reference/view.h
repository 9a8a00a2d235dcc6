#pragma once

#include "core/tensor/tensor.h"

#include <concepts>

namespace headloom::reference {

/// A tensor read by its indices, as in the formulas: `q(b, h, p, i, x)`. Row-major; indices are
/// checked by assertions. The view of an empty (left out) tensor is false.
template <class T>
class View {
  public:
    explicit View(const Tensor& tensor)
        : shape_(tensor.shape()), data_(tensor ? tensor.data<T>() : nullptr) {}

    explicit operator bool() const { return data_ != nullptr; }

    template <std::integral... Index>
    T& operator()(Index... index) const {
        assert(sizeof...(index) == static_cast<std::size_t>(shape_.rank()));
        std::int64_t offset = 0;
        int axis = 0;
        const auto step = [&](std::int64_t at) {
            assert(at >= 0 && at < shape_[axis]);
            offset = offset * shape_[axis++] + at;
        };
        (step(index), ...);
        return data_[offset];
    }

  private:
    Shape shape_;
    T* data_;
};

/// The tensor as rows of its last axis, all leading axes flattened: [R, last].
inline Tensor asRows(const Tensor& tensor) {
    if (!tensor) return tensor;
    const std::int64_t width = tensor.size(-1);
    return tensor.reshaped({width == 0 ? 0 : tensor.count() / width, width});
}

/// Calls work(T{}) with T the floating type of the tensor's numbers.
template <class Work>
void withType(const Tensor& tensor, const Work& work) {
    assert(tensor.dtype() == DType::f32 || tensor.dtype() == DType::f64);
    if (tensor.dtype() == DType::f64)
        work(double{});
    else
        work(float{});
}

}  // namespace headloom::reference
