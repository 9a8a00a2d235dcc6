#include "core/backend/reference/reference_backend.h"
#include "core/backend/reference/view.h"

#include <cmath>
#include <numbers>

namespace headloom::reference {

namespace {

/// Phi, the standard normal's distribution function. erfc keeps its digits far below zero, where
/// 1 + erf would cancel.
template <class T>
T normalCdf(T x) {
    return T(0.5) * std::erfc(-x / std::numbers::sqrt2_v<T>);
}
template <class T>
T normalDensity(T x) {
    return std::exp(-x * x / 2) * std::numbers::inv_sqrtpi_v<T> / std::numbers::sqrt2_v<T>;
}

template <class T>
T sigmoid(T x) {
    return T(1) / (T(1) + std::exp(-x));
}
/// (1 + tanh(u)) / 2 = sigmoid(2 u); this is 2 u of the tanh form of GELU, and its derivative.
template <class T>
T tanhArgument(T x) {
    return T(1.5957691216057308) * (x + T(0.044715) * x * x * x);
}
template <class T>
T tanhArgumentSlope(T x) {
    return T(1.5957691216057308) * (1 + T(3 * 0.044715) * x * x);
}

template <class T>
T valueOf(Activation kind, T x) {
    switch (kind) {
        case Activation::gelu:
            return x * normalCdf(x);
        case Activation::geluTanh:
            return x * sigmoid(tanhArgument(x));
        case Activation::relu:
            return x > 0 ? x : T(0);
        case Activation::silu:
            return x * sigmoid(x);
        case Activation::reluSquared:
            return x > 0 ? x * x : T(0);
        case Activation::tanh:
            return std::tanh(x);
    }
    return x;
}

template <class T>
T slopeOf(Activation kind, T x) {
    switch (kind) {
        case Activation::gelu:
            return normalCdf(x) + x * normalDensity(x);
        case Activation::geluTanh: {
            const T s = sigmoid(tanhArgument(x));
            return s + x * s * (1 - s) * tanhArgumentSlope(x);
        }
        case Activation::relu:
            return x > 0 ? T(1) : T(0);
        case Activation::silu: {
            const T s = sigmoid(x);
            return s + x * s * (1 - s);
        }
        case Activation::reluSquared:
            return x > 0 ? 2 * x : T(0);
        case Activation::tanh:
            return 4 * sigmoid(2 * x) * sigmoid(-2 * x);
    }
    return T(1);
}

}  // namespace

void ReferenceBackend::activate(Activation kind, const Tensor& x, const Tensor& out) {
    withType(x, [&]<class T>(T) {
        for (std::int64_t i = 0; i < x.count(); ++i)
            out.data<T>()[i] = valueOf(kind, x.data<T>()[i]);
    });
}

void ReferenceBackend::activateBackward(Activation kind, const Tensor& x, const Tensor& dOut,
                                        const Tensor& dX) {
    if (!dX) return;
    withType(x, [&]<class T>(T) {
        for (std::int64_t i = 0; i < x.count(); ++i)
            dX.data<T>()[i] += dOut.data<T>()[i] * slopeOf(kind, x.data<T>()[i]);
    });
}

void ReferenceBackend::gate(const Tensor& a, const Tensor& b, const Tensor& out) {
    withType(a, [&]<class T>(T) {
        for (std::int64_t i = 0; i < a.count(); ++i)
            out.data<T>()[i] = a.data<T>()[i] * b.data<T>()[i];
    });
}

void ReferenceBackend::gateBackward(const Tensor& a, const Tensor& b, const Tensor& dOut,
                                    const Tensor& dA, const Tensor& dB) {
    withType(a, [&]<class T>(T) {
        for (std::int64_t i = 0; i < a.count(); ++i) {
            const T above = dOut.data<T>()[i];
            if (dA) dA.data<T>()[i] += above * b.data<T>()[i];
            if (dB) dB.data<T>()[i] += above * a.data<T>()[i];
        }
    });
}

}  // namespace headloom::reference
