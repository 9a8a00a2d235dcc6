// The golden models as llama.cpp's converter writes them: the maps of GGUF's names.
#include <doctest/doctest.h>

#include "golden_models.h"

using namespace headloom;
using namespace headloom::testing;

namespace {

/// A tensor of Hugging Face's Llama or Qwen as GGUF names it.
std::string ggufName(std::string name) {
    for (const auto& [hf, gguf] :
         {std::pair("model.embed_tokens", "token_embd"), std::pair("model.layers.", "blk."),
          std::pair("model.norm", "output_norm"), std::pair("lm_head", "output"),
          std::pair("input_layernorm", "attn_norm"),
          std::pair("post_attention_layernorm", "ffn_norm"),
          std::pair("self_attn.q_proj", "attn_q"), std::pair("self_attn.k_proj", "attn_k"),
          std::pair("self_attn.v_proj", "attn_v"), std::pair("self_attn.o_proj", "attn_output"),
          std::pair("self_attn.q_norm", "attn_q_norm"),
          std::pair("self_attn.k_norm", "attn_k_norm"), std::pair("mlp.gate_proj", "ffn_gate"),
          std::pair("mlp.up_proj", "ffn_up"), std::pair("mlp.down_proj", "ffn_down")})
        if (const auto at = name.find(hf); at != std::string::npos)
            name.replace(at, std::string(hf).size(), gguf);
    return name;
}

/// Rows i and i + d/2 of every head become 2i and 2i + 1: adjacent pairs rotate, as in Meta's
/// files.
Tensor adjacentPairs(const Tensor& tensor, std::int64_t heads) {
    const Tensor made = tensor.copy();
    const std::int64_t d = tensor.size(0) / heads, width = tensor.count() / tensor.size(0);
    for (std::int64_t h = 0; h < heads; ++h)
        for (std::int64_t i = 0; i < d; ++i)
            std::copy_n(tensor.data<float>() + (h * d + i) * width, width,
                        made.data<float>() + (h * d + i % (d / 2) * 2 + i / (d / 2)) * width);
    return made;
}

NamedTensors asGguf(const std::string& name, bool permuted) {
    NamedTensors tensors = renamed(tensorsOf(name), ggufName);
    if (permuted)
        for (auto& [tensorName, tensor] : tensors)
            for (const auto& [part, heads] : {std::pair("attn_q.", 4), std::pair("attn_k.", 2)})
                if (tensorName.find(part) != std::string::npos)
                    tensor = adjacentPairs(tensor, heads);
    return tensors;
}

GgufModel described(const std::string& architecture, std::uint32_t headWidth, float epsilon,
                    float theta = 10000) {
    return {architecture,
            {{"attention.head_count", 4},
             {"attention.head_count_kv", 2},
             {"attention.key_length", headWidth},
             {"rope.dimension_count", headWidth},
             {"context_length", 64}},
            {{"attention.layer_norm_rms_epsilon", epsilon}, {"rope.freq_base", theta}}};
}

Result<LoadedCheckpoint> opened(const std::string& bytes, const Settings& settings = {}) {
    const TemporaryFolder folder;
    LoadOptions options;
    options.settings = settings;
    return loadCheckpoint(folder.write("m.gguf", bytes), options);
}

}  // namespace

TEST_CASE("GGUF's Llama and Qwen give the logits of an independent program") {
    GgufModel mistral = described("llama", 4, 1e-6f);
    mistral.sizes["attention.sliding_window"] = 3;
    GgufModel smollm = described("llama", 4, 1e-6f, 500);
    smollm.numbers["rope.scaling.factor"] = 2.5f;
    struct Case {
        const char* name;
        std::string bytes;
        Settings settings;
    };
    const Case cases[] = {
        {"mistral", ggufOf(mistral, asGguf("mistral", true)), {}},
        // the key "rope.scaling.type" is text, which the user may give as well
        {"smollm", ggufOf(smollm, asGguf("smollm", true)), {{"ropeScaling", "linear"}}},
        // GGUF does not say that only the second layer has a window
        {"qwen2",
         ggufOf(described("qwen2", 4, 1e-6f), asGguf("qwen2", false)),
         {{"window", "4"}, {"windowFrom", "1"}}},
        {"qwen3", ggufOf(described("qwen3", 6, 1e-6f), asGguf("qwen3", false)), {}},
    };
    for (const Case& each : cases) {
        CAPTURE(each.name);
        const auto loaded = opened(each.bytes, each.settings);
        REQUIRE(loaded);
        INFO(loaded->report.text());
        REQUIRE(loaded->model);
        CHECK(loaded->report.count(TensorUse::unexpected) == 0);
        CHECK(difference(each.name, *loaded->model) < goldenTolerance);
    }
}

TEST_CASE("GGUF's Llama of version 3.1 has the divisors of its rotations as a tensor") {
    NamedTensors tensors = asGguf("llama", true);
    const Model original = load("llama")->model.value();
    std::vector<float> divisors;
    for (const double divisor : original.config.ropeDivisors)
        divisors.push_back(static_cast<float>(divisor));
    const GgufModel model = described("llama", 4, 1e-5f);
    const auto without = opened(ggufOf(model, tensors));
    REQUIRE(without->model);
    CHECK(difference("llama", *without->model) > 100 * goldenTolerance);
    tensors.emplace_back("rope_freqs.weight", Tensor::of<float>({2}, divisors));
    const auto loaded = opened(ggufOf(model, tensors));
    REQUIRE(loaded);
    INFO(loaded->report.text());
    REQUIRE(loaded->model);
    CHECK(loaded->report.count(TensorUse::unexpected) == 0);
    CHECK(difference("llama", *loaded->model) < goldenTolerance);
    tensors.back().second = Tensor::of<float>({3}, {1, 2, 3});
    CHECK(
        opened(ggufOf(model, tensors))->report.notRunnable.find("3 rotary divisors for 2 pairs") !=
        std::string::npos);
}
