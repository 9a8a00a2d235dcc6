// One Llama in every container and naming gives the same logits: a small random one, and
// stories260K (llama2.c, MIT) where $HEADLOOM_FIXTURES has it.
#include "core/io/model_file.h"
#include "tests/support/conversions.h"

#include <doctest/doctest.h>

using namespace headloom;
using namespace headloom::testing;

namespace {

/// A Llama as Meta names it and orders its rows, and what it is to read.
struct Llama {
    std::string name;
    NamedTensors tensors;
    LlamaSizes sizes;
    std::vector<std::int32_t> ids;

    std::string params() const {
        return "{\"dim\":" + std::to_string(sizes.dim) +
               ",\"hidden_dim\":" + std::to_string(sizes.hidden) +
               ",\"n_layers\":" + std::to_string(sizes.layers) +
               ",\"n_heads\":" + std::to_string(sizes.heads) +
               ",\"n_kv_heads\":" + std::to_string(sizes.kvHeads) +
               ",\"vocab_size\":" + std::to_string(sizes.vocab) +
               ",\"max_seq_len\":" + std::to_string(sizes.context) + ",\"norm_eps\":1e-5}";
    }
    std::string hfConfig() const {
        return "{\"model_type\":\"llama\",\"hidden_size\":" + std::to_string(sizes.dim) +
               ",\"intermediate_size\":" + std::to_string(sizes.hidden) +
               ",\"num_hidden_layers\":" + std::to_string(sizes.layers) +
               ",\"num_attention_heads\":" + std::to_string(sizes.heads) +
               ",\"num_key_value_heads\":" + std::to_string(sizes.kvHeads) +
               ",\"vocab_size\":" + std::to_string(sizes.vocab) +
               ",\"max_position_embeddings\":" + std::to_string(sizes.context) +
               ",\"head_dim\":null,\"rms_norm_eps\":1e-05,\"hidden_act\":\"silu\","
               "\"tie_word_embeddings\":true,\"rope_theta\":10000.0,\"rope_scaling\":null,"
               "\"bos_token_id\":1}";
    }
    std::map<std::string, int> modelArgs() const {
        return {{"dim", sizes.dim},           {"n_layers", sizes.layers},
                {"n_heads", sizes.heads},     {"n_kv_heads", sizes.kvHeads},
                {"vocab_size", sizes.vocab},  {"max_seq_len", sizes.context},
                {"hidden_dim", sizes.hidden}, {"multiple_of", 32}};
    }
    GgufModel gguf(const std::string& architecture, StoredType type = StoredType::f32) const {
        const auto size = [](std::int32_t value) { return static_cast<std::uint32_t>(value); };
        return {architecture,
                {{"embedding_length", size(sizes.dim)},
                 {"feed_forward_length", size(sizes.hidden)},
                 {"block_count", size(sizes.layers)},
                 {"attention.head_count", size(sizes.heads)},
                 {"attention.head_count_kv", size(sizes.kvHeads)},
                 {"rope.dimension_count", size(sizes.dim / sizes.heads)},
                 {"context_length", size(sizes.context)}},
                {{"attention.layer_norm_rms_epsilon", 1e-5f}, {"rope.freq_base", 10000.f}},
                3,
                type};
    }
    /// Rows of queries and keys as Hugging Face's conversion orders them, under Meta's names.
    NamedTensors byHalves() const {
        NamedTensors made = tensors;
        for (auto& [tensorName, tensor] : made) {
            if (tensorName.ends_with("wq.weight")) tensor = evenRowsFirst(tensor, sizes.heads);
            if (tensorName.ends_with("wk.weight")) tensor = evenRowsFirst(tensor, sizes.kvHeads);
        }
        return made;
    }
    NamedTensors inHfNames() const { return renamed(byHalves(), hfName); }
};

Llama smallLlama() {
    Llama made{"small", {}, {32, 64, 2, 4, 2, 48, 32}, {}};
    const auto& s = made.sizes;
    const std::int64_t keys = s.kvHeads * s.dim / s.heads;
    Rng rng(4);
    const auto add = [&](const std::string& name, const Shape& shape) {
        const bool gain = shape.rank() == 1;
        made.tensors.emplace_back(name + ".weight",
                                  drawn(rng, shape, gain ? 0.1 : 0.18, gain ? 1 : 0));
    };
    add("tok_embeddings", {s.vocab, s.dim});
    for (int layer = 0; layer < s.layers; ++layer) {
        const std::string at = "layers." + std::to_string(layer) + ".";
        add(at + "attention_norm", {s.dim});
        add(at + "attention.wq", {s.dim, s.dim});
        add(at + "attention.wk", {keys, s.dim});
        add(at + "attention.wv", {keys, s.dim});
        add(at + "attention.wo", {s.dim, s.dim});
        add(at + "ffn_norm", {s.dim});
        add(at + "feed_forward.w1", {s.hidden, s.dim});
        add(at + "feed_forward.w2", {s.dim, s.hidden});
        add(at + "feed_forward.w3", {s.hidden, s.dim});
    }
    add("norm", {s.dim});
    for (int i = 0; i < 24; ++i) made.ids.push_back((i * i + 1) % s.vocab);
    return made;
}

/// stories260K with the story that tst_stories.cpp compares with golden numbers.
std::vector<Llama> llamas() {
    std::vector<Llama> all = {smallLlama()};
    if (const auto file = fixture("llama2c/stories260K.bin")) {
        const auto source = openTensorSource(*file).value();
        all.push_back({"stories260K",
                       renamed(*source, [](const std::string& n) { return n; }),
                       {64, 172, 5, 8, 4, 512, 512},
                       {1,   403, 407, 261, 378, 432, 383, 286, 261, 376, 298, 315,
                        421, 395, 317, 426, 338, 401, 396, 267, 337, 410, 408, 419}});
    }
    return all;
}

/// Loads what a test wrote into a folder, and compares.
class Converted {
  public:
    explicit Converted(const Llama& llama)
        : llama_(llama), original_(logitsOf(modelOf(fromMemory(llama.tensors)), llama.ids)) {}

