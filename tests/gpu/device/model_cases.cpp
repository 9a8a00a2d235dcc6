#include "tests/gpu/device/model_cases.h"

namespace headloom::device {

namespace {

ModelCase model(std::string name, AttentionKind kind, int nPseudo) {
    ModelCase made{std::move(name), {}, 2, 13};
    made.config.dModel = 36;
    made.config.nHeads = 3;
    made.config.dMlp = 50;
    made.config.dVocab = 19;
    made.config.nCtx = 13;
    LayerConfig layer;
    layer.kind = kind;
    layer.nPseudo = nPseudo;
    layer.mask = MaskKind::flat;
    layer.positions = PositionKind::virtualToken;
    made.config.layers = {layer, layer};
    return made;
}

}  // namespace

std::vector<ModelCase> smallModels() {
    std::vector<ModelCase> all;
    all.push_back(model("MHA", AttentionKind::mha, 1));
    all.push_back(model("IHA", AttentionKind::iha, 2));

    ModelCase wide = model("IHA with P > H, one mask of each kind", AttentionKind::iha, 5);
    wide.config.layers[0].mask = MaskKind::token;
    wide.config.layers[0].positions = PositionKind::token;
    wide.config.layers[0].collapse = CollapseKind::perHead;
    wide.config.layers[1].window = 3;
    wide.config.norm = NormKind::layer;
    wide.config.learnedPositions = true;
    all.push_back(wide);

    ModelCase linear = model("IHA with linear scores", AttentionKind::iha, 3);
    for (LayerConfig& layer : linear.config.layers) layer.score = ScoreKind::linear;
    all.push_back(linear);

    all.push_back(model("IHA-lite", AttentionKind::ihaLite, 1));
    all.push_back(model("talking heads", AttentionKind::talkingHeads, 1));
    all.push_back(model("differential", AttentionKind::differential, 1));

    ModelCase grouped = model("grouped, gated, normed heads, tied", AttentionKind::mha, 1);
    grouped.config.nHeads = 4;
    grouped.config.nKvHeads = 2;
    grouped.config.headWidth = 10;
    grouped.config.activation = Activation::silu;
    grouped.config.gatedMlp = grouped.config.qkNorm = grouped.config.tiedHead = true;
    grouped.config.qBias = grouped.config.kBias = grouped.config.vBias = true;
    grouped.config.mlpBias = grouped.config.headBias = false;
    grouped.config.layers[1].window = 4;
    all.push_back(grouped);

    ModelCase gpt = model("learned positions, biases, tanh", AttentionKind::mha, 1);
    gpt.config.norm = NormKind::layer;
    gpt.config.learnedPositions = true;
    gpt.config.activation = Activation::geluTanh;
    gpt.config.qBias = gpt.config.kBias = gpt.config.vBias = gpt.config.oBias = true;
    for (LayerConfig& layer : gpt.config.layers) layer.positions = PositionKind::none;
    all.push_back(gpt);

    ModelCase one = model("a single token", AttentionKind::iha, 3);
    one.tokens = 1;
    all.push_back(one);
    return all;
}

}  // namespace headloom::device
