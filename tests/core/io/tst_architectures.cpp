// Small random models of every architecture against logits of other people's programs, made by
// tests/oracle/architectures.py.
#include "core/io/model_file.h"
#include "core/io/safetensors.h"
#include "tests/support/capture_binding.h"
#include "tests/support/temporary_folder.h"

#include <doctest/doctest.h>

#include <tuple>

#include "golden_models.h"

using namespace headloom;
using namespace headloom::testing;

namespace {

const std::vector<std::string> runnable = {
    "llama",          "mistral", "qwen2", "qwen3", "smollm", "gpt2",     "nanogpt", "lens",
    "lens-attention", "iha-d",   "iha-e", "iha-f", "iha-g",  "nanochat", "iha-b",   "iha-b-flat"};

}  // namespace

TEST_CASE("every architecture gives the logits of an independent program") {
    for (const std::string& name : runnable) {
        CAPTURE(name);
        const auto loaded = load(name);
        REQUIRE(loaded);
        INFO(loaded->report.text());
        REQUIRE(loaded->model);
        CHECK(loaded->report.missing.empty());
        CHECK(loaded->report.count(TensorUse::unexpected) == 0);
        for (const char* engine : {"reference", "cpu"})
            CHECK(difference(name, *loaded->model, engine) < goldenTolerance);
    }
}

TEST_CASE("interleaved heads ask which axis of alpha is the source, and take either answer") {
    for (const auto& [name, right, wrong] :
         {std::tuple("iha-a", "source-target", "target-source"),
          std::tuple("iha-c", "target-source", "source_target_pseudo")}) {
        CAPTURE_BINDING(name);
        const auto asked = load(name);
        REQUIRE(asked);
        CHECK_FALSE(asked->model);
        CHECK(asked->report.notRunnable ==
              "alphas: nothing says which axis is the source head and which the target: both are "
              "possible and give different models; give --alpha-order source-target or "
              "--alpha-order target-source.");
        REQUIRE(asked->report.question);
        CHECK(asked->report.question->setting == "alphaOrder");
        const auto both = loadEveryAnswer(goldenFolder / (std::string(name) + ".safetensors"));
        REQUIRE(both);
        REQUIRE(both->size() == 2);
        for (std::size_t i = 0; i < 2; ++i)
            CHECK((difference(name, *(*both)[i].model) < goldenTolerance) ==
                  (asked->report.question->answers[i] == right));
        const auto loaded = load(name, {{"alphaOrder", right}});
        INFO(loaded->report.text());
        REQUIRE(loaded->model);
        CHECK(loaded->model->config.layers[0].kind == AttentionKind::iha);
        CHECK(difference(name, *loaded->model) < goldenTolerance);
        CHECK(difference(name, *load(name, {{"alphaOrder", wrong}})->model) > 0.01);
        CHECK(load(name, {{"alphaOrder", "columns"}})->report.notRunnable ==
              "alphas: \"columns\" is not an order of their axes; use source-target or "
              "target-source.");
    }
}

// The identity says the same both ways.
TEST_CASE("alphas that do not depend on the order are not asked about") {
    const auto source = openTensorSource(goldenFolder / "iha-a.safetensors").value();
    NamedTensors tensors;
    for (const TensorEntry& entry : source->entries()) {
        Tensor tensor = source->read(entry, DType::f32).value();
        if (entry.name.find("alpha_") != std::string::npos)
            tensor = Tensor::of<float>({2, 2, 2}, {1, 1, 0, 0, 0, 0, 1, 1});
        tensors.emplace_back(entry.name, tensor);
    }
    const auto loaded =
        loadCheckpoint(sourceOfTensors(tensors), {{"num_attention_heads", "2"}}).value();
    INFO(loaded.report.text());
    CHECK(loaded.model);
}

TEST_CASE("pseudo-heads that never meet run as heads of their own") {
    const auto loaded = load("iha-f");
    REQUIRE(loaded->model);
    CHECK(loaded->model->config.nHeads == 6);
    CHECK(loaded->model->config.dHead() == 4);
    CHECK(loaded->report.text().find("run, and are shown, as 6 ordinary heads") !=
          std::string::npos);
    CHECK(loadEveryAnswer(goldenFolder / "iha-f.safetensors")->size() == 1);
    // without the values' mixing it is none of the layouts
    auto tensors = tensorsOf("iha-f");
    std::erase_if(tensors, [](const auto& each) { return each.first.ends_with("v_mix"); });
    CHECK(loadCheckpoint(sourceOfTensors(tensors), {{"num_attention_heads", "2"}})
              ->report.notRunnable ==
          "model.layers.0.self_attn.q_mix: mixes heads into another number of heads; look at its "
          "tensors; it does not run.");
}

