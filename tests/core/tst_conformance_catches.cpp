#include "core/backend/conformance.h"
#include "core/backend/reference/reference_backend.h"

#include <doctest/doctest.h>

#include <cmath>
#include <set>

// A check that nothing fails is worth little: every fault below is one that a backend could have,
// and the operators it breaks must be the ones that are reported.

using namespace headloom;
using headloom::reference::ReferenceBackend;

namespace {

enum class Fault {
    embedStart,
    embedFirst,
    embedFirstLearns,
    normEpsilon,
    linearOverwrites,
    geluTanh,
    gateSwaps,
    tiedBias,
    headBias,
    rotateWhole,
    divisors,
    addCopies,
    topLastOfEqual,
    mixUnwritten,
    rotateByToken,
    appendStart,
    window,
    flatAsToken,
    queryStart,
    renormalise,
    mapsUnwritten,
    linearAsSoftmax,
    layerAsRms,
    collapseSkipsR,
    scoresGroup,
    patternWindow,
    patternUncoupled,
    scaleAllAlike,
    valuesOverwrite,
    lossWeight,
    decay,
    squares
};

class FaultyBackend : public ReferenceBackend {
  public:
    explicit FaultyBackend(Fault fault) : fault_(fault) {}

    void embed(const Tensor& ids, const Tensor& table, const Tensor& positions, std::int64_t start,
               const Tensor& out) override {
        ReferenceBackend::embed(is(Fault::embedFirst) ? firstOf(ids) : ids, table, positions,
                                is(Fault::embedStart) ? 0 : start, out);
    }
    void embedBackward(const Tensor& ids, const Tensor& dOut, const Tensor& dTable,
                       const Tensor& dPositions) override {
        ReferenceBackend::embedBackward(is(Fault::embedFirstLearns) ? firstOf(ids) : ids, dOut,
                                        dTable, dPositions);
    }
    void norm(NormKind kind, double epsilon, const Tensor& x, const Tensor& weight,
              const Tensor& bias, const Tensor& out, const Tensor& statistics) override {
        const double used = is(Fault::normEpsilon) ? 0 : epsilon;
        ReferenceBackend::norm(kind, used, x, weight, bias, out, statistics);
    }
    void normBackward(NormKind kind, const Tensor& x, const Tensor& weight,
                      const Tensor& statistics, const Tensor& dOut, const Tensor& dX,
                      const Tensor& dWeight, const Tensor& dBias) override {
        if (is(Fault::layerAsRms)) kind = NormKind::rms;
        ReferenceBackend::normBackward(kind, x, weight, statistics, dOut, dX, dWeight, dBias);
    }
    void linearBackward(const Tensor& x, const Tensor& weight, const Tensor& dOut, const Tensor& dX,
                        const Tensor& dWeight, const Tensor& dBias) override {
        if (is(Fault::linearOverwrites) && dWeight) zero(dWeight);
        ReferenceBackend::linearBackward(x, weight, dOut, dX, dWeight, dBias);
    }
    void activate(Activation kind, const Tensor& x, const Tensor& out) override {
        if (is(Fault::geluTanh) && kind == Activation::gelu) kind = Activation::geluTanh;
        ReferenceBackend::activate(kind, x, out);
    }
    void gateBackward(const Tensor& a, const Tensor& b, const Tensor& dOut, const Tensor& dA,
                      const Tensor& dB) override {
        ReferenceBackend::gateBackward(is(Fault::gateSwaps) ? b : a, is(Fault::gateSwaps) ? a : b,
                                       dOut, dA, dB);
    }
    void linearTransposed(const Tensor& x, const Tensor& weight, const Tensor& bias,
                          const Tensor& out) override {
        ReferenceBackend::linearTransposed(x, weight, is(Fault::tiedBias) ? Tensor() : bias, out);
    }
    void projectHeads(const Tensor& x, const Tensor& weight, const Tensor& bias,
                      const Tensor& out) override {
        ReferenceBackend::projectHeads(x, weight, is(Fault::headBias) ? Tensor() : bias, out);
    }
    void add(const Tensor& x, const Tensor& out) override {
        if (is(Fault::addCopies)) zero(out);
        ReferenceBackend::add(x, out);
    }
    void mixHeads(const Tensor& x, const Tensor& alpha, const Tensor& out) override {
        if (!is(Fault::mixUnwritten)) ReferenceBackend::mixHeads(x, alpha, out);
    }
    void rotate(const RotaryParams& params, const Tensor& x) override {
        RotaryParams used = params;
        if (is(Fault::rotateByToken) && used.positions == PositionKind::virtualToken)
            used.positions = PositionKind::token;
        if (is(Fault::rotateWhole)) used.width = 0;
        if (is(Fault::divisors)) used.divisors.clear();
        ReferenceBackend::rotate(used, x);
    }
    void append(const Tensor& rows, std::int64_t start, const Tensor& cache) override {
        ReferenceBackend::append(rows, is(Fault::appendStart) ? 0 : start, cache);
    }
    void attention(const AttentionParams& params, const Tensor& q, const Tensor& k, const Tensor& v,
                   const Tensor& y, const Tensor& maps) override {
        AttentionParams used = params;
        if (is(Fault::window)) used.window = 0;
        if (is(Fault::flatAsToken) && used.mask == MaskKind::flat) used.mask = MaskKind::token;
        if (is(Fault::queryStart)) used.queryStart = 0;
        if (is(Fault::renormalise)) used.renormalise = false;
        ReferenceBackend::attention(used, q, k, v, y, is(Fault::mapsUnwritten) ? Tensor() : maps);
    }
    void attentionBackward(const AttentionParams& params, const Tensor& q, const Tensor& k,
                           const Tensor& v, const Tensor& maps, const Tensor& dY, const Tensor& dQ,
                           const Tensor& dK, const Tensor& dV) override {
        AttentionParams used = params;
        if (is(Fault::linearAsSoftmax)) used.score = ScoreKind::softmax;
        ReferenceBackend::attentionBackward(used, q, k, v, maps, dY, dQ, dK, dV);
    }
    void collapseBackward(const Tensor& y, const Tensor& r, const Tensor& dZ, const Tensor& dY,
                          const Tensor& dR) override {
        ReferenceBackend::collapseBackward(y, r, dZ, dY, is(Fault::collapseSkipsR) ? Tensor() : dR);
    }
    void attentionScores(const AttentionParams& params, const Tensor& q, const Tensor& k,
                         const Tensor& scores) override {
        // grouped keys are left out
        const std::int64_t groups = k.size(1);
        if (is(Fault::scoresGroup) && groups > 1 && groups < q.size(1)) return;
        ReferenceBackend::attentionScores(params, q, k, scores);
    }
    void attentionPattern(const AttentionParams& params, const Tensor& scores,
                          const Tensor& maps) override {
        AttentionParams used = params;
        if (is(Fault::patternWindow)) used.window = 0;
        ReferenceBackend::attentionPattern(used, scores, maps);
    }
    void attentionPatternBackward(const AttentionParams& params, const Tensor& maps,
                                  const Tensor& dMaps, const Tensor& dScores) override {
        AttentionParams used = params;
        if (is(Fault::patternUncoupled)) used.score = ScoreKind::linear;
        ReferenceBackend::attentionPatternBackward(used, maps, dMaps, dScores);
    }
    void scaleMaps(const Tensor& multiplier, const Tensor& maps) override {
        const bool first = is(Fault::scaleAllAlike);
        ReferenceBackend::scaleMaps(first ? multiplier.slice(0, 1) : multiplier, maps);
    }
    void attentionValuesBackward(const Tensor& maps, const Tensor& v, const Tensor& dY,
                                 const Tensor& dMaps, const Tensor& dV) override {
        if (is(Fault::valuesOverwrite) && dV) zero(dV);
        ReferenceBackend::attentionValuesBackward(maps, v, dY, dMaps, dV);
    }
    double crossEntropy(const Tensor& logits, const Tensor& targets, double weight,
                        const Tensor& dLogits) override {
        const double used = is(Fault::lossWeight) ? 1 : weight;
        return ReferenceBackend::crossEntropy(logits, targets, used, dLogits);
    }
    void topK(const Tensor& x, const Tensor& values, const Tensor& ids) override {
        ReferenceBackend::topK(x, values, ids);
        if (!is(Fault::topLastOfEqual) || x.dtype() != DType::f32) return;
        for (std::int64_t at = 0; at < ids.count(); ++at) {
            std::int32_t& id = ids.data<std::int32_t>()[at];
            const float* row = x.data<float>() + at / ids.size(1) * x.size(1);
            for (std::int32_t v = id + 1; v < x.size(1); ++v)
                if (row[v] == row[id]) id = v;
        }
    }
    double sumOfSquares(const Tensor& x) override {
        return ReferenceBackend::sumOfSquares(x) * (is(Fault::squares) ? 1.0001 : 1);
    }
    void adamw(const AdamWParams& params, const Tensor& weight, const Tensor& gradient,
               const Tensor& firstMoment, const Tensor& secondMoment) override {
        AdamWParams used = params;
        if (is(Fault::decay)) used.weightDecay = 0;
        ReferenceBackend::adamw(used, weight, gradient, firstMoment, secondMoment);
    }

