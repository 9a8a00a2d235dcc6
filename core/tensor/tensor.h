#pragma once

#include "core/tensor/shape.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

namespace headloom {

enum class DType { f32, f64, i32 };

constexpr std::size_t sizeOf(DType type) {
    return type == DType::f64 ? 8 : 4;
}
const char* nameOf(DType type);

template <class T>
constexpr DType dtypeOf();
template <>
constexpr DType dtypeOf<float>() {
    return DType::f32;
}
template <>
constexpr DType dtypeOf<double>() {
    return DType::f64;
}
template <>
constexpr DType dtypeOf<std::int32_t>() {
    return DType::i32;
}

/// A dense row-major block of numbers. Copies share the memory, as in PyTorch: a Tensor is a
/// handle. The memory belongs to whoever allocated it (host or device) and is released with the
/// last handle. A published Tensor is never written again; that is what makes snapshots safe to
/// share.
class Tensor {
  public:
    Tensor() = default;
    Tensor(Shape shape, DType type, std::shared_ptr<void> memory, std::size_t byteOffset = 0);

    /// Host memory, zero-filled.
    static Tensor host(const Shape& shape, DType type);
    template <class T>
    static Tensor of(const Shape& shape, const std::vector<T>& values) {
        assert(static_cast<std::int64_t>(values.size()) == shape.count());
        Tensor made = host(shape, dtypeOf<T>());
        std::copy(values.begin(), values.end(), made.data<T>());
        return made;
    }

    explicit operator bool() const { return memory_ != nullptr; }
    const Shape& shape() const { return shape_; }
    std::int64_t size(int axis) const { return shape_[axis]; }
    std::int64_t count() const { return shape_.count(); }
    DType dtype() const { return type_; }
    std::size_t bytes() const { return static_cast<std::size_t>(count()) * sizeOf(type_); }

    /// First element. Constness is that of the contents by convention, not of the handle: operators
    /// take `const Tensor&` for what they read and `Tensor` for what they write.
    template <class T>
    T* data() const {
        assert(dtypeOf<T>() == type_);
        return reinterpret_cast<T*>(raw());
    }
    /// The numbers' owner, to notice when they are gone.
    std::weak_ptr<const void> owner() const { return memory_; }
    std::byte* raw() const { return static_cast<std::byte*>(memory_.get()) + offset_; }
    template <class T>
    std::span<T> values() const {
        return {data<T>(), static_cast<std::size_t>(count())};
    }

    /// Same memory, other shape of equal count.
    Tensor reshaped(const Shape& shape) const;
    /// Rows begin..begin+size-1 of the outermost axis; same memory.
    Tensor slice(std::int64_t begin, std::int64_t size) const;
    /// Entry `index` of the outermost axis, that axis dropped; same memory.
    Tensor at(std::int64_t index) const;

    // Host only.
    Tensor copy() const;
    Tensor cast(DType type) const;

  private:
    Shape shape_;
    DType type_ = DType::f32;
    std::shared_ptr<void> memory_;
    std::size_t offset_ = 0;
};

}  // namespace headloom