    const TemporaryFolder& folder() const { return folder_; }
    /// Of the model with other numbers in it.
    std::vector<float> logitsWith(const NamedTensors& tensors) const {
        return logitsOf(modelOf(fromMemory(tensors)), llama_.ids);
    }
    std::vector<float> logitsIn(const std::filesystem::path& path) const {
        return logitsOf(modelOf(loadCheckpoint(path)), llama_.ids);
    }
    double difference(const std::filesystem::path& path) const {
        return testing::difference(original_, logitsIn(path));
    }
    double difference(const std::string& file, const std::string& bytes) const {
        return difference(folder_.write(file, bytes));
    }

  private:
    Result<LoadedCheckpoint> fromMemory(const NamedTensors& tensors) const {
        const auto& s = llama_.sizes;
        return loadCheckpoint(sourceOfTensors(tensors), {{"dim", std::to_string(s.dim)},
                                                         {"n_heads", std::to_string(s.heads)},
                                                         {"max_seq_len", std::to_string(s.context)},
                                                         {"norm_eps", "1e-5"}});
    }
    const Llama& llama_;
    std::vector<float> original_;
    TemporaryFolder folder_;
};

std::string ggufName(std::string name) {
    for (const auto& [meta, gguf] :
         {std::pair("tok_embeddings", "token_embd"), std::pair("layers.", "blk."),
          std::pair("attention_norm", "attn_norm"), std::pair("attention.wq", "attn_q"),
          std::pair("attention.wk", "attn_k"), std::pair("attention.wv", "attn_v"),
          std::pair("attention.wo", "attn_output"), std::pair("feed_forward.w1", "ffn_gate"),
          std::pair("feed_forward.w2", "ffn_down"), std::pair("feed_forward.w3", "ffn_up")})
        if (const auto at = name.find(meta); at != std::string::npos)
            name.replace(at, std::string(meta).size(), gguf);
    return name == "norm.weight" ? "output_norm.weight" : name;
}

/// A type that rounds, and by how much the logits of each model may move.
struct Rounding {
    StoredType type;
    double small, stories;
};

}  // namespace

