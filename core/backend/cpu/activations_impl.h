#pragma once

// Part of kernels_impl.h: what an MLP does to every number.

#include "core/backend/cpu/simd.h"

namespace headloom::cpu {
namespace {

HEADLOOM_INLINE Vector sigmoid(Vector x) {
    return 1.f / (exponential(-x) + 1.f);
}

// Each curve has its value and its slope, for whole vectors.

struct GeluCurve {
    HEADLOOM_INLINE Vector value(Vector x) { return x * gaussian(x).below; }
    /// d/dx x Phi(x) = Phi(x) + x phi(x), phi(x) = exp(-x^2 / 2) / sqrt(2 pi).
    HEADLOOM_INLINE Vector slope(Vector x) {
        const Gaussian at = gaussian(x);
        return at.below + x * at.bell * 0.39894228040143268f;
    }
};

/// (1 + tanh(u)) / 2 = sigmoid(2 u), which keeps the digits of the tail.
struct GeluTanhCurve {
    HEADLOOM_INLINE Vector share(Vector x) {
        return sigmoid(x * (x * x * 0.0713548162726009f + 1.5957691216057308f));
    }
    HEADLOOM_INLINE Vector value(Vector x) { return x * share(x); }
    HEADLOOM_INLINE Vector slope(Vector x) {
        const Vector s = share(x);
        return s + x * s * (1.f - s) * (x * x * 0.2140644488178027f + 1.5957691216057308f);
    }
};

struct ReluCurve {
    HEADLOOM_INLINE Vector value(Vector x) { return larger(Vector{}, x); }  // NaN stays
    HEADLOOM_INLINE Vector slope(Vector x) { return x > 0.f ? all(1.f) : Vector{}; }
};

struct SiluCurve {
    HEADLOOM_INLINE Vector value(Vector x) { return x * sigmoid(x); }
    HEADLOOM_INLINE Vector slope(Vector x) {
        const Vector s = sigmoid(x);
        return s + x * s * (1.f - s);
    }
};

struct ReluSquaredCurve {
    HEADLOOM_INLINE Vector value(Vector x) {
        const Vector positive = larger(Vector{}, x);
        return positive * positive;
    }
    HEADLOOM_INLINE Vector slope(Vector x) { return larger(Vector{}, x) * 2.f; }
};

struct TanhCurve {
    /// 2 sigmoid(2 x) - 1 has no digits left near 0, where x - x^3 / 3 + 2 x^5 / 15 has them all.
    HEADLOOM_INLINE Vector value(Vector x) {
        const Vector square = x * x;
        const Vector series = x * (1.f + square * (square * 0.13333333f - 0.33333333f));
        return square < 0.0025f ? series : sigmoid(x * 2.f) * 2.f - 1.f;
    }
    /// 1 - tanh^2 by its two factors, which keep the digits of the tail.
    HEADLOOM_INLINE Vector slope(Vector x) { return sigmoid(x * 2.f) * sigmoid(x * -2.f) * 4.f; }
};

template <class Shape>
HEADLOOM_INLINE void valuesOf(Index count, const float* x, float* out) {
    inVectors(
        count, [&](Index at) { store(out + at, Shape::value(load(x + at))); },
        [&](Index at, Index rest) {
            storePart(out + at, Shape::value(loadPart(x + at, rest)), rest);
        });
}

template <class Shape>
HEADLOOM_INLINE void addSlopes(Index count, const float* x, const float* dOut, float* dX) {
    inVectors(
        count,
        [&](Index at) {
            store(dX + at, load(dX + at) + load(dOut + at) * Shape::slope(load(x + at)));
        },
        [&](Index at, Index rest) {
            const Vector slope = Shape::slope(loadPart(x + at, rest));
            storePart(dX + at, loadPart(dX + at, rest) + loadPart(dOut + at, rest) * slope, rest);
        });
}

void activate(Curve curve, Index count, const float* x, float* out) {
    switch (curve) {
        case Curve::gelu:
            return valuesOf<GeluCurve>(count, x, out);
        case Curve::geluTanh:
            return valuesOf<GeluTanhCurve>(count, x, out);
        case Curve::relu:
            return valuesOf<ReluCurve>(count, x, out);
        case Curve::silu:
            return valuesOf<SiluCurve>(count, x, out);
        case Curve::reluSquared:
            return valuesOf<ReluSquaredCurve>(count, x, out);
        case Curve::tanh:
            return valuesOf<TanhCurve>(count, x, out);
    }
}

void activateBackward(Curve curve, Index count, const float* x, const float* dOut, float* dX) {
    switch (curve) {
        case Curve::gelu:
            return addSlopes<GeluCurve>(count, x, dOut, dX);
        case Curve::geluTanh:
            return addSlopes<GeluTanhCurve>(count, x, dOut, dX);
        case Curve::relu:
            return addSlopes<ReluCurve>(count, x, dOut, dX);
        case Curve::silu:
            return addSlopes<SiluCurve>(count, x, dOut, dX);
        case Curve::reluSquared:
            return addSlopes<ReluSquaredCurve>(count, x, dOut, dX);
        case Curve::tanh:
            return addSlopes<TanhCurve>(count, x, dOut, dX);
    }
}

}  // namespace
}  // namespace headloom::cpu
