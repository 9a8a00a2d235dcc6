#include "core/theory/witness.h"

#include "core/models/guarded.h"
#include "core/theory/check_range.h"
#include "core/theory/constructed_layer.h"

#include <algorithm>
#include <cmath>

namespace headloom {

namespace {

constexpr std::int64_t nTokens = 3;

Tensor tokensOf(const std::vector<double>& s, double v) {
    const Tensor x = Tensor::host({static_cast<std::int64_t>(s.size()), nTokens, 3}, DType::f64);
    double* to = x.data<double>();
    for (const double value : s)
        for (std::int64_t token = 0; token < nTokens; ++token) {
            *to++ = value;
            *to++ = 1;
            *to++ = v;
        }
    return x;
}

AttentionWeights plainHead() {
    AttentionWeights weights;
    weights.wQ = Tensor::of<double>({1, 3, 1}, {1, 0, 0});
    weights.wK = Tensor::of<double>({1, 3, 1}, {0, 1, 0});
    weights.wV = Tensor::of<double>({1, 3, 1}, {0, 0, 1});
    return weights;
}

AttentionWeights mixedHead(double secondAlphaV) {
    AttentionWeights weights = plainHead();
    weights.alphaQ = weights.alphaK = Tensor::of<double>({1, 1, 2}, {1, -1});
    weights.alphaV = Tensor::of<double>({1, 1, 2}, {1, secondAlphaV});
    weights.r = Tensor::of<double>({1, 2}, {1, 0});
    return weights;
}

/// Of the first token; the others are equal.
std::vector<double> outputs(const LayerConfig& layer, const AttentionWeights& weights,
                            const Tensor& tokens, DType type, Backend& backend) {
    constexpr double unused = 10000;  // no rotary positions
    const Tensor out =
        fetchedFrom(backend, runAttentionLayer(layer, unused, placedOn(backend, type, weights),
                                               placedOn(backend, type, tokens), backend)
                                 .out);
    std::vector<double> first;
    for (std::int64_t b = 0; b < out.size(0); ++b) first.push_back(out.at(b).data<double>()[0]);
    return first;
}

}  // namespace

Result<Witness> runWitness(const std::vector<double>& s, double v, DType type, Backend& backend) {
    if (s.empty()) return fail(Error::Kind::badInput, "s", "has no values", "give one or more");
    for (const double place : s)
        if (auto fine = checkRange("s", place, -Witness::mostS, Witness::mostS); !fine)
            return tl::unexpected(fine.error());
    if (auto fine = checkRange("v", v, -Witness::mostV, Witness::mostV); !fine)
        return tl::unexpected(fine.error());
    return guarded([&]() -> Result<Witness> {
        const Tensor tokens = tokensOf(s, v);
        const LayerConfig iha = constructedLayer(AttentionKind::iha, 2, ScoreKind::softmax);
        Witness made;
        made.s = s;
        made.v = v;
        made.corrected = outputs(iha, mixedHead(-1), tokens, type, backend);
        made.printed = outputs(iha, mixedHead(1), tokens, type, backend);
        made.mha = outputs(constructedLayer(AttentionKind::mha, 1, ScoreKind::softmax), plainHead(),
                           tokens, type, backend);
        for (std::size_t i = 0; i < s.size(); ++i)
            made.maxError =
                std::max(made.maxError, std::abs(made.corrected[i] - v * std::tanh(s[i])));
        return made;
    });
}

std::vector<double> witnessPlaces(int count, double bound) {
    std::vector<double> places;
    for (int i = 0; i < count; ++i) places.push_back(bound * (2.0 * i / (count - 1) - 1));
    return places;
}

}  // namespace headloom
