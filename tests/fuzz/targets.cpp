#include "tests/fuzz/targets.h"

#include "tests/fuzz/container_targets.h"
#include "tests/fuzz/tokenizer_targets.h"

namespace headloom::testing {

const std::vector<FuzzTarget>& fuzzTargets() {
    static const std::vector<FuzzTarget> all = {
        {"safetensors", openContainer, safetensorsSeeds},
        {"llama2c", openContainer, llama2cSeeds},
        {"npy", openContainer, npySeeds},
        {"npz", openContainer, npzSeeds},
        {"torch", openContainer, torchSeeds},
        {"pickle", openPickle, pickleSeeds},
        {"shard_index", openShardIndex, shardIndexSeeds},
        {"gguf", openGguf, ggufSeeds},
        {"tokenizer_json", openTokenizerJson, tokenizerJsonSeeds},
        {"tokenizer_bin", openTokenizerBin, tokenizerBinSeeds},
        {"tokenizer_pair", openTokenizerPair, tokenizerPairSeeds}};
    return all;
}

}  // namespace headloom::testing