  private:
    bool is(Fault fault) const { return fault_ == fault; }
    /// ids [B, N, K] with only the first of each position.
    static Tensor firstOf(const Tensor& ids) {
        const Tensor first = ids.copy();
        const std::int64_t sharers = ids.shape().rank() == 3 ? ids.size(2) : 1;
        for (std::int64_t at = 0; at < first.count(); ++at)
            if (at % sharers > 0) first.data<std::int32_t>()[at] = -1;
        return first;
    }
    Fault fault_;
};

using Names = std::set<std::string>;

Names failed(const std::vector<ConformanceRecord>& records) {
    Names names;
    for (const ConformanceRecord& record : records)
        if (!record.passed) names.insert(record.op);
    return names;
}

Names against(Fault fault) {
    FaultyBackend backend(fault);
    return failed(checkAgainstReference(backend));
}

Names gradients(Fault fault) {
    FaultyBackend backend(fault);
    return failed(checkGradients(backend, {1, DType::f64}));
}

}  // namespace

TEST_CASE("a fault is reported for the operators it breaks and no others") {
    CHECK(against(Fault::embedStart) == Names{"embed"});
    CHECK(against(Fault::embedFirst) == Names{"embed"});
    CHECK(against(Fault::embedFirstLearns) == Names{"embed backward"});
    CHECK(against(Fault::scaleAllAlike) == Names{"scaleMaps"});
    CHECK(against(Fault::normEpsilon) == Names{"norm layer", "norm rms"});
    CHECK(against(Fault::linearOverwrites) == Names{"linear backward"});
    CHECK(against(Fault::geluTanh) == Names{"gelu"});
    CHECK(against(Fault::gateSwaps) == Names{"gate backward"});
    CHECK(against(Fault::tiedBias) == Names{"linearTransposed"});
    CHECK(against(Fault::headBias) == Names{"projectHeads"});
    CHECK(against(Fault::rotateWhole) == Names{"rotate", "rotate backward"});
    CHECK(against(Fault::divisors) == Names{"rotate", "rotate backward"});
    CHECK(against(Fault::addCopies) == Names{"add", "rotate backward"});  // collects with add
    CHECK(against(Fault::mixUnwritten) == Names{"mixHeads", "layer"});
    CHECK(against(Fault::rotateByToken) == Names{"rotate", "rotate backward", "layer"});
    CHECK(against(Fault::appendStart) == Names{"append"});
    CHECK(against(Fault::window) == Names{"attention"});
    CHECK(against(Fault::flatAsToken) == Names{"attention", "layer"});
    CHECK(against(Fault::queryStart) == Names{"attention"});
    CHECK(against(Fault::renormalise) == Names{"attention"});
    CHECK(against(Fault::mapsUnwritten) == Names{"attention", "layer"});
    CHECK(against(Fault::linearAsSoftmax) == Names{"attention backward"});
    CHECK(against(Fault::layerAsRms) == Names{"norm layer backward"});
    CHECK(against(Fault::collapseSkipsR) == Names{"collapse backward"});
    CHECK(against(Fault::scoresGroup) == Names{"attentionScores"});
    CHECK(against(Fault::patternWindow) == Names{"attentionPattern"});
    CHECK(against(Fault::patternUncoupled) == Names{"attentionPattern backward"});
    CHECK(against(Fault::valuesOverwrite) == Names{"attentionValues backward"});
    CHECK(against(Fault::lossWeight) == Names{"crossEntropy", "crossEntropy backward"});
    CHECK(against(Fault::decay) == Names{"adamw"});
    CHECK(against(Fault::squares) == Names{"sumOfSquares"});
    CHECK(against(Fault::topLastOfEqual) == Names{"topK"});
}

TEST_CASE("a wrong gradient fails the differences") {
    CHECK(gradients(Fault::embedFirstLearns) == Names{"embed backward"});
    CHECK(gradients(Fault::linearAsSoftmax) == Names{"attention backward"});
    CHECK(gradients(Fault::layerAsRms) == Names{"norm layer backward"});
    CHECK(gradients(Fault::patternUncoupled) == Names{"attentionPattern backward"});
    CHECK(gradients(Fault::collapseSkipsR) == Names{"collapse backward"});
    CHECK(gradients(Fault::rotateByToken) == Names{"rotate backward"});
}
