#pragma once

// Part of kernels_impl.h: vectors as wide as the build's registers, and elementary functions.

#include "core/backend/cpu/kernels.h"

#if defined(__SSE__)
#include <immintrin.h>  // its functions are always inlined, so nothing of them reaches the linker
#endif

namespace headloom::cpu {
namespace {

#if defined(__AVX512F__)
#define HEADLOOM_512
constexpr int lanes = 16;
#elif defined(__AVX2__) && defined(__FMA__)
#define HEADLOOM_256
constexpr int lanes = 8;
#else
constexpr int lanes = 4;
#endif
typedef float Vector __attribute__((vector_size(4 * lanes)));
typedef std::int32_t Integers __attribute__((vector_size(4 * lanes)));

#define HEADLOOM_INLINE static inline __attribute__((always_inline))

HEADLOOM_INLINE Vector load(const float* from) {
    Vector value;
    __builtin_memcpy(&value, from, sizeof value);
    return value;
}
HEADLOOM_INLINE void store(float* to, Vector value) {
    __builtin_memcpy(to, &value, sizeof value);
}
HEADLOOM_INLINE Vector all(float value) {
    return value - Vector{};
}
/// The first `count` lanes, zeros beyond.
HEADLOOM_INLINE Vector loadPart(const float* from, Index count) {
#if defined(HEADLOOM_512)
    return _mm512_maskz_loadu_ps(static_cast<__mmask16>((1u << count) - 1), from);
#else
    Vector value = {};
    for (Index lane = 0; lane < count; ++lane) value[lane] = from[lane];
    return value;
#endif
}
HEADLOOM_INLINE void storePart(float* to, Vector value, Index count) {
#if defined(HEADLOOM_512)
    _mm512_mask_storeu_ps(to, static_cast<__mmask16>((1u << count) - 1), value);
#else
    for (Index lane = 0; lane < count; ++lane) to[lane] = value[lane];
#endif
}
HEADLOOM_INLINE void fill(float* from, float* to, float value) {
    for (; from < to; ++from) *from = value;
}
/// 0, 1, 2, ...
HEADLOOM_INLINE Integers laneNumbers() {
    Integers numbers = {};
    for (int lane = 0; lane < lanes; ++lane) numbers[lane] = lane;
    return numbers;
}
/// The larger and the smaller; the second where either is NaN. Compilers do not find the one
/// instruction for it. (g++ 12 takes the plain _mm512_max_ps for a use of something uninitialised.)
HEADLOOM_INLINE Vector larger(Vector a, Vector b) {
#if defined(HEADLOOM_512)
    return _mm512_maskz_max_ps(0xffff, a, b);
#elif defined(HEADLOOM_256)
    return _mm256_max_ps(a, b);
#elif defined(__SSE__)
    return _mm_max_ps(a, b);
#else
    return a > b ? a : b;
#endif
}
HEADLOOM_INLINE Vector smaller(Vector a, Vector b) {
#if defined(HEADLOOM_512)
    return _mm512_maskz_min_ps(0xffff, a, b);
#elif defined(HEADLOOM_256)
    return _mm256_min_ps(a, b);
#elif defined(__SSE__)
    return _mm_min_ps(a, b);
#else
    return a < b ? a : b;
#endif
}
/// Combines all lanes in pairs, a fixed order.
template <class Combine>
HEADLOOM_INLINE float overLanes(Vector v, Combine combine) {
#if defined(HEADLOOM_512)
    v = combine(
        v, __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7));
    v = combine(
        v, __builtin_shufflevector(v, v, 4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11));
    v = combine(
        v, __builtin_shufflevector(v, v, 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13));
    v = combine(
        v, __builtin_shufflevector(v, v, 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14));
#elif defined(HEADLOOM_256)
    v = combine(v, __builtin_shufflevector(v, v, 4, 5, 6, 7, 0, 1, 2, 3));
    v = combine(v, __builtin_shufflevector(v, v, 2, 3, 0, 1, 6, 7, 4, 5));
    v = combine(v, __builtin_shufflevector(v, v, 1, 0, 3, 2, 5, 4, 7, 6));
#else
    v = combine(v, __builtin_shufflevector(v, v, 2, 3, 0, 1));
    v = combine(v, __builtin_shufflevector(v, v, 1, 0, 3, 2));
#endif
    return v[0];
}
HEADLOOM_INLINE float largestLane(Vector value) {
    return overLanes(value, [](Vector a, Vector b) { return larger(a, b); });
}
HEADLOOM_INLINE float sumOfLanes(Vector value) {
    return overLanes(value, [](Vector a, Vector b) { return a + b; });
}

/// store past the caches, for what is not read again soon; `to` a multiple of the vector's size.
/// Call finishStreaming before other threads may look.
HEADLOOM_INLINE void storeStreaming(float* to, Vector value) {
#if defined(HEADLOOM_512)
    _mm512_stream_ps(to, value);
#elif defined(HEADLOOM_256)
    _mm256_stream_ps(to, value);
#elif defined(__SSE__)
    _mm_stream_ps(to, value);
#else
    store(to, value);
#endif
}
HEADLOOM_INLINE void finishStreaming() {
#if defined(__SSE__)
    _mm_sfence();
#endif
}

/// Calls step(offset, count) over 0..size-1 in whole vectors, then once with what remains.
template <class Whole, class Part>
HEADLOOM_INLINE void inVectors(Index size, Whole whole, Part part) {
    Index at = 0;
    for (; at + lanes <= size; at += lanes) whole(at);
    if (at < size) part(at, size - at);
}

/// Adding this to |x| < 2^22 leaves x, rounded to a whole number, in the low bits, with the bias of
/// a float32 exponent on top.
constexpr float roundingShift = 12582912.f + 127.f;  // 1.5 * 2^23 + 127

/// 2^whole for a whole number -127..127 held as `whole + roundingShift`; 0 at -127.
HEADLOOM_INLINE Vector powerOfTwo(Vector shifted) {
    return (Vector)((Integers)shifted << 23);  // what else the shift left leaves at the top
}

/// 2^x for x <= 0, relative error below 2e-7; 0 below -126.5, NaN stays NaN. The polynomial is the
/// minimax fit of 2^f on [-1/2, 1/2].
HEADLOOM_INLINE Vector exp2Negative(Vector x) {
    x = larger(all(-127.f), x);  // order matters: NaN stays
    const Vector shifted = x + roundingShift;
    const Vector f = x - (shifted - roundingShift);
    Vector p = f * 0.0013276472454890609f + 0.009675541892647743f;
    p = p * f + 0.05550713092088699f;
    p = p * f + 0.24022120237350464f;
    p = p * f + 0.6931469440460205f;
    p = p * f + 1.0000001192092896f;
    return p * powerOfTwo(shifted);
}

/// e^x within 2 units in the last place, subnormal results included; NaN stays NaN. ln 2 is taken
/// off in two parts so that large |x| costs no digits; the polynomial is the minimax fit of e^r on
/// [-ln2/2, ln2/2].
HEADLOOM_INLINE Vector exponential(Vector x) {
    const Vector inside = larger(all(-105.f), smaller(all(89.f), x));
    const Vector shifted = inside * 1.44269504088896341f + roundingShift;
    const Vector whole = shifted - roundingShift;
    const Vector r = inside - whole * 0.693359375f + whole * 2.12194440e-4f;
    Vector p = r * 0.001381461275741458f + 0.008368710055947304f;
    p = p * r + 0.04166838899254799f;
    p = p * r + 0.1666652113199234f;
    p = p * r + 0.4999999403953552f;
    p = p * (r * r) + r + 1.f;
    // 2^128 and 2^-150 are no float32 numbers: scale in two steps.
    const Integers exponent = (Integers)shifted - (Integers)all(roundingShift);
    const Integers half = exponent >> 1;
    return p * (Vector)((half + 127) << 23) * (Vector)((exponent - half + 127) << 23);
}

/// Normal distribution: Phi(x), the share below x, and exp(-x^2 / 2).
struct Gaussian {
    Vector below;  ///< relative error below 1e-6 down to x = -6, absolute below 3e-7
    Vector bell;
};
/// erfc(z) = t poly(t) exp(-z^2), t = 1 / (1 + 0.425 z), for z >= 0: the form of Abramowitz &
/// Stegun 7.1.26 refitted with eight terms to a relative error of 1e-7, so that the tail of a GELU
/// is right.
HEADLOOM_INLINE Gaussian gaussian(Vector x) {
    const Vector z = larger(x, -x) * 0.70710678118654752f;
    const Vector t = 1.f / (z * 0.425f + 1.f);
    Vector p = t * 0.07291439920663834f - 0.31915390491485596f;
    p = p * t + 0.41798093914985657f;
    p = p * t - 0.11282599717378616f;
    p = p * t + 0.26017770171165466f;
    p = p * t + 0.19915319979190826f;
    p = p * t + 0.24209147691726685f;
    p = p * t + 0.23966209590435028f;
    Gaussian result;
    result.bell = exp2Negative(x * x * -0.72134752044448170f);
    const Vector tail = p * t * result.bell * 0.5f;
    result.below = x > 0.f ? 1.f - tail : tail;
    return result;
}

}  // namespace
}  // namespace headloom::cpu
