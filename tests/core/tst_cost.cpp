#include "core/analysis/cost.h"
#include "core/models/weights.h"

#include <doctest/doctest.h>

using namespace headloom;

namespace {

/// D = 32, H = 2, one layer, no MLP: the models of the first example and of the look-back bank.
ModelConfig small(AttentionKind kind, int nPseudo, int dVocab, int nSlots) {
    ModelConfig config;
    config.dModel = 32;
    config.nHeads = 2;
    config.dVocab = dVocab;
    config.nSlots = nSlots;
    config.nCtx = 20;
    config.layers = {LayerConfig{kind, nPseudo, MaskKind::token, PositionKind::virtualToken}};
    return config;
}

/// Pairs by asking the mask about each one.
std::int64_t counted(const LayerConfig& layer, int tokens) {
    AttentionParams params;
    params.mask = layer.mask;
    params.window = layer.window;
    std::int64_t pairs = 0;
    for (int n = 0; n < tokens; ++n)
        for (int p = 0; p < layer.nPseudo; ++p)
            for (int m = 0; m < tokens; ++m)
                for (int r = 0; r < layer.nPseudo; ++r)
                    pairs += allows(params, layer.nPseudo, n, p, m, r) ? 1 : 0;
    return pairs;
}

}  // namespace

TEST_CASE("parameters of the examples, and of the tensors themselves") {
    // 6*32 + 32 + 4*32*32 + 32 + 32*6 + 6
    CHECK(costOf(small(AttentionKind::mha, 1, 6, 1), 20).parameters == 4550);
    CHECK(costOf(small(AttentionKind::iha, 2, 6, 1), 20).parameters == 4582);
    CHECK(costOf(small(AttentionKind::mha, 1, 8, 4), 16).parameters == 5472);
    CHECK(costOf(small(AttentionKind::iha, 2, 8, 4), 16).parameters == 5504);
    ModelConfig config = small(AttentionKind::iha, 2, 6, 1);
    config.dMlp = 7;
    config.learnedPositions = true;
    config.norm = NormKind::layer;
    CHECK(costOf(config, 20).parameters == initialWeights(config, 0).parameterCount());
}

TEST_CASE("wide heads, a gate and a tied head are counted") {
    ModelConfig config = small(AttentionKind::mha, 1, 6, 1);
    const std::int64_t before = costOf(config, 20).flops;
    config.headWidth = 24;  // 48 for both heads, not 32; pairs of 20 tokens: 210
    CHECK(costOf(config, 20).flops - before == 2 * (4 * 20 * 32 * 16 + 2 * 2 * 8 * 210));
    config.dMlp = 10;
    const std::int64_t plain = costOf(config, 20).flops;
    config.gatedMlp = config.tiedHead = true;
    CHECK(costOf(config, 20).flops - plain == 2 * 20 * 32 * 10);
    CHECK(costOf(config, 20).parameters == initialWeights(config, 0).parameterCount());
}

TEST_CASE("attention parameters and patterns are those of the layer asked for") {
    ModelConfig config = small(AttentionKind::iha, 2, 6, 1);
    config.layers.push_back(small(AttentionKind::mha, 1, 6, 1).layers[0]);
    CHECK(costOf(config, 20, 0).attentionParameters == 4 * 32 * 32 + 32);
    CHECK(costOf(config, 20, 1).attentionParameters == 4 * 32 * 32);
    CHECK(costOf(config, 20, 0).patterns == 8);
    CHECK(costOf(config, 20, 1).patterns == 2);
}

TEST_CASE("score entries are the allowed pairs of every mask and window") {
    for (const MaskKind mask : {MaskKind::flat, MaskKind::token, MaskKind::none})
        for (const int window : {0, 1, 3, 9})
            for (const int pseudo : {1, 2, 3}) {
                ModelConfig config = small(AttentionKind::iha, pseudo, 6, 1);
                config.layers[0].mask = mask;
                config.layers[0].window = window;
                CAPTURE(window);
                CAPTURE(pseudo);
                CHECK(costOf(config, 5).scoreEntries == 2 * counted(config.layers[0], 5));
            }
}

