#pragma once

// Part of kernels_impl.h: norms, sums and the optimiser.

#include "core/backend/cpu/gemm_impl.h"

namespace headloom::cpu {
namespace {

/// Sum over 0..count-1 of value(at), where value gives a whole vector; part(at, count) the rest.
template <class Whole, class Part>
HEADLOOM_INLINE float total(Index size, Whole value, Part part) {
    Vector sum = {};
    inVectors(
        size, [&](Index at) { sum += value(at); },
        [&](Index at, Index count) { sum += part(at, count); });
    return sumOfLanes(sum);
}
HEADLOOM_INLINE Vector squared(Vector x) {
    return x * x;
}
/// x - mean on the first `count` lanes, 0 beyond.
HEADLOOM_INLINE Vector centredPart(const float* x, Index count, float mean) {
    Vector value = {};
    for (Index lane = 0; lane < count; ++lane) value[lane] = x[lane] - mean;
    return value;
}

void norm(const NormTask& t) {
    for (Index row = 0; row < t.rows; ++row) {
        const float* x = t.x + row * t.width;
        float* out = t.out + row * t.width;
        const float width = static_cast<float>(t.width);
        float mean = 0;
        if (t.centred)
            mean = total(
                       t.width, [&](Index at) { return load(x + at); },
                       [&](Index at, Index count) { return loadPart(x + at, count); }) /
                   width;
        const float variance =
            total(
                t.width, [&](Index at) { return squared(load(x + at) - mean); },
                [&](Index at, Index count) { return squared(centredPart(x + at, count, mean)); }) /
            width;
        const float reciprocal = 1.f / __builtin_sqrtf(variance + t.epsilon);
        t.statistics[2 * row] = mean;
        t.statistics[2 * row + 1] = reciprocal;
        const auto scaled = [&](Vector value, Vector weight) {
            return (value - mean) * reciprocal * weight;
        };
        inVectors(
            t.width,
            [&](Index at) {
                Vector value = scaled(load(x + at), load(t.weight + at));
                if (t.bias) value += load(t.bias + at);
                store(out + at, value);
            },
            [&](Index at, Index count) {
                Vector value = scaled(loadPart(x + at, count), loadPart(t.weight + at, count));
                if (t.bias) value += loadPart(t.bias + at, count);
                storePart(out + at, value, count);
            });
    }
}

/// With g = dOut * weight and n = (x - mean) * reciprocal:
/// dX = reciprocal * (g - mean(g) [LayerNorm only] - n * mean(g n)).
void normBackward(const NormGradient& t) {
    const float width = static_cast<float>(t.width);
    for (Index row = 0; row < t.rows; ++row) {
        const float* x = t.x + row * t.width;
        const float* above = t.dOut + row * t.width;
        float* dX = t.dX + row * t.width;
        const float mean = t.statistics[2 * row], reciprocal = t.statistics[2 * row + 1];
        const auto normal = [&](Index at) { return (load(x + at) - mean) * reciprocal; };
        const auto normalPart = [&](Index at, Index count) {
            return centredPart(x + at, count, mean) * reciprocal;
        };
        const auto gradient = [&](Index at) { return load(above + at) * load(t.weight + at); };
        const auto gradientPart = [&](Index at, Index count) {
            return loadPart(above + at, count) * loadPart(t.weight + at, count);
        };
        const float along = total(
                                t.width, [&](Index at) { return gradient(at) * normal(at); },
                                [&](Index at, Index count) {
                                    return gradientPart(at, count) * normalPart(at, count);
                                }) /
                            width;
        const float level = t.centred ? total(t.width, gradient, gradientPart) / width : 0.f;
        inVectors(
            t.width,
            [&](Index at) {
                const Vector change = gradient(at) - level - normal(at) * along;
                store(dX + at, load(dX + at) + change * reciprocal);
            },
            [&](Index at, Index count) {
                const Vector change =
                    gradientPart(at, count) - level - normalPart(at, count) * along;
                storePart(dX + at, loadPart(dX + at, count) + change * reciprocal, count);
            });
    }
}

/// sum[c] += sum over rows of term(row, c, count), where term gives `count` columns as a vector.
/// Rows are added up in blocks first, which keeps the rounding of long columns small.
template <class Term>
HEADLOOM_INLINE void sumColumns(Index rows, float* sum, Index begin, Index end, Term term) {
    constexpr Index block = 64;
    for (Index column = begin; column < end; column += lanes) {
        const Index count = lesser(lanes, end - column);
        Vector result = loadPart(sum + column, count);
        for (Index row0 = 0; row0 < rows; row0 += block) {
            Vector part = {};
            for (Index row = row0; row < lesser(rows, row0 + block); ++row)
                part += term(row, column, count);
            result += part;
        }
        storePart(sum + column, result, count);
    }
}

HEADLOOM_INLINE Vector loadUpTo(const float* from, Index count) {
    return count == lanes ? load(from) : loadPart(from, count);
}

void normBackwardWeights(const NormGradient& t, float* dWeight, float* dBias, Index begin,
                         Index end) {
    if (dWeight)
        sumColumns(t.rows, dWeight, begin, end, [&](Index row, Index column, Index count) {
            const Index at = row * t.width + column;
            const float mean = t.statistics[2 * row], reciprocal = t.statistics[2 * row + 1];
            return loadUpTo(t.dOut + at, count) * (loadUpTo(t.x + at, count) - mean) * reciprocal;
        });
    if (dBias)
        sumColumns(t.rows, dBias, begin, end, [&](Index row, Index column, Index count) {
            return loadUpTo(t.dOut + row * t.width + column, count);
        });
}

void addColumns(Index rows, Index width, const float* x, float* sum, Index begin, Index end) {
    sumColumns(rows, sum, begin, end, [&](Index row, Index column, Index count) {
        return loadUpTo(x + row * width + column, count);
    });
}

void sum(Index count, const float* a, const float* b, float* out) {
    for (Index at = 0; at < count; ++at) out[at] = a[at] + b[at];
}
void add(Index count, const float* x, float* out) {
    for (Index at = 0; at < count; ++at) out[at] += x[at];
}

void times(Index count, const float* a, const float* b, float* out) {
    for (Index at = 0; at < count; ++at) out[at] = a[at] * b[at];
}
void addTimes(Index count, const float* a, const float* b, float* sum) {
    for (Index at = 0; at < count; ++at) sum[at] += a[at] * b[at];
}

void rotate(Index rows, Index half, float* x, Index width, const float* cosine, const float* sine,
            float sinSign) {
    for (Index row = 0; row < rows; ++row) {
        float* first = x + row * width;
        float* second = first + half;
        const float* c = cosine + row * half;
        const float* s = sine + row * half;
        inVectors(
            half,
            [&](Index at) {
                const Vector a = load(first + at), b = load(second + at);
                const Vector turn = load(s + at) * sinSign;
                store(first + at, a * load(c + at) - b * turn);
                store(second + at, b * load(c + at) + a * turn);
            },
            [&](Index at, Index count) {
                for (Index i = at; i < at + count; ++i) {
                    const float a = first[i], b = second[i], turn = s[i] * sinSign;
                    first[i] = a * c[i] - b * turn;
                    second[i] = b * c[i] + a * turn;
                }
            });
    }
}

void exponentialOf(Index count, const float* x, float* out) {
    inVectors(
        count, [&](Index at) { store(out + at, exponential(load(x + at))); },
        [&](Index at, Index rest) {
            storePart(out + at, exponential(loadPart(x + at, rest)), rest);
        });
}

/// erf(x) = 2 Phi(x sqrt 2) - 1.
void errorFunction(Index count, const float* x, float* out) {
    for (Index at = 0; at < count; at += lanes) {
        const Index rest = lesser(lanes, count - at);
        const Vector value = loadPart(x + at, rest) * 1.41421356237309505f;
        storePart(out + at, gaussian(value).below * 2.f - 1.f, rest);
    }
}

Normaliser normaliser(Index count, const float* logits) {
    Vector top = all(-__builtin_inff());
    Normaliser result;
    result.largest = -__builtin_inff();
    inVectors(
        count, [&](Index at) { top = larger(load(logits + at), top); },
        [&](Index at, Index rest) {
            for (Index i = at; i < at + rest; ++i)
                if (logits[i] > result.largest) result.largest = logits[i];
        });
    const float inVector = largestLane(top);
    if (inVector > result.largest) result.largest = inVector;
    Vector sum = {};
    inVectors(
        count, [&](Index at) { sum += exponential(load(logits + at) - result.largest); },
        [&](Index at, Index rest) {
            const Vector value = exponential(loadPart(logits + at, rest) - result.largest);
            for (Index lane = 0; lane < rest; ++lane) sum[lane] += value[lane];
        });
    result.sum = sumOfLanes(sum);
    return result;
}

void shares(Index count, const float* logits, Normaliser of, float weight, float* out) {
    const float factor = weight / of.sum;
    inVectors(
        count,
        [&](Index at) { store(out + at, exponential(load(logits + at) - of.largest) * factor); },
        [&](Index at, Index rest) {
            storePart(out + at, exponential(loadPart(logits + at, rest) - of.largest) * factor,
                      rest);
        });
}

double sumOfSquares(Index count, const float* x) {
    constexpr Index block = 1024;  // float32 inside a block, float64 across
    double result = 0;
    for (Index start = 0; start < count; start += block) {
        const Index size = lesser(block, count - start);
        result += total(
            size, [&](Index at) { return squared(load(x + start + at)); },
            [&](Index at, Index rest) { return squared(loadPart(x + start + at, rest)); });
    }
    return result;
}

void adamw(const AdamWStep& step, Index count, float* __restrict weight,
           const float* __restrict gradient, float* __restrict first, float* __restrict second) {
    for (Index at = 0; at < count; ++at) {
        const float g = gradient[at] * step.gradientScale;
        const float m = step.beta1 * first[at] + step.rest1 * g;
        const float v = step.beta2 * second[at] + step.rest2 * g * g;
        first[at] = m;
        second[at] = v;
        const float deviation = __builtin_sqrtf(v / step.secondCorrection) + step.epsilon;
        weight[at] = weight[at] * step.decay - step.rate * m / deviation;
    }
}

}  // namespace
}  // namespace headloom::cpu