TEST_CASE("a Llama of float32 gives equal logits in every container and naming") {
    for (const Llama& llama : llamas()) {
        CAPTURE(llama.name);
        const Converted check(llama);
        const TemporaryFolder& folder = check.folder();
        const NamedTensors hf = llama.inHfNames();
        NamedTensors stored;
        folder.write("config.json", llama.hfConfig());
        folder.write("params.json", llama.params());

        CHECK(check.difference("meta.safetensors", safetensorsOf(llama.tensors)) == 0);
        CHECK(check.difference("hf.safetensors", safetensorsOf(hf)) == 0);
        for (const char* prefix : {"module.", "_orig_mod.", "module._orig_mod."})
            CHECK(check.difference("wrapped.safetensors",
                                   safetensorsOf(renamed(hf, prefixed(prefix)))) == 0);
        CHECK(check.difference("v0.bin", llama2cOf(llama.tensors, llama.sizes, 0, 0, stored)) == 0);
        CHECK(check.difference("v1.bin", llama2cOf(llama.tensors, llama.sizes, 1, 0, stored)) == 0);
        CHECK(check.difference("pytorch_model.bin", torchOf(hf)) == 0);
        CHECK(check.difference("consolidated.00.pth", torchOf(llama.tensors)) == 0);
        CHECK(check.difference("repacked.pt", torchOf(hf, true)) == 0);
        CHECK(check.difference("views.pt", torchOfViews(hf)) == 0);
        CHECK(check.difference(
                  "ckpt.pt", torchContainer(renamed(llama.tensors, prefixed("_orig_mod.")), "model",
                                            "model_args", llama.modelArgs())) == 0);
        CHECK(check.difference("lightning.ckpt",
                               torchContainer(renamed(hf, prefixed("module.")), "state_dict",
                                              "hyper_parameters", {{"lr", 1}})) == 0);
        for (const bool deflate : {false, true})
            for (const bool fortran : {false, true})
                CHECK(check.difference("hf.npz", npzOf(hf, deflate, fortran)) == 0);

        const NamedTensors gguf = renamed(llama.tensors, ggufName);
        GgufModel model = llama.gguf("llama");
        for (const std::uint32_t version : {3, 2}) {
            model.version = version;
            CHECK(check.difference("llama.gguf", ggufOf(model, gguf)) == 0);
        }
        // Qwen2's rows are not brought in another order: they stay as Hugging Face has them
        CHECK(check.difference("qwen.gguf", ggufOf(llama.gguf("qwen2"),
                                                   renamed(llama.byHalves(), ggufName))) == 0);
    }
}

TEST_CASE("shards and their index are one model") {
    for (const Llama& llama : llamas()) {
        CAPTURE(llama.name);
        const Converted check(llama);
        const NamedTensors hf = llama.inHfNames();
        const auto middle = hf.begin() + static_cast<std::ptrdiff_t>(hf.size() / 2);
        check.folder().write("config.json", llama.hfConfig());
        check.folder().write("model-00001-of-00002.safetensors",
                             safetensorsOf(NamedTensors(hf.begin(), middle)));
        check.folder().write("model-00002-of-00002.safetensors",
                             safetensorsOf(NamedTensors(middle, hf.end())));
        std::string map;
        for (auto at = hf.begin(); at != hf.end(); ++at)
            map += (map.empty() ? "\"" : ",\"") + at->first + "\":\"model-0000" +
                   (at < middle ? "1" : "2") + "-of-00002.safetensors\"";
        const auto index = check.folder().write("model.safetensors.index.json",
                                                "{\"metadata\":{},\"weight_map\":{" + map + "}}");
        CHECK(check.difference(index) == 0);
        CHECK(check.difference(check.folder().path()) == 0);
    }
}

