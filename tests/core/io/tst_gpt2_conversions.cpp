// One small random GPT-2 in every container and naming gives the same logits.
#include "tests/support/conversions.h"

#include <doctest/doctest.h>

using namespace headloom;
using namespace headloom::testing;

namespace {

constexpr std::int64_t gptWidth = 32, gptHeads = 4, gptLayers = 2, gptVocab = 48, gptContext = 32;

/// A GPT-2 as Hugging Face names it, its matrices [in, out].
NamedTensors smallGpt() {
    NamedTensors made;
    Rng rng(5);
    const auto add = [&](const std::string& name, const Shape& shape, double mean = 0) {
        made.emplace_back(name, drawn(rng, shape, shape.rank() == 1 ? 0.2 : 0.3, mean));
    };
    const auto norm = [&](const std::string& name) {
        add(name + ".weight", {gptWidth}, 1);
        add(name + ".bias", {gptWidth});
    };
    const auto linear = [&](const std::string& name, std::int64_t in, std::int64_t out) {
        add(name + ".weight", {in, out});
        add(name + ".bias", {out});
    };
    add("wte.weight", {gptVocab, gptWidth});
    add("wpe.weight", {gptContext, gptWidth});
    for (int layer = 0; layer < gptLayers; ++layer) {
        const std::string at = "h." + std::to_string(layer) + ".";
        norm(at + "ln_1");
        linear(at + "attn.c_attn", gptWidth, 3 * gptWidth);
        linear(at + "attn.c_proj", gptWidth, gptWidth);
        norm(at + "ln_2");
        linear(at + "mlp.c_fc", gptWidth, 4 * gptWidth);
        linear(at + "mlp.c_proj", 4 * gptWidth, gptWidth);
    }
    norm("ln_f");
    return made;
}

/// Matrices of layers as torch.nn.Linear has them, as in nanoGPT and GGUF.
NamedTensors asLinear(NamedTensors tensors) {
    for (auto& [name, tensor] : tensors)
        if (name.starts_with("h.") && tensor.shape().rank() == 2) tensor = transposed(tensor);
    return tensors;
}

/// Columns first .. first + count - 1.
Tensor columns(const Tensor& matrix, std::int64_t first, std::int64_t count) {
    return transposed(transposed(matrix).slice(first, count));
}

NamedTensors inLensNames(const NamedTensors& tensors) {
    const std::int64_t d = gptWidth / gptHeads;
    NamedTensors made;
    for (const auto& [name, tensor] : tensors) {
        const bool isBias = name.ends_with(".bias");
        std::string at = name.starts_with("h.") ? "blocks." + name.substr(2, 2) : "";
        const std::string what = at.empty() ? name : name.substr(4, name.rfind('.') - 4);
        if (what == "attn.c_attn") {
            for (int part = 0; part < 3; ++part) {
                const std::string which(1, "QKV"[part]);
                if (isBias) {
                    made.emplace_back(
                        at + "attn.b_" + which,
                        tensor.slice(part * gptWidth, gptWidth).copy().reshaped({gptHeads, d}));
                    continue;
                }
                Tensor heads = Tensor::host({gptHeads, gptWidth, d}, DType::f32);
                for (int head = 0; head < gptHeads; ++head) {
                    const Tensor one = columns(tensor, part * gptWidth + head * d, d);
                    std::copy_n(one.data<float>(), one.count(),
                                heads.data<float>() + head * one.count());
                }
                made.emplace_back(at + "attn.W_" + which, heads);
            }
        } else if (what == "attn.c_proj") {
            made.emplace_back(at + (isBias ? "attn.b_O" : "attn.W_O"),
                              isBias ? tensor : tensor.reshaped({gptHeads, d, gptWidth}));
        } else if (what == "mlp.c_fc" || what == "mlp.c_proj") {
            made.emplace_back(
                at + "mlp." + (isBias ? "b_" : "W_") + (what == "mlp.c_fc" ? "in" : "out"), tensor);
        } else if (what == "ln_1" || what == "ln_2") {
            made.emplace_back(at + (what == "ln_1" ? "ln1" : "ln2") + (isBias ? ".b" : ".w"),
                              tensor);
        } else if (name == "wte.weight") {
            made.emplace_back("embed.W_E", tensor);
            made.emplace_back("unembed.W_U", transposed(tensor));
            made.emplace_back("unembed.b_U", Tensor::host({gptVocab}, DType::f32));
        } else {
            made.emplace_back(
                name == "wpe.weight" ? "pos_embed.W_pos" : (isBias ? "ln_final.b" : "ln_final.w"),
                tensor);
        }
    }
    return made;
}

std::string gptGgufName(std::string name) {
    for (const auto& [gpt, gguf] :
         {std::pair("wte", "token_embd"), std::pair("wpe", "position_embd"),
          std::pair("h.", "blk."), std::pair("ln_1", "attn_norm"),
          std::pair("attn.c_attn", "attn_qkv"), std::pair("attn.c_proj", "attn_output"),
          std::pair("ln_2", "ffn_norm"), std::pair("mlp.c_fc", "ffn_up"),
          std::pair("mlp.c_proj", "ffn_down"), std::pair("ln_f", "output_norm")})
        if (const auto at = name.find(gpt);
            at != std::string::npos && (at == 0 || name[at - 1] == '.'))
            name.replace(at, std::string(gpt).size(), gguf);
    return name;
}

std::string gptConfig() {
    return R"({"model_type":"gpt2","n_embd":32,"n_layer":2,"n_head":4,"n_positions":32,)"
           R"("vocab_size":48,"activation_function":"gelu_new","layer_norm_epsilon":1e-05})";
}

}  // namespace

