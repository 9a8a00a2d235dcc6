#pragma once

#include "core/backend/params.h"
#include "gpu/kernels/block.h"

#include <cmath>

namespace headloom::gpu {

/// Most pairs of a head that rotate: their frequencies travel with the kernel's arguments, of which
/// there may be 4 KiB.
inline constexpr int mostPairs = 256;

/// Body of ForEach over [B*H, P, N, half]: turns one pair.
struct Rotate {
    double frequencies[mostPairs];  ///< radians a token, sign and factor included
    float* x;                       ///< [B, H, P, N, d]
    Index start, nPseudo, nTokens, half, dHead;
    bool virtualTokens;

    HEADLOOM_DEVICE void operator()(Index at) const {
        const Index pair = at % half, row = at / half;
        const Index n = start + row % nTokens, p = row / nTokens % nPseudo;
        const Index position = virtualTokens ? n * nPseudo + p : n;
        // In double: a late position times a frequency loses the fraction of a turn that matters.
        constexpr double turn = 6.283185307179586476925287;
        const double angle = double(position) * frequencies[pair];
        const float rest = float(angle - turn * std::floor(angle / turn));
        const float cosine = std::cos(rest), sine = std::sin(rest);
        float& first = x[row * dHead + pair];
        float& second = x[row * dHead + pair + half];
        const float before = first;
        first = before * cosine - second * sine;
        second = second * cosine + before * sine;
    }
};

}  // namespace headloom::gpu