TEST_CASE("nanochat's interleaved heads say what they are") {
    const auto loaded = load("iha-b").value();
    CHECK(loaded.report.architecture == "nanochat with iha-a");
    const ModelConfig& config = loaded.model->config;
    CHECK(config.summary() == "IHA, 2 layers, 4 heads x 2 pseudo-heads of 4");
    CHECK(config.qkNormLast);
    CHECK(config.logitCap == 15);
    CHECK(config.nClasses() == 13);
    CHECK(config.dVocab == 16);
    CHECK(config.layers[0].positions == PositionKind::virtualToken);
    CHECK(config.layers[0].collapse == CollapseKind::full);
    const ModelConfig flat = load("iha-b-flat")->model->config;
    CHECK(flat.layers[0].mask == MaskKind::flat);
    CHECK(flat.layers[0].collapse == CollapseKind::perHead);
    // what nothing in the file says is told, and can be said
    const std::string text = loaded.report.text();
    for (const char* line :
         {"alphaOrder is not stated: source-target is assumed (--set alphaOrder=...)",
          "the base of the rotary frequencies is not stated: 10000 is assumed",
          "queries and keys are normed once mixed and rotated, and multiplied by 1.2",
          "dVocab       16  from the tensors; the configuration says 13, the last 3 only fill the "
          "tables up"})
        CHECK(text.find(line) != std::string::npos);
    for (const auto& [setting, value] :
         {std::pair("alphaOrder", "target-source"), std::pair("ropeTheta", "100"),
          std::pair("qkNormFactor", "1"), std::pair("logitCap", "0"), std::pair("mask", "flat")}) {
        CAPTURE_BINDING(setting);
        CHECK(difference("iha-b", *load("iha-b", {{setting, value}})->model) > 0.01);
    }
}

TEST_CASE("nanochats that compute more than is computed here say what") {
    const auto said = [](const char* name, const Shape& shape) {
        auto tensors = tensorsOf("iha-b");
        tensors.emplace_back(name, Tensor::host(shape, DType::f32));
        return loadCheckpoint(sourceOfTensors(tensors), {{"n_head", "4"}})->report.notRunnable;
    };
    CHECK(said("x0_lambdas", {2}) ==
          "x0_lambdas: it adds the embedding to the stream before every layer, which is not "
          "computed here; look at its tensors; it does not run.");
    CHECK(said("transformer.h.1.attn.ve_gate.weight", {4, 12}).find("adds a table of tokens") !=
          std::string::npos);
    CHECK(said("transformer.h.0.attn_norm.weight", {16}) ==
          "transformer.h.0.attn_norm.weight: is no part of nanochat, alpha_q, alpha_k, alpha_v and "
          "collapse as it is computed here; look at its tensors; it does not run.");
    const auto windows = [](const Settings& settings) {
        LoadOptions options;
        options.settings = settings;
        return loadCheckpoint(sourceOfTensors(tensorsOf("nanochat")),
                              {{"n_head", "4"}, {"window_pattern", "SL"}}, options)
            .value();
    };
    CHECK(windows({}).report.notRunnable ==
          "layers: some see a short window, and nothing says how many tokens it has; give --set "
          "window=TOKENS, their own included.");
    const auto loaded = windows({{"window", "4"}});
    REQUIRE(loaded.model);
    CHECK(loaded.model->config.layers[0].window == 4);
    CHECK(loaded.model->config.layers[1].window == 0);
}

namespace {

const DimensionCheck& dimension(const LoadReport& report, const std::string& name) {
    for (const DimensionCheck& check : report.dimensions)
        if (check.name == name) return check;
    FAIL("no dimension " << name);
    return report.dimensions.front();
}

}  // namespace

