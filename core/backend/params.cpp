#include "core/backend/params.h"

#include <cmath>
#include <cstdlib>
#include <utility>

namespace headloom {

std::string_view nameOf(MaskKind kind) {
    return kind == MaskKind::flat ? "flat" : kind == MaskKind::token ? "token" : "none";
}
std::string_view nameOf(PositionKind kind) {
    return kind == PositionKind::virtualToken ? "virtual"
           : kind == PositionKind::token      ? "token"
                                              : "none";
}
std::string_view nameOf(ScoreKind kind) {
    return kind == ScoreKind::softmax ? "softmax" : kind == ScoreKind::linear ? "linear" : "hard";
}

Result<MaskKind> maskFrom(std::string_view name) {
    for (const MaskKind kind : {MaskKind::flat, MaskKind::token, MaskKind::none})
        if (name == nameOf(kind)) return kind;
    return fail(Error::Kind::badInput, "mask", "\"" + std::string(name) + "\" is not a mask",
                "use flat, token or none");
}
Result<PositionKind> positionsFrom(std::string_view name) {
    for (const PositionKind kind :
         {PositionKind::virtualToken, PositionKind::token, PositionKind::none})
        if (name == nameOf(kind)) return kind;
    return fail(Error::Kind::badInput, "positions",
                "\"" + std::string(name) + "\" is not a kind of positions",
                "use virtual, token or none");
}
Result<ScoreKind> scoreFrom(std::string_view name) {
    for (const ScoreKind kind : {ScoreKind::softmax, ScoreKind::linear, ScoreKind::hard})
        if (name == nameOf(kind)) return kind;
    return fail(Error::Kind::badInput, "score",
                "\"" + std::string(name) + "\" is not a score function",
                "use softmax, linear or hard");
}

namespace {

constexpr std::pair<Activation, std::string_view> activationNames[] = {
    {Activation::gelu, "gelu"},
    {Activation::geluTanh, "gelu-tanh"},
    {Activation::relu, "relu"},
    {Activation::silu, "silu"},
    {Activation::reluSquared, "relu-squared"},
    {Activation::tanh, "tanh"}};

}  // namespace

std::string_view nameOf(Activation kind) {
    for (const auto& [known, name] : activationNames)
        if (known == kind) return name;
    return {};
}
Result<Activation> activationFrom(std::string_view name) {
    for (const auto& [kind, known] : activationNames)
        if (known == name) return kind;
    return fail(Error::Kind::badInput, "activation",
                "\"" + std::string(name) + "\" is not an activation",
                "use gelu, gelu-tanh, relu, silu, relu-squared or tanh");
}

double RotaryParams::frequency(std::int64_t pair, std::int64_t dHead) const {
    const double turns =
        std::pow(theta, -2.0 * static_cast<double>(pair) / static_cast<double>(widthFor(dHead)));
    return divisors.empty() ? turns : turns / divisors[static_cast<std::size_t>(pair)];
}

double AttentionParams::scaleFor(std::int64_t dHead) const {
    return scale != 0.0 ? scale : 1.0 / std::sqrt(static_cast<double>(dHead));
}

bool allows(const AttentionParams& params, std::int64_t nPseudo, std::int64_t n, std::int64_t p,
            std::int64_t m, std::int64_t r) {
    if (params.mask == MaskKind::flat && m * nPseudo + r > n * nPseudo + p) return false;
    if (params.mask == MaskKind::token && m > n) return false;
    return params.window == 0 || std::abs(n - m) < params.window;
}

}  // namespace headloom
