#include "core/backend/conformance/case.h"

#include <fmt/format.h>

#include <algorithm>

namespace headloom::conformance {

namespace {

struct MapSizes {
    std::int64_t nBatch, nHeads, nGroups, nQueries, nKeys, width;
    std::int64_t room = 0;  ///< rows of k or v beyond those in use, filled with NaN
};

std::string describe(const MapSizes& n) {
    std::string text = fmt::format("B{} H{} G{} Nq{} Nk{} d{}", n.nBatch, n.nHeads, n.nGroups,
                                   n.nQueries, n.nKeys, n.width);
    return n.room > 0 ? text + fmt::format(" room {}", n.room) : text;
}

/// Keys or values [B, G, nKeys + room, width], NaN in the room.
Tensor rowsWithRoom(Draw& draw, const MapSizes& n) {
    const Tensor used = draw.normal({n.nBatch, n.nGroups, n.nKeys, n.width});
    if (n.room == 0) return used;
    const std::int64_t whole = n.nKeys + n.room;
    const Tensor made = unwritten({n.nBatch, n.nGroups, whole, n.width});
    for (std::int64_t group = 0; group < n.nBatch * n.nGroups; ++group)
        std::copy_n(used.data<double>() + group * n.nKeys * n.width, n.nKeys * n.width,
                    made.data<double>() + group * whole * n.width);
    return made;
}

/// In backward a key or value collects from all queries of its group.
double sumLengthOf(const MapSizes& n) {
    return static_cast<double>(n.nKeys + n.width + n.nQueries * n.nHeads / n.nGroups);
}

Case scoresCase(Draw& draw, const MapSizes& n, double scale) {
    Case one;
    one.op = "attentionScores";
    one.shape = describe(n) + (scale != 0 ? fmt::format(" scale {}", scale) : "");
    AttentionParams params;
    params.scale = scale;
    one.in = {draw.normal({n.nBatch, n.nHeads, n.nQueries, n.width}), rowsWithRoom(draw, n)};
    one.out = {unwritten({n.nBatch, n.nHeads, n.nQueries, n.nKeys})};
    one.forward = [params](Backend& backend, const Tensors& in, const Tensors& out) {
        backend.attentionScores(params, in[0], in[1], out[0]);
    };
    one.sumLength = sumLengthOf(n);
    if (n.room > 0) return one;
    one.backward = [params](Backend& backend, const Tensors& in, const Tensors&, const Tensor& dOut,
                            const Tensors& gradient) {
        backend.attentionScoresBackward(params, in[0], in[1], dOut, gradient[0], gradient[1]);
    };
    one.differentiable = {true, true};
    one.dOut = draw.normal({n.nBatch, n.nHeads, n.nQueries, n.nKeys});
    return one;
}

Case patternCase(Draw& draw, const Shape& shape, MaskKind mask, ScoreKind score,
                 std::int64_t window, std::int64_t start, double deviation = 1) {
    Case one;
    one.op = "attentionPattern";
    one.shape = fmt::format("{} {} {} window {} start {} deviation {}", shape.text(), nameOf(mask),
                            nameOf(score), window, start, deviation);
    AttentionParams params;
    params.mask = mask;
    params.score = score;
    params.window = window;
    params.queryStart = start;
    const bool hard = score == ScoreKind::hard;
    one.in = {hard ? draw.whole(shape, -1, 1) : draw.normal(shape, deviation)};
    one.out = {unwritten(shape)};
    one.forward = [params](Backend& backend, const Tensors& in, const Tensors& out) {
        backend.attentionPattern(params, in[0], out[0]);
    };
    one.sumLength = static_cast<double>(shape[3]);
    // The error of exp(s) is the absolute error of s, and |s| reaches some four deviations.
    one.magnified = score == ScoreKind::softmax ? 4 * deviation : 1;
    // A steep row is all but one-hot: its gradient is what cancellation leaves.
    if (hard || deviation > 10) return one;
    one.backward = [params](Backend& backend, const Tensors&, const Tensors& out,
                            const Tensor& dOut, const Tensors& gradient) {
        backend.attentionPatternBackward(params, out[0], dOut, gradient[0]);
    };
    one.differentiable = {true};
    one.dOut = draw.normal(shape);
    return one;
}

Case valuesCase(Draw& draw, const MapSizes& n) {
    Case one;
    one.op = "attentionValues";
    one.shape = describe(n);
    one.in = {draw.normal({n.nBatch, n.nHeads, n.nQueries, n.nKeys}), rowsWithRoom(draw, n)};
    one.out = {unwritten({n.nBatch, n.nHeads, n.nQueries, n.width})};
    one.forward = [](Backend& backend, const Tensors& in, const Tensors& out) {
        backend.attentionValues(in[0], in[1], out[0]);
    };
    one.sumLength = sumLengthOf(n);
    if (n.room > 0) return one;
    one.backward = [](Backend& backend, const Tensors& in, const Tensors&, const Tensor& dOut,
                      const Tensors& gradient) {
        backend.attentionValuesBackward(in[0], in[1], dOut, gradient[0], gradient[1]);
    };
    one.differentiable = {true, true};
    one.dOut = draw.normal({n.nBatch, n.nHeads, n.nQueries, n.width});
    return one;
}

Case scaleCase(Draw& draw, const Shape& maps, const Shape& multiplier) {
    Case one;
    one.op = "scaleMaps";
    one.shape = fmt::format("{} by {}", maps.text(), multiplier.text());
    one.in = {draw.normal(multiplier)};
    one.out = {draw.normal(maps)};
    one.forward = [](Backend& backend, const Tensors& in, const Tensors& out) {
        backend.scaleMaps(in[0], out[0]);
    };
    return one;
}

}  // namespace

void addMapCases(std::vector<Case>& cases, Draw& draw) {
    for (const MapSizes& n : {MapSizes{1, 1, 1, 1, 1, 1},
                              {2, 2, 1, 3, 4, 2},
                              {2, 4, 2, 5, 9, 3, 6},
                              {1, 6, 3, 37, 37, 9},
                              {1, 2, 2, 1, 70, 16},
                              {draw.between(1, 3), 4, 2, draw.between(1, 40), draw.between(1, 40),
                               draw.between(1, 20)}}) {
        cases.push_back(scoresCase(draw, n, 0));
        cases.push_back(valuesCase(draw, n));
    }
    cases.push_back(scoresCase(draw, {2, 3, 3, 4, 5, 3}, 0.25));
    for (const MaskKind mask : {MaskKind::flat, MaskKind::token, MaskKind::none})
        for (const ScoreKind score : {ScoreKind::softmax, ScoreKind::linear, ScoreKind::hard})
            for (const std::int64_t window : {0, 2}) {
                cases.push_back(patternCase(draw, {2, 2, 4, 5}, mask, score, window, 1));
                const std::int64_t start = draw.between(0, 4), rows = draw.between(1, 30);
                cases.push_back(
                    patternCase(draw, {draw.between(1, 2), draw.between(1, 3), rows, start + rows},
                                mask, score, 3 * window, start));
            }
    cases.push_back(scaleCase(draw, {2, 3, 4, 5}, {3, 1, 1, 4, 5}));
    cases.push_back(scaleCase(draw, {2, 3, 4, 5}, {3, 1, 1, 1, 1}));
    cases.push_back(scaleCase(draw, {1, 2, 7, 40}, {1, 1, 1, 7, 1}));
    cases.push_back(scaleCase(draw, {2, 1, 3, 9}, {1, 1, 1, 1, 9}));
    // no allowed key: the window lies behind the last key
    cases.push_back(patternCase(draw, {1, 2, 4, 5}, MaskKind::none, ScoreKind::softmax, 3, 5));
    // exp overflows unless shifted by the largest allowed score
    cases.push_back(patternCase(draw, {1, 2, 9, 9}, MaskKind::token, ScoreKind::softmax, 0, 0, 60));
}

}  // namespace headloom::conformance