// c_proj is square, so only c_attn and c_fc tell; the names are the same either way.
TEST_CASE("GPT-2's Conv1D and nanoGPT's Linear are told apart by shape") {
    auto tensors = tensorsOf("gpt2");
    for (auto& [name, tensor] : tensors)
        if (name.find(".c_") != std::string::npos && tensor.shape().rank() == 2)
            tensor = transposed(tensor);
    const Settings config = {{"n_head", "2"}, {"activation_function", "gelu_new"}};
    const auto loaded = loadCheckpoint(sourceOfTensors(tensors), config).value();
    INFO(loaded.report.text());
    REQUIRE(loaded.model);
    CHECK(loaded.report.architecture == "nanogpt");
    // it has no setting for scores divided by the number of the layer, which the golden model has
    Model model = *loaded.model;
    model.config.layers[1].scoreScale = 0.25;
    CHECK(difference("gpt2", model) < goldenTolerance);
}

TEST_CASE("buffers are ignored, what is unknown is reported") {
    CHECK(load("nanogpt")->report.named(TensorUse::ignored) ==
          std::vector<std::string>{"transformer.h.0.attn.bias", "transformer.h.1.attn.bias"});
    CHECK(load("lens")->report.count(TensorUse::ignored) == 4);
    auto tensors = tensorsOf("mistral");
    tensors.emplace_back("model.layers.1.self_attn.rotary_emb.inv_freq",
                         Tensor::of<float>({2}, {1, 2}));
    tensors.emplace_back("model.layers.1.self_attn.sinks", Tensor::of<float>({4}, {1, 2, 3, 4}));
    const auto loaded =
        loadCheckpoint(sourceOfTensors(tensors), {{"num_attention_heads", "4"}}).value();
    CHECK(loaded.model);
    CHECK(loaded.report.named(TensorUse::ignored).size() == 1);
    CHECK(loaded.report.named(TensorUse::unexpected) ==
          std::vector<std::string>{"model.layers.1.self_attn.sinks"});
    CHECK(loaded.report.text().find("1 tensor is unexpected: what it does") != std::string::npos);
}

TEST_CASE("tensors win for sizes, and the user sees both") {
    const auto with = [](const Settings& config) {
        return loadCheckpoint(sourceOfTensors(tensorsOf("qwen3")), config).value();
    };
    // d = 6, while D / H = 2
    const auto loaded = with({{"num_attention_heads", "4"}, {"hidden_size", "9"}});
    REQUIRE(loaded.model);
    CHECK(loaded.model->config.dHead() == 6);
    CHECK(dimension(loaded.report, "dModel").differs());
    CHECK(dimension(loaded.report, "dModel").used == 8);
    CHECK(loaded.report.text().find("the configuration says 9: the tensors win") !=
          std::string::npos);
    // the norms of q and k tell the width of a head, so nobody has to say how many there are
    CHECK(with({}).model->config.nHeads == 4);
    CHECK_FALSE(loadCheckpoint(sourceOfTensors(tensorsOf("mistral")), {})->model);
    CHECK(loadCheckpoint(sourceOfTensors(tensorsOf("mistral")), {})->report.notRunnable ==
          "heads: neither the tensors nor a configuration say how many heads the model has; put "
          "its config.json beside it, or give the number with --set nHeads=N.");
    // 16 wide queries: 4 heads of 4 however the width is stated
    for (const char* width : {"4", "2", "null"}) {
        const auto mistral = loadCheckpoint(sourceOfTensors(tensorsOf("mistral")),
                                            {{"num_attention_heads", "4"}, {"head_dim", width}})
                                 .value();
        REQUIRE(mistral.model);
        CHECK(mistral.model->config.dHead() == 4);
        CHECK(dimension(mistral.report, "headWidth").differs() == (std::string(width) == "2"));
    }
    CHECK(loadCheckpoint(sourceOfTensors(tensorsOf("mistral")), {{"num_attention_heads", "3"}})
              ->report.notRunnable ==
          "heads: the queries of 3 heads are 16 numbers wide, which is no multiple; correct the "
          "number of heads in the configuration.");
}

