#pragma once

#include "core/backend/params.h"
#include "gpu/kernels/block.h"

#include <cmath>

// Bodies of ForEach for operators that treat every number alone. Formulas are those of `reference`.

namespace headloom::gpu {

/// to += from.
struct AddNumber {
    const float* from;
    float* to;
    HEADLOOM_DEVICE void operator()(Index i) const { to[i] += from[i]; }
};

/// out[row, c] = bias[c].
struct RepeatRow {
    const float* bias;
    float* out;
    Index width;
    HEADLOOM_DEVICE void operator()(Index i) const { out[i] = bias[i % width]; }
};

struct MultiplyNumbers {
    const float *a, *b;
    float* out;
    HEADLOOM_DEVICE void operator()(Index i) const { out[i] = a[i] * b[i]; }
};

/// dA += dOut b and dB += dOut a; either may be null.
struct MultiplyNumbersBackward {
    const float *a, *b, *dOut;
    float *dA, *dB;
    HEADLOOM_DEVICE void operator()(Index i) const {
        if (dA) dA[i] += dOut[i] * b[i];
        if (dB) dB[i] += dOut[i] * a[i];
    }
};

HEADLOOM_DEVICE inline float sigmoid(float x) {
    return 1.f / (1.f + std::exp(-x));
}
/// Phi, by erfc, which keeps its digits far below zero.
HEADLOOM_DEVICE inline float normalCdf(float x) {
    return 0.5f * std::erfc(-x * 0.70710678118654752f);
}

struct Activate {
    Activation kind;
    const float* x;
    float* out;

    HEADLOOM_DEVICE void operator()(Index i) const { out[i] = valueAt(x[i]); }
    HEADLOOM_DEVICE float valueAt(float v) const {
        switch (kind) {
            case Activation::gelu:
                return v * normalCdf(v);
            case Activation::geluTanh:
                return v * sigmoid(1.5957691216057308f * (v + 0.044715f * v * v * v));
            case Activation::relu:
                return v > 0 ? v : 0.f;
            case Activation::silu:
                return v * sigmoid(v);
            case Activation::reluSquared:
                return v > 0 ? v * v : 0.f;
            case Activation::tanh:
                return std::tanh(v);
        }
        return v;
    }
};

struct ActivateBackward {
    Activation kind;
    const float *x, *dOut;
    float* dX;

    HEADLOOM_DEVICE void operator()(Index i) const { dX[i] += dOut[i] * slopeAt(x[i]); }
    HEADLOOM_DEVICE float slopeAt(float v) const {
        switch (kind) {
            case Activation::gelu:
                return normalCdf(v) + v * std::exp(-v * v / 2) * 0.3989422804014327f;
            case Activation::geluTanh: {
                const float s = sigmoid(1.5957691216057308f * (v + 0.044715f * v * v * v));
                const float slope = 1.5957691216057308f * (1 + 3 * 0.044715f * v * v);
                return s + v * s * (1 - s) * slope;
            }
            case Activation::relu:
                return v > 0 ? 1.f : 0.f;
            case Activation::silu: {
                const float s = sigmoid(v);
                return s + v * s * (1 - s);
            }
            case Activation::reluSquared:
                return v > 0 ? 2 * v : 0.f;
            case Activation::tanh:
                return 4 * sigmoid(2 * v) * sigmoid(-2 * v);
        }
        return 1.f;
    }
};

/// AdamW with the constants that depend on the step worked out by the host.
struct AdamwStep {
    float keep;          ///< 1 - rate * decay
    float rate;          ///< learning rate / (1 - beta1^step)
    float correction2;   ///< 1 - beta2^step
    float beta1, rest1;  ///< and 1 - beta1
    float beta2, rest2;
    float epsilon, gradientScale;
    float* weight;
    const float* gradient;
    float *first, *second;

    HEADLOOM_DEVICE void operator()(Index i) const {
        const float g = gradient[i] * gradientScale;
        const float m = beta1 * first[i] + rest1 * g;
        const float v = beta2 * second[i] + rest2 * g * g;
        first[i] = m;
        second[i] = v;
        weight[i] = keep * weight[i] - rate * m / (std::sqrt(v / correction2) + epsilon);
    }
};

}  // namespace headloom::gpu
