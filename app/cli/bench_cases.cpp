#include "app/cli/bench_cases.h"

namespace headloom::cli {

ModelConfig BenchCase::config() const {
    ModelConfig config;
    config.dModel = width;
    config.nHeads = heads;
    config.dMlp = 4 * width;
    config.dVocab = vocabulary;
    config.nCtx = static_cast<int>(tokens);
    config.norm = NormKind::layer;
    config.headBias = false;
    LayerConfig layer;
    layer.kind = pseudo > 0 ? AttentionKind::iha : AttentionKind::mha;
    layer.nPseudo = pseudo > 0 ? pseudo : 1;
    layer.mask = MaskKind::flat;
    layer.positions = PositionKind::virtualToken;
    config.layers.assign(static_cast<std::size_t>(layers), layer);
    return config;
}

const std::vector<BenchCase>& forwardCases() {
    static const std::vector<BenchCase> cases = {{"mha-small", 1, 64, 64, 4, 0, 2, 64},
                                                 {"iha-small", 1, 64, 64, 4, 4, 2, 64},
                                                 {"mha-class", 1, 128, 128, 8, 0, 2, 64},
                                                 {"iha-class", 1, 128, 128, 8, 8, 2, 64},
                                                 {"mha-long", 1, 1024, 512, 8, 0, 4, 512}};
    return cases;
}

const std::vector<BenchCase>& trainCases() {
    static const std::vector<BenchCase> cases = {{"mha-small", 32, 64, 64, 4, 0, 2, 64},
                                                 {"iha-small", 32, 64, 64, 4, 4, 2, 64},
                                                 {"mha-class", 8, 128, 128, 8, 0, 2, 64},
                                                 {"iha-class", 8, 128, 128, 8, 8, 2, 64}};
    return cases;
}

}  // namespace headloom::cli