TEST_CASE("a window is on where the configuration has it on") {
    const auto windows = [](const std::string& name, const Settings& settings = {}) {
        std::vector<int> all;
        const auto loaded = load(name, settings);
        REQUIRE(loaded);
        REQUIRE(loaded->model);
        for (const LayerConfig& layer : loaded->model->config.layers) all.push_back(layer.window);
        return all;
    };
    CHECK(windows("mistral") == std::vector<int>{3, 3});
    CHECK(windows("qwen2") == std::vector<int>{0, 4});
    CHECK(windows("qwen3") == std::vector<int>{0, 0});  // use_sliding_window is false
    CHECK(windows("qwen3", {{"useWindow", "true"}}) == std::vector<int>{0, 2});
    CHECK(load("qwen3")->report.text().find("stated, but switched off") != std::string::npos);
    CHECK(difference("mistral", *load("mistral", {{"window", "4"}})->model) > 0.01);
}

TEST_CASE("norms that are folded into the matrices are told from none") {
    auto tensors = tensorsOf("lens");
    std::erase_if(tensors, [](const auto& each) {
        return each.first.find("ln") == 0 || each.first.find(".ln") != std::string::npos;
    });
    const auto loaded = [&](const Settings& config) {
        return loadCheckpoint(sourceOfTensors(tensors), config).value();
    };
    CHECK_FALSE(loaded({{"act_fn", "relu"}}).model->config.blockNorms);
    const auto folded = loaded({{"act_fn", "relu"}, {"normalization_type", "LNPre"}});
    REQUIRE(folded.model);
    CHECK(folded.model->config.norm == NormKind::layer);
    CHECK(folded.model->weights.find("blocks.1.ln2.w").data<float>()[0] == 1);
    CHECK(loaded({{"act_fn", "solu_ln"}}).report.notRunnable ==
          "MLP: the activation \"solu_ln\" is not computed here; known are silu, gelu, gelu_new, "
          "relu and relu2.");
}

TEST_CASE("what is not computed here says so and stays open") {
    const auto refusal = [](const std::string& name, const Settings& settings) {
        const auto loaded = load(name, settings);
        REQUIRE(loaded);
        CHECK_FALSE(loaded->model);
        CHECK(loaded->source->entries().size() > 10);
        return loaded->report.notRunnable;
    };
    CHECK(refusal("llama", {{"ropeScaling", "yarn"}}) ==
          "rotary positions: scaling of the kind \"yarn\" is not computed; look at its tensors; it "
          "does not run.");
    CHECK(refusal("llama", {{"type", "gemma2"}}) ==
          "Llama family, Hugging Face names: type says \"gemma2\", a model that computes "
          "differently; look at its tensors; it does not run.");
    CHECK(refusal("llama", {{"nHeads", "four"}}) ==
          "configuration, nHeads: \"four\" is not a whole number; correct the configuration.");
    CHECK(refusal("qwen2", {{"layerTypes", "[linear_attention]"}}) ==
          "layers: attention of the kind \"linear_attention\"; known are full_attention and "
          "sliding_attention.");
    auto tensors = tensorsOf("qwen2");
    std::erase_if(tensors, [](const auto& each) {
        return each.first == "model.layers.1.mlp.down_proj.weight";
    });
    const auto partial =
        loadCheckpoint(sourceOfTensors(tensors), {{"num_attention_heads", "4"}}).value();
    CHECK(partial.report.missing == std::vector<std::string>{"layers.1.mlp.down_proj.weight"});
    CHECK(partial.report.notRunnable ==
          "Llama family, Hugging Face names: 1 tensor is missing, the first is "
          "layers.1.mlp.down_proj.weight; download the rest of the checkpoint.");
    const auto unknown =
        loadCheckpoint(sourceOfTensors({{"conv1.weight", Tensor::host({1, 1}, DType::f32)}}), {})
            .value();
    CHECK(unknown.report.architecture.empty());
    CHECK(unknown.report.reason == "no tensor has a name that a known architecture uses");
}

