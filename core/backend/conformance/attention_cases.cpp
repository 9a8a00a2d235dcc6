#include "core/backend/conformance/case.h"

#include <fmt/format.h>

#include <algorithm>

namespace headloom::conformance {

namespace {

struct AttentionSizes {
    std::int64_t nBatch, nHeads, nGroups, nPseudo, nQueries, nKeys, dHead, dValue;
};

struct AttentionSetting {
    AttentionParams params;
    Shape multiplier;      ///< rank 0: none
    double deviation = 1;  ///< of the queries
    bool keepMaps = true;
    std::int64_t room = 0;  ///< rows of k and v beyond those in use, filled with NaN
};

std::string describe(const AttentionSizes& n, const AttentionSetting& setting) {
    const AttentionParams& params = setting.params;
    std::string text = fmt::format("B{} H{} G{} P{} Nq{} Nk{} d{} e{} {} {}", n.nBatch, n.nHeads,
                                   n.nGroups, n.nPseudo, n.nQueries, n.nKeys, n.dHead, n.dValue,
                                   nameOf(params.mask), nameOf(params.score));
    if (params.window > 0) text += fmt::format(" window {}", params.window);
    if (params.queryStart > 0) text += fmt::format(" start {}", params.queryStart);
    if (setting.multiplier.rank() > 0)
        text += fmt::format(" multiplier {}{}", setting.multiplier.text(),
                            params.renormalise ? " renormalised" : "");
    if (setting.deviation != 1) text += fmt::format(" deviation {}", setting.deviation);
    if (setting.room > 0) text += fmt::format(" room {}", setting.room);
    return setting.keepMaps ? text : text + " no maps";
}

/// [B, G, P, nKeys + room, width], NaN in the room.
Tensor keyRows(const Tensor& used, std::int64_t room) {
    if (room == 0) return used;
    const std::int64_t rows = used.size(3), width = used.size(4), whole = rows + room;
    const Tensor made = unwritten({used.size(0), used.size(1), used.size(2), whole, width});
    for (std::int64_t block = 0; block < used.count() / (rows * width); ++block)
        std::copy_n(used.data<double>() + block * rows * width, rows * width,
                    made.data<double>() + block * whole * width);
    return made;
}

Case attentionCase(Draw& draw, const AttentionSizes& n, const AttentionSetting& setting) {
    Case one;
    one.op = "attention";
    one.shape = describe(n, setting);
    AttentionParams params = setting.params;
    const bool hard = params.score == ScoreKind::hard;
    // Whole numbers make hard scores exact in float32, so ties are ties in both types.
    if (hard) params.scale = 0.5;
    if (setting.room > 0) params.keyCount = n.nKeys;
    const Shape q{n.nBatch, n.nHeads, n.nPseudo, n.nQueries, n.dHead};
    const Shape k{n.nBatch, n.nGroups, n.nPseudo, n.nKeys, n.dHead};
    const Shape y{n.nBatch, n.nHeads, n.nPseudo, n.nQueries, n.dValue};
    one.in = {
        hard ? draw.whole(q, -1, 1) : draw.normal(q, setting.deviation),
        keyRows(hard ? draw.whole(k, -1, 1) : draw.normal(k), setting.room),
        keyRows(draw.normal({n.nBatch, n.nGroups, n.nPseudo, n.nKeys, n.dValue}), setting.room),
        setting.multiplier.rank() > 0 ? draw.whole(setting.multiplier, 0, 2) : Tensor()};
    one.out = {unwritten(y)};
    if (setting.keepMaps)
        one.out.push_back(
            unwritten({n.nBatch, n.nHeads, n.nPseudo, n.nPseudo, n.nQueries, n.nKeys}));
    one.forward = [params](Backend& backend, const Tensors& in, const Tensors& out) {
        AttentionParams with = params;
        with.multiplier = in[3];
        backend.attention(with, in[0], in[1], in[2], out[0], out.size() > 1 ? out[1] : Tensor());
    };
    // In backward a key collects from all queries of its group.
    const std::int64_t collected = n.nQueries * n.nHeads / n.nGroups;
    one.sumLength =
        static_cast<double>(n.nPseudo * std::max(n.nKeys, collected) + n.dHead + n.dValue);
    // The error of exp(s) is the absolute error of s, and |s| reaches some four deviations.
    one.magnified = params.score == ScoreKind::linear ? 1 : 4 * setting.deviation;
    if (hard || one.in[3] || !setting.keepMaps || setting.room > 0) return one;
    one.backward = [params](Backend& backend, const Tensors& in, const Tensors& out,
                            const Tensor& dOut, const Tensors& gradient) {
        backend.attentionBackward(params, in[0], in[1], in[2], out[1], dOut, gradient[0],
                                  gradient[1], gradient[2]);
    };
    one.differentiable = {true, true, true, false};
    one.dOut = draw.normal(y);
    return one;
}

AttentionSetting settingOf(MaskKind mask, ScoreKind score, std::int64_t window = 0,
                           std::int64_t start = 0) {
    AttentionSetting setting;
    setting.params.mask = mask;
    setting.params.score = score;
    setting.params.window = window;
    setting.params.queryStart = start;
    return setting;
}

AttentionSizes randomSizes(Draw& draw, std::int64_t start) {
    AttentionSizes n;
    n.nBatch = draw.between(1, 3);
    n.nGroups = draw.between(1, 3);
    n.nHeads = n.nGroups * draw.between(1, 3);
    n.nPseudo = draw.between(1, 4);
    n.nQueries = draw.between(1, 19);
    n.nKeys = start + n.nQueries;
    n.dHead = draw.between(1, 19);
    n.dValue = draw.between(1, 19);
    return n;
}

/// Every mask and score with and without a window, tiny (for finite differences) and random.
void addGrid(std::vector<Case>& cases, Draw& draw) {
    for (const MaskKind mask : {MaskKind::flat, MaskKind::token, MaskKind::none})
        for (const ScoreKind score : {ScoreKind::softmax, ScoreKind::linear, ScoreKind::hard})
            for (const std::int64_t window : {0, 2}) {
                cases.push_back(attentionCase(draw, {2, 2, 1, 3, 3, 3, 2, 3},  // P > H
                                              settingOf(mask, score, window)));
                const std::int64_t start = draw.between(0, 4);
                cases.push_back(attentionCase(draw, randomSizes(draw, start),
                                              settingOf(mask, score, 2 * window, start)));
            }
}

void addMultipliers(std::vector<Case>& cases, Draw& draw) {
    const AttentionSizes n{2, 4, 2, 2, 5, 9, 3, 5};
    const Shape shapes[] = {{n.nHeads, 1, 1, 1, 1},
                            {1, n.nPseudo, n.nPseudo, 1, 1},
                            {1, 1, n.nPseudo, n.nQueries, 1},
                            {1, 1, 1, 1, n.nKeys},
                            {n.nHeads, n.nPseudo, n.nPseudo, n.nQueries, n.nKeys}};
    for (const Shape& shape : shapes)
        for (const bool renormalise : {false, true})
            for (const ScoreKind score : {ScoreKind::softmax, ScoreKind::linear, ScoreKind::hard}) {
                AttentionSetting setting = settingOf(MaskKind::flat, score, 0, 4);
                setting.multiplier = shape;
                setting.params.renormalise = renormalise;
                cases.push_back(attentionCase(draw, n, setting));
                setting.keepMaps = false;
                cases.push_back(attentionCase(draw, n, setting));
            }
}

void addEdges(std::vector<Case>& cases, Draw& draw) {
    const MaskKind flat = MaskKind::flat, none = MaskKind::none;
    const ScoreKind softmax = ScoreKind::softmax;
    cases.push_back(attentionCase(draw, {1, 1, 1, 1, 1, 1, 1, 1}, settingOf(flat, softmax)));
    cases.push_back(attentionCase(draw, {1, 2, 2, 4, 1, 1, 3, 3}, settingOf(flat, softmax)));
    cases.push_back(attentionCase(draw, {1, 4, 4, 1, 33, 33, 8, 8}, settingOf(flat, softmax)));
    cases.push_back(attentionCase(draw, {1, 3, 3, 3, 70, 70, 5, 5}, settingOf(flat, softmax)));
    cases.push_back(attentionCase(draw, {1, 2, 1, 2, 67, 67, 16, 16}, settingOf(none, softmax, 9)));
    cases.push_back(
        attentionCase(draw, {2, 3, 3, 2, 1, 41, 7, 7}, settingOf(flat, softmax, 0, 40)));
    // no allowed key: the window lies behind the last key
    for (const ScoreKind score : {ScoreKind::softmax, ScoreKind::linear, ScoreKind::hard})
        cases.push_back(
            attentionCase(draw, {1, 2, 2, 2, 4, 5, 3, 3}, settingOf(none, score, 3, 5)));
    AttentionSetting steep = settingOf(MaskKind::token, softmax);
    steep.deviation = 60;  // exp overflows unless shifted by the largest allowed score
    cases.push_back(attentionCase(draw, {1, 2, 2, 2, 9, 9, 4, 4}, steep));
    for (const std::int64_t start : {0, 6}) {
        AttentionSetting cached = settingOf(flat, softmax, 0, start);
        cached.room = 5;
        cases.push_back(attentionCase(draw, {2, 4, 2, 2, 3, start + 3, 5, 5}, cached));
        cached.keepMaps = false;
        cases.push_back(attentionCase(draw, {2, 4, 2, 2, 3, start + 3, 5, 5}, cached));
    }
    for (const MaskKind mask : {MaskKind::flat, MaskKind::token, MaskKind::none}) {
        AttentionSetting streamed = settingOf(mask, softmax, draw.between(0, 20));
        streamed.keepMaps = false;
        cases.push_back(attentionCase(draw, {2, 2, 2, 2, 37, 37, 9, 9}, streamed));
    }
}

Case rotateCase(Draw& draw, const RotaryParams& params, const Shape& shape) {
    Case one;
    one.op = "rotate";
    one.shape =
        fmt::format("{} {} start {} factor {}{}{}{}", shape.text(), nameOf(params.positions),
                    params.start, params.factor, params.inverse ? " inverse" : "",
                    params.width > 0 ? fmt::format(" of {}", params.width) : "",
                    params.divisors.empty() ? "" : " divided");
    one.in = {draw.normal(shape)};
    one.out = {unwritten(shape)};
    one.forward = [params](Backend& backend, const Tensors& in, const Tensors& out) {
        backend.zero(out[0]);
        backend.add(in[0], out[0]);
        backend.rotate(params, out[0]);
    };
    one.backward = [params](Backend& backend, const Tensors&, const Tensors&, const Tensor& dOut,
                            const Tensors& gradient) {
        RotaryParams back = params;
        back.inverse = !params.inverse;
        backend.rotate(back, dOut);
        if (gradient[0]) backend.add(dOut, gradient[0]);
    };
    one.differentiable = {true};
    one.dOut = draw.normal(shape);
    return one;
}

void addRotations(std::vector<Case>& cases, Draw& draw) {
    for (const PositionKind positions :
         {PositionKind::virtualToken, PositionKind::token, PositionKind::none}) {
        cases.push_back(rotateCase(draw, {positions, 10000.0, 1.0, 0, false}, {1, 2, 3, 4, 2}));
        cases.push_back(rotateCase(draw, {positions, 500.0, 3.0, 5, false}, {2, 2, 2, 3, 6}));
        cases.push_back(rotateCase(draw, {positions, 10000.0, 1.0, 2, true}, {1, 3, 2, 19, 34}));
        RotaryParams part{positions, 10000.0, 1.0, 1, false};
        part.width = 4;
        cases.push_back(rotateCase(draw, part, {1, 2, 2, 3, 6}));
        part.divisors = {1, 8};
        cases.push_back(rotateCase(draw, part, {2, 1, 1, 5, 19}));
        // an angle formed in float32 is off by 1e-3 here
        cases.push_back(rotateCase(draw, {positions, 10000.0, 2.0, 8000, false}, {1, 2, 2, 3, 16}));
    }
}

Case appendCase(Draw& draw, const Shape& rows, std::int64_t start, std::int64_t capacity) {
    Case one;
    one.op = "append";
    one.shape = fmt::format("{} at {} of {}", rows.text(), start, capacity);
    one.in = {draw.normal(rows)};
    one.out = {draw.normal({rows[0], rows[1], rows[2], capacity, rows[4]})};
    one.forward = [start](Backend& backend, const Tensors& in, const Tensors& out) {
        backend.append(in[0], start, out[0]);
    };
    return one;
}

}  // namespace

void addAttentionCases(std::vector<Case>& cases, Draw& draw) {
    addRotations(cases, draw);
    cases.push_back(appendCase(draw, {1, 1, 1, 1, 1}, 0, 1));
    cases.push_back(appendCase(draw, {2, 3, 2, 1, 5}, 4, 9));
    cases.push_back(appendCase(draw, {1, 2, 3, 7, 13}, 2, 9));
    addGrid(cases, draw);
    addMultipliers(cases, draw);
    addEdges(cases, draw);
}

}  // namespace headloom::conformance