TEST_CASE("a GPT-2 of float32 gives equal logits in every container and naming") {
    const TemporaryFolder folder;
    std::vector<std::int32_t> ids;
    for (int i = 0; i < 24; ++i) ids.push_back((i * i + 1) % gptVocab);
    const auto in = [&](const char* name, const std::string& bytes, const Settings& say = {}) {
        LoadOptions options;
        options.settings = say;
        return logitsOf(modelOf(loadCheckpoint(folder.write(name, bytes), options)), ids);
    };
    // nanoGPT's own activation is the exact GELU; whoever converts a GPT-2 has to say so
    const Settings tanh = {{"activation", "gelu_new"}};
    const NamedTensors hf = smallGpt(), linear = asLinear(hf), lens = inLensNames(hf);
    const std::map<std::string, int> modelArgs = {
        {"n_embd", 32}, {"n_layer", 2}, {"n_head", 4}, {"block_size", 32}, {"vocab_size", 48}};
    folder.write("config.json", gptConfig());
    const std::vector<float> original = in("hf.safetensors", safetensorsOf(hf));
    for (const char* prefix : {"transformer.", "module.transformer.", "_orig_mod.transformer."})
        CHECK(in("hf.safetensors", safetensorsOf(renamed(hf, prefixed(prefix)))) == original);
    CHECK(in("pytorch_model.bin", torchOf(renamed(hf, prefixed("transformer.")))) == original);
    CHECK(in("hf.npz", npzOf(hf, true, true)) == original);
    for (const char* prefix : {"transformer.", "_orig_mod.transformer.", "model.transformer."})
        CHECK(
            in("ckpt.pt",
               torchContainer(renamed(linear, prefixed(prefix)), "model", "model_args", modelArgs),
               tanh) == original);
    CHECK(in("lightning.ckpt",
             torchContainer(renamed(linear, prefixed("model.transformer.")), "state_dict",
                            "hyper_parameters", modelArgs),
             tanh) == original);
    CHECK(in("lens.safetensors", safetensorsOf(lens), {{"nCtx", "32"}}) == original);
    CHECK(in("lens.pt", torchOf(lens)) == original);
    const GgufModel gguf = {"gpt2",
                            {{"embedding_length", 32},
                             {"block_count", 2},
                             {"attention.head_count", 4},
                             {"feed_forward_length", 128},
                             {"context_length", 32}},
                            {{"attention.layer_norm_epsilon", 1e-5f}}};
    CHECK(in("gpt2.gguf", ggufOf(gguf, renamed(linear, gptGgufName))) == original);
}