TEST_CASE("every map can be read, and a bad one says what is wrong with it") {
    std::size_t files = 0;
    for (const auto& file : std::filesystem::recursive_directory_iterator(
             std::filesystem::path(HEADLOOM_SOURCE) / "assets/architectures"))
        files += file.path().extension() == ".json";
    std::size_t attentions = 0, hosts = 0, plain = 0;
    for (const ArchitectureMap& map : builtinArchitectures()) {
        attentions += map.name.find(" with ") != std::string::npos;
        plain += map.name.find(" with ") == std::string::npos;
        hosts += map.name.find(" with ") == std::string::npos && !map.attention.empty();
    }
    CHECK(attentions == hosts * (files - plain));
    const auto sentence = [](const char* text) {
        return architectureFromJson(text).error().sentence();
    };
    CHECK(sentence("[]") ==
          "architecture map, text: is not a JSON object; see assets/architectures/README.md.");
    CHECK(sentence(R"({"name": "x"})") ==
          "architecture map, needs: nothing tells this architecture from others; see "
          "assets/architectures/README.md.");
    CHECK(sentence(R"({"name": "x", "needs": {"a": "long"}})") ==
          "architecture map, needs, a: has no known shape; use \"\", \"wide\" or \"tall\".");
    CHECK(sentence(R"({"name": "x", "needs": {"a": ""}, "tensors": {"a": {"to": "b",
                   "layout": "round"}}})") ==
          "architecture map, tensors, a: has the unknown layout \"round\"; use ours, linear or "
          "conv1d.");
}

TEST_CASE("a map of the user's own needs no change to the program") {
    auto tensors = tensorsOf("lens");
    for (auto& [name, tensor] : tensors)
        if (name == "embed.W_E") name = "words";
    LoadOptions options;
    auto own = architectureFromJson(R"({"name": "mine", "title": "Mine", "needs": {"words": ""},
        "tensors": {"words": {"to": "embed.W_E"},
                    "blocks.{layer}.attn.W_Q": {"to": "attn.W_Q"}}})");
    REQUIRE(own);
    options.maps = {*own};
    const auto loaded = loadCheckpoint(sourceOfTensors(tensors), {}, options).value();
    CHECK(loaded.report.architecture == "mine");
    CHECK(loaded.report.missing.size() > 3);
}

TEST_CASE("reading says how far it has come, in bytes of the weights, and stops when told to") {
    // our own files go another way, and bigger tensors take several blocks
    const TemporaryFolder folder;
    REQUIRE(saveModel(folder / "own.safetensors", *load("llama")->model));
    for (const auto& path : {goldenFolder / "llama.safetensors", folder / "own.safetensors"}) {
        CAPTURE_BINDING(path);
        std::vector<LoadProgress> seen;
        LoadOptions options;
        options.progress = [&](const LoadProgress& reached) {
            seen.push_back(reached);
            return true;
        };
        const auto loaded = loadCheckpoint(path, options);
        REQUIRE(loaded);
        REQUIRE(loaded->model);
        const auto bytes = static_cast<std::uint64_t>(loaded->model->weights.parameterCount()) * 4;
        CHECK(seen.size() > loaded->model->weights.entries().size());
        CHECK(seen.front().done == 0);
        CHECK(seen.back().done == bytes);
        for (std::size_t i = 1; i < seen.size(); ++i) {
            CHECK(seen[i].done >= seen[i - 1].done);
            CHECK(seen[i].total == bytes);
        }
        int asked = 0;
        options.progress = [&](const LoadProgress&) { return ++asked < 4; };
        const auto stopped = loadCheckpoint(path, options);
        REQUIRE_FALSE(stopped);
        CHECK(stopped.error().kind == Error::Kind::interrupted);
        CHECK(asked == 4);
    }
}

TEST_CASE("reading stops within a tensor") {
    const auto no = [] { return false; };
    const auto source = openTensorSource(goldenFolder / "llama.safetensors").value();
    CHECK(source->read(source->entries().front(), DType::f32, no).error().kind ==
          Error::Kind::interrupted);
    const auto file = SafetensorsFile::open(goldenFolder / "llama.safetensors").value();
    CHECK(file.read(file.entries().front(), DType::f32, no).error().kind ==
          Error::Kind::interrupted);
}

TEST_CASE("weights that no machine holds are refused before any is read") {
    ModelPlan plan;
    plan.config.dModel = 1 << 24;
    plan.config.dVocab = 1 << 30;  // an embedding of 7e16 bytes
    plan.config.nHeads = 1;
    const auto source = sourceOfTensors({});
    const auto refused = readWeights(plan, *source, {}, [](const LoadProgress&) {
        FAIL("nothing should have been read");
        return true;
    });
    REQUIRE_FALSE(refused);
    CHECK(refused.error().kind == Error::Kind::outOfMemory);
    CHECK(refused.error().sentence().starts_with("weights in float32: "));
}