// The numbers as the file has them must give the same logits exactly. How far those may lie from
// the original's: rounding moves a weight by up to half a step, 2^-12 of itself (float16), 2^-9
// (bfloat16), and of the largest in its block 1/254 (Q8_0 and int8), 1/62 to 1/32 (five bits) and
// 1/30 to 1/16 (four); the bounds are about one and a half times what was measured, since how much
// of it reaches the logits depends on the model.
TEST_CASE("rounded numbers give the logits of the rounded numbers, near the original's") {
    const Rounding roundings[] = {{StoredType::f16, 1, 1},  {StoredType::bf16, 1, 1},
                                  {StoredType::q8_0, 1, 1}, {StoredType::q5_1, 1, 1},
                                  {StoredType::q5_0, 1, 1}, {StoredType::q4_1, 1, 1},
                                  {StoredType::q4_0, 1, 1}};
    for (const Llama& llama : llamas()) {
        CAPTURE(llama.name);
        const Converted check(llama);
        const bool isSmall = llama.name == "small";
        const NamedTensors gguf = renamed(llama.tensors, ggufName);
        for (const Rounding& rounding : roundings) {
            CAPTURE(std::string(nameOf(rounding.type)));
            const GgufModel model = llama.gguf("llama", rounding.type);
            const auto path = check.folder().write("m.gguf", ggufOf(model, gguf));
            CHECK(check.logitsIn(path) == check.logitsWith(asStored(model, llama.tensors)));
            const double moved = check.difference(path);
            CHECK(moved < (isSmall ? rounding.small : rounding.stories));
            CHECK(moved > 0);
        }
        NamedTensors stored;
        const auto path =
            check.folder().write("v2.bin", llama2cOf(llama.tensors, llama.sizes, 2, 32, stored));
        CHECK(check.logitsIn(path) == check.logitsWith(stored));
        CHECK(check.difference(path) < (isSmall ? 0.045 : 0.015));
    }
}

// What the checks above would say of a reader that rotates the wrong pairs, or gives keys to the
// wrong heads: every bound above is lower, that of the model's own rounding too.
TEST_CASE("the checks see a rotation of the wrong pairs and keys given to the wrong heads") {
    for (const Llama& llama : llamas()) {
        CAPTURE(llama.name);
        const Converted check(llama);
        const auto& s = llama.sizes;
        const double farAbove = llama.name == "small" ? 0.6 : 0.35;
        check.folder().write("config.json", llama.hfConfig());
        check.folder().write("params.json", llama.params());
        // half-split pairs, and rows in Meta's order all the same
        CHECK(check.difference("hf.safetensors", safetensorsOf(renamed(llama.tensors, hfName))) >
              farAbove);
        // adjacent pairs, and rows in Hugging Face's order
        CHECK(check.difference("m.gguf", ggufOf(llama.gguf("llama"),
                                                renamed(llama.byHalves(), ggufName))) > farAbove);
        // query head h with keys h mod G instead of h / (H/G): the same as heads in another order
        NamedTensors tiled = llama.tensors;
        for (auto& [name, tensor] : tiled) {
            const bool isQuery = name.ends_with("wq.weight"), isOut = name.ends_with("wo.weight");
            if (!isQuery && !isOut) continue;
            const Tensor from = isQuery ? tensor : transposed(tensor), to = from.copy();
            const std::int64_t d = s.dim / s.heads, groups = s.kvHeads, each = s.heads / groups;
            for (std::int64_t head = 0; head < s.heads; ++head)
                std::copy_n(from.data<float>() + (head % each * groups + head / each) * d * s.dim,
                            d * s.dim, to.data<float>() + head * d * s.dim);
            tensor = isQuery ? to : transposed(to);
        }
        CHECK(check.difference("meta.safetensors", safetensorsOf(tiled)) > farAbove);
    }
}

TEST_CASE("a model from elsewhere that was saved, loaded and saved again is the same file") {
    for (const Llama& llama : llamas()) {
        CAPTURE(llama.name);
        const TemporaryFolder folder;
        NamedTensors stored;
        const auto from =
            folder.write("m.bin", llama2cOf(llama.tensors, llama.sizes, 2, 32, stored));
        const Model opened = modelOf(loadCheckpoint(from));
        REQUIRE(saveModel(folder / "once", opened));
        const Model again = loadModel(folder / "once").value();
        REQUIRE(saveModel(folder / "twice", again));
        CHECK(contentsOf(folder / "once") == contentsOf(folder / "twice"));
        CHECK(logitsOf(again, llama.ids) == logitsOf(opened, llama.ids));
        // whatever container it came from
        folder.write("config.json", llama.hfConfig());
        Model torch = modelOf(loadCheckpoint(folder.write("hf.bin", torchOf(llama.inHfNames()))));
        Model gguf = modelOf(loadCheckpoint(
            folder.write("m.gguf", ggufOf(llama.gguf("llama"), renamed(llama.tensors, ggufName)))));
        torch.name = gguf.name = "same";
        REQUIRE(saveModel(folder / "torch", torch));
        REQUIRE(saveModel(folder / "gguf", gguf));
        CHECK(contentsOf(folder / "torch") == contentsOf(folder / "gguf"));
    }
}
