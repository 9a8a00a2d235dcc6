#pragma once

#include "core/backend/reference/view.h"

namespace headloom::reference {

/// The optional factor of AttentionParams, whose axes are full or 1.
template <class T>
class Multiplier {
  public:
    explicit Multiplier(const Tensor& factors) : factors_(factors) {
        assert(!factors || factors.shape().rank() == 5);
    }
    T operator()(std::int64_t h, std::int64_t p, std::int64_t r, std::int64_t i,
                 std::int64_t j) const {
        if (!factors_) return T(1);
        const auto along = [&](int axis, std::int64_t index) {
            return factors_.size(axis) == 1 ? 0 : index;
        };
        return View<T>(factors_)(along(0, h), along(1, p), along(2, r), along(3, i), along(4, j));
    }

  private:
    Tensor factors_;
};

}  // namespace headloom::reference
