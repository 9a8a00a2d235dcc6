#include "core/theory/containment.h"

#include "core/base/rng.h"
#include "core/models/guarded.h"
#include "core/theory/check_range.h"
#include "core/theory/constructed_layer.h"

#include <algorithm>
#include <cmath>

namespace headloom {

namespace {

constexpr std::int64_t dHead = 4, dModel = containmentHeads * dHead;
constexpr double ropeTheta = 10000;

Tensor drawn(const Shape& shape, std::uint64_t seed, double deviation) {
    Rng rng(seed);
    const Tensor made = Tensor::host(shape, DType::f64);
    for (double& value : made.values<double>()) value = deviation * rng.normal();
    return made;
}

/// Deviation 1/2 gives scores of about 3, so that no row of a softmax is one-hot.
AttentionWeights drawnLayer() {
    AttentionWeights weights;
    weights.wQ = drawn({containmentHeads, dModel, dHead}, 1, 0.5);
    weights.wK = drawn({containmentHeads, dModel, dHead}, 2, 0.5);
    weights.wV = drawn({containmentHeads, dModel, dHead}, 3, 1);
    return weights;
}

/// alpha[m, h, p] = 1(m = h), and R that reads one pseudo-head of the own head.
void addCopies(const ContainmentCase& asked, AttentionWeights& weights) {
    const std::int64_t heads = containmentHeads, pseudo = asked.nPseudo;
    weights.alphaQ = Tensor::host({heads, heads, pseudo}, DType::f64);
    weights.r = Tensor::host({heads, heads * pseudo}, DType::f64);
    for (std::int64_t h = 0; h < heads; ++h) {
        std::fill_n(weights.alphaQ.data<double>() + (h * heads + h) * pseudo, pseudo, 1.0);
        weights.r.data<double>()[(h * heads + h) * pseudo + asked.selected] =
            asked.dividedByP ? 1.0 / asked.nPseudo : 1.0;
    }
    weights.alphaK = weights.alphaV = weights.alphaQ;
}

struct Ran {
    Tensor output;  ///< [N, H d] float64
    Tensor maps;    ///< M[h, h], [H, N, N] float32
};

Ran run(const LayerConfig& layer, const AttentionWeights& weights, DType type, Backend& backend) {
    const Tensor x = drawn({1, containmentTokens, dModel}, 4, 1);
    const AttentionWeights placed = placedOn(backend, type, weights);
    const AttentionLayerResult result =
        runAttentionLayer(layer, ropeTheta, placed, placedOn(backend, type, x), backend);
    const std::int64_t heads = containmentHeads, n = containmentTokens;
    const Tensor effective = backend.allocate({1, heads, heads, n, n}, type);
    backend.effectiveMaps(result.maps, placed.alphaV, placed.r, effective);
    const Tensor all = fetchedFrom(backend, effective).at(0);
    const Tensor maps = Tensor::host({heads, n, n}, DType::f32);
    for (std::int64_t h = 0; h < heads; ++h) {
        const Tensor own = all.at(h).at(h);
        std::copy_n(own.data<double>(), n * n, maps.at(h).data<float>());
    }
    return {fetchedFrom(backend, result.out).at(0), maps};
}

double relativeDifference(const Tensor& iha, const Tensor& mha) {
    double most = 0, largest = 0;
    for (std::int64_t i = 0; i < mha.count(); ++i) {
        most = std::max(most, std::abs(iha.data<double>()[i] - mha.data<double>()[i]));
        largest = std::max(largest, std::abs(mha.data<double>()[i]));
    }
    return most / largest;
}

}  // namespace

Result<void> validate(const ContainmentCase& asked) {
    if (auto fine = checkRange("pseudo-heads P", asked.nPseudo, 1, ContainmentCase::mostPseudo);
        !fine)
        return fine;
    return checkRange("selected pseudo-head", asked.selected, 0, asked.nPseudo - 1);
}

NotMha whyNotMha(const ContainmentCase& asked) {
    if (asked.nPseudo == 1) return NotMha::itIs;
    if (asked.positions == PositionKind::virtualToken) return NotMha::virtualPositions;
    if (asked.dividedByP != (asked.score == ScoreKind::linear)) return NotMha::wrongWeight;
    if (asked.mask == MaskKind::flat && asked.score != ScoreKind::hard &&
        asked.selected < asked.nPseudo - 1)
        return NotMha::ownTokenSeenLess;
    return NotMha::itIs;
}

Result<ContainmentRun> runContainment(const ContainmentCase& asked, DType type, Backend& backend) {
    if (auto fine = validate(asked); !fine) return tl::unexpected(fine.error());
    return guarded([&]() -> Result<ContainmentRun> {
        AttentionWeights weights = drawnLayer();
        LayerConfig layer;
        layer.mask = asked.mask;
        layer.positions = asked.positions;
        layer.score = asked.score;
        const Ran mha = run(layer, weights, type, backend);
        layer.kind = AttentionKind::iha;
        layer.nPseudo = asked.nPseudo;
        addCopies(asked, weights);
        const Ran iha = run(layer, weights, type, backend);
        // some hundred roundings; what is no rounding is above 1e-3
        const double rounding = type == DType::f64 ? 1e-13 : 1e-5;
        ContainmentRun made;
        made.asked = asked;
        made.difference = relativeDifference(iha.output, mha.output);
        made.same = made.difference <= rounding;
        made.mhaMaps = mha.maps;
        made.ihaMaps = iha.maps;
        return made;
    });
}

std::vector<ContainmentCase> containmentRows(const ContainmentCase& from) {
    std::vector<ContainmentCase> rows;
    for (const MaskKind mask : {MaskKind::flat, MaskKind::token, MaskKind::none})
        for (const PositionKind positions :
             {PositionKind::virtualToken, PositionKind::token, PositionKind::none}) {
            ContainmentCase row = from;
            row.mask = mask;
            row.positions = positions;
            rows.push_back(row);
        }
    return rows;
}

}  // namespace headloom
