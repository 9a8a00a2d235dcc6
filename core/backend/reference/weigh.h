#pragma once

#include "core/backend/params.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

namespace headloom::reference {

/// Nk: a cache may hold room for more rows than are filled.
inline std::int64_t keysInUse(const AttentionParams& params, const Tensor& k) {
    assert(params.keyCount <= k.size(3));
    return params.keyCount != 0 ? params.keyCount : k.size(3);
}

/// One pseudo-query's row over all pseudo-keys (r, j), as [P, Nk] flattened: a score and whether
/// the key is allowed; then, in place, the weight.
template <class T>
struct Row {
    std::vector<T> value;
    std::vector<bool> allowed;
};

/// Turns scores into weights; keys that are not allowed get 0, and so does a row with none allowed.
template <class T>
void weigh(ScoreKind kind, Row<T>& row) {
    const std::size_t size = row.value.size();
    if (kind != ScoreKind::linear) {
        T largest = -std::numeric_limits<T>::infinity();
        for (std::size_t key = 0; key < size; ++key)
            if (row.allowed[key]) largest = std::max(largest, row.value[key]);
        // Equal scores reached by different roundings still tie (iha.md 2).
        const T tie = std::is_same_v<T, double> ? T(1e-9) : T(1e-5);
        T sum = 0;
        for (std::size_t key = 0; key < size; ++key) {
            if (!row.allowed[key]) continue;
            T& value = row.value[key];
            value = kind == ScoreKind::hard ? T(value >= largest - tie) : std::exp(value - largest);
            sum += value;
        }
        for (std::size_t key = 0; key < size; ++key)
            if (row.allowed[key]) row.value[key] /= sum;
    }
    for (std::size_t key = 0; key < size; ++key)
        if (!row.allowed[key]) row.value[key] = 0;
}

}  // namespace headloom::reference