TEST_CASE("flops by hand") {
    // N = 3. MHA: W_Q W_K W_V W_O 4 * 3*32*32 = 12288; 6 pairs in 2 heads of 16, twice: 384;
    // head 3*32*6 = 576.
    CHECK(costOf(small(AttentionKind::mha, 1, 6, 1), 3).flops == 2 * (12288 + 384 + 576));
    // IHA, P = 2: 24 pairs: 1536; mixing 3 * 3*2*2*2*16 = 1152; collapse 3*2*4*16 = 384.
    ModelConfig config = small(AttentionKind::iha, 2, 6, 1);
    CHECK(costOf(config, 3).flops == 2 * (12288 + 1536 + 1152 + 384 + 576));
    config.layers[0].collapse = CollapseKind::perHead;  // collapse 3*2*2*16 = 192
    CHECK(costOf(config, 3).flops == 2 * (12288 + 1536 + 1152 + 192 + 576));
    config.dMlp = 10;  // 2 * 3*32*10 = 1920
    CHECK(costOf(config, 3).flops == 2 * (12288 + 1536 + 1152 + 192 + 1920 + 576));
    ModelConfig grouped = small(AttentionKind::mha, 1, 6, 1);
    grouped.nKvHeads = 1;  // W_K and W_V are half as wide
    CHECK(costOf(grouped, 3).flops == 2 * (9216 + 384 + 576));
    // IHA-lite: mixing 3 * 3*2*2*16 = 576.
    const auto kind = [](AttentionKind one) { return small(one, 1, 6, 1); };
    CHECK(costOf(kind(AttentionKind::ihaLite), 3).flops == 2 * (12288 + 384 + 576 + 576));
    // Talking heads: 6 pairs, logits and weights from 2 heads to 2: 2 * 6*2*2 = 48.
    CHECK(costOf(kind(AttentionKind::talkingHeads), 3).flops == 2 * (12288 + 384 + 48 + 576));
    // Differential: 4 maps of width 8 and 2 of width 16 are MHA's 384; a subtraction a pair and
    // head, 12.
    CHECK(costOf(kind(AttentionKind::differential), 3).flops == 2 * (12288 + 384 + 12 + 576));
}

TEST_CASE("the cache holds P keys and values a token") {
    // 2 tensors * 5 tokens * 2 heads * P * 16 * 4 bytes
    CHECK(costOf(small(AttentionKind::mha, 1, 6, 1), 5).cacheBytes == 1280);
    CHECK(costOf(small(AttentionKind::iha, 2, 6, 1), 5).cacheBytes == 2560);
    ModelConfig grouped = small(AttentionKind::mha, 1, 6, 1);
    grouped.nKvHeads = 1;
    CHECK(costOf(grouped, 5).cacheBytes == 640);
    CHECK(costOf(small(AttentionKind::differential, 1, 6, 1), 5).cacheBytes == 1280);
}

TEST_CASE("the formula of the mixing parameters carries its numbers") {
    ModelConfig config = small(AttentionKind::iha, 2, 6, 1);
    CHECK(mixingParameterFormula(config, 0) == "4 H^2 P = 4 x 2^2 x 2 = 32");
    config.layers[0].collapse = CollapseKind::perHead;
    CHECK(mixingParameterFormula(config, 0) == "3 H^2 P + H P = 3 x 2^2 x 2 + 2 x 2 = 28");
    ModelConfig plain = small(AttentionKind::mha, 1, 6, 1);
    CHECK(mixingParameterFormula(plain, 0) == "0: MHA mixes nothing");
    plain.nKvHeads = 1;
    CHECK(mixingParameterFormula(plain, 0) == "0: MQA mixes nothing");
    CHECK(mixingParameterFormula(small(AttentionKind::ihaLite, 1, 6, 1), 0) ==
          "3 H^2 = 3 x 2^2 = 12");
    CHECK(mixingParameterFormula(small(AttentionKind::talkingHeads, 1, 6, 1), 0) ==
          "2 H^2 = 2 x 2^2 = 8");
    CHECK(mixingParameterFormula(small(AttentionKind::differential, 1, 6, 1), 0) ==
          "4 d/2 + d = 3 x 16 = 48");
}

TEST_CASE("what a formula says is what the weights have more than MHA") {
    const std::int64_t mha = costOf(small(AttentionKind::mha, 1, 6, 1), 3).attentionParameters;
    const auto more = [&](AttentionKind kind) {
        return costOf(small(kind, 1, 6, 1), 3).attentionParameters - mha;
    };
    CHECK(more(AttentionKind::ihaLite) == 12);
    CHECK(more(AttentionKind::talkingHeads) == 8);
    CHECK(more(AttentionKind::differential) == 48);
}

TEST_CASE("differential attention has two softmaxes a head") {
    CHECK(costOf(small(AttentionKind::differential, 1, 6, 1), 3).scoreEntries == 24);
    CHECK(costOf(small(AttentionKind::differential, 1, 6, 1), 3).patterns == 2);
}
