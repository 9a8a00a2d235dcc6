#include "core/backend/cpu/rotary_tables.h"

#include <cmath>

namespace headloom::cpu {

namespace {

constexpr std::size_t mostTables = 8;  // two models, q and k, whole prompt and single step

RotaryTable build(const RotaryParams& params, std::int64_t nPseudo, std::int64_t nTokens,
                  std::int64_t half) {
    RotaryTable table{params, nPseudo, nTokens, half, {}, {}};
    const auto size = static_cast<std::size_t>(nPseudo * nTokens * half);
    table.cosine.reserve(size);
    table.sine.reserve(size);
    const bool isVirtual = params.positions == PositionKind::virtualToken;
    for (std::int64_t p = 0; p < nPseudo; ++p)
        for (std::int64_t n = 0; n < nTokens; ++n) {
            const std::int64_t token = params.start + n;
            const auto position = static_cast<double>(isVirtual ? token * nPseudo + p : token);
            for (std::int64_t c = 0; c < half; ++c) {
                const double angle = params.factor * position * params.frequency(c, 2 * half);
                table.cosine.push_back(static_cast<float>(std::cos(angle)));
                table.sine.push_back(static_cast<float>(std::sin(angle)));
            }
        }
    return table;
}

}  // namespace

const RotaryTable& RotaryTables::of(const RotaryParams& params, std::int64_t nPseudo,
                                    std::int64_t nTokens, std::int64_t half) {
    for (const RotaryTable& table : tables_)
        if (table.nPseudo == nPseudo && table.nTokens == nTokens && table.half == half &&
            table.params.positions == params.positions && table.params.theta == params.theta &&
            table.params.factor == params.factor && table.params.start == params.start &&
            table.params.divisors == params.divisors)
            return table;
    RotaryTable made = build(params, nPseudo, nTokens, half);
    if (tables_.size() < mostTables) return tables_.emplace_back(std::move(made));
    oldest_ = (oldest_ + 1) % mostTables;
    return tables_[oldest_] = std::move(made);
}

}  // namespace headloom::cpu
