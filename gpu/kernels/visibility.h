#pragma once

#include "core/backend/params.h"
#include "gpu/kernels/block.h"

namespace headloom::gpu {

/// Which keys a query sees: headloom::allows, on the device.
struct Sees {
    MaskKind mask;
    Index window, queryStart, nKeys, nPseudo;

    HEADLOOM_DEVICE bool allows(Index n, Index p, Index m, Index r) const {
        const Index apart = n > m ? n - m : m - n;
        if (window > 0 && apart >= window) return false;
        if (mask == MaskKind::none) return true;
        return m < n || (m == n && (mask == MaskKind::token || r <= p));
    }
    /// No query from token n on sees a key before this one.
    HEADLOOM_DEVICE Index firstKey(Index n) const {
        return window > 0 && n >= window ? n - window + 1 : 0;
    }
    /// No query up to token n sees this key or one after it.
    HEADLOOM_DEVICE Index endKey(Index n) const {
        Index end = nKeys;
        if (mask != MaskKind::none && n + 1 < end) end = n + 1;
        if (window > 0 && n + window < end) end = n + window;
        return end;
    }
};

/// AttentionParams::multiplier with a step of 0 along axes of size 1.
struct Factors {
    const float* numbers = nullptr;  ///< null: 1 everywhere
    Index h = 0, p = 0, r = 0, i = 0, j = 0;

    HEADLOOM_DEVICE float at(Index head, Index query, Index key, Index row, Index column) const {
        return numbers ? numbers[head * h + query * p + key * r + row * i + column * j] : 1.f;
    }
};

}  // namespace headloom::gpu
