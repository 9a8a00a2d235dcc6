// One trained model, in every container and naming: stories260K (llama2.c, MIT), from the folder
// $HEADLOOM_FIXTURES. Golden ids and logits were made by two independent programs in float64.
#include "core/io/architectures/config_values.h"
#include "core/io/architectures/load_checkpoint.h"
#include "core/models/decoder.h"
#include "tests/support/checkpoints.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

using namespace headloom;
using namespace headloom::testing;

namespace {

const std::vector<int> goldenIds = {403, 407, 261, 378, 432, 383, 286, 261, 376, 298, 315, 421,
                                    395, 317, 426, 338, 401, 396, 267, 337, 410, 408, 419, 292};
struct GoldenLogit {
    std::size_t position;
    std::size_t id;
    double logit;
};
const std::vector<GoldenLogit> goldenLogits = {
    {0, 403, 17.02352}, {0, 385, 15.40621},  {0, 410, 13.10826}, {0, 317, 12.76917},
    {0, 407, 12.41809}, {23, 292, 19.09343}, {23, 275, 8.07464}, {23, 277, 7.11201}};

struct Story {
    std::vector<int> ids;
    std::vector<std::vector<float>> logits;  ///< by position
};

/// 24 tokens from BOS, each the most probable one.
Story tell(const Model& model) {
    const auto backend = makeBackend("cpu", 1).value();
    const Decoder decoder(model.config, model.weights, *backend);
    auto cache = KvCache::make(model.config, *backend, 24).value();
    ForwardOptions options;
    options.captureMaps = options.keepActivations = false;
    options.cache = &cache;
    Story story;
    std::int32_t next = 1;
    while (story.ids.size() < goldenIds.size()) {
        const auto trace = decoder.forward(Tensor::of<std::int32_t>({1, 1}, {next}), options);
        REQUIRE(trace);
        const auto logits = trace->logits.values<float>();
        story.logits.emplace_back(logits.begin(), logits.end());
        next = static_cast<std::int32_t>(std::max_element(logits.begin(), logits.end()) -
                                         logits.begin());
        story.ids.push_back(next);
    }
    return story;
}

/// Whether a story is the golden one. Tolerance: the numbers have five digits after the point, and
/// five layers of float32 sums of up to 172 terms keep logits of 20 within 1e-5 (measured 7e-6).
bool isGolden(const Story& story) {
    if (story.ids != goldenIds) return false;
    return std::all_of(goldenLogits.begin(), goldenLogits.end(), [&](const GoldenLogit& golden) {
        return std::abs(story.logits[golden.position][golden.id] - golden.logit) < 5e-5;
    });
}

/// The model of the fixture; none where there are no fixtures.
std::optional<LoadedCheckpoint> original() {
    const auto file = fixture("llama2c/stories260K.bin");
    if (!file) return std::nullopt;
    auto loaded = loadCheckpoint(*file);
    REQUIRE(loaded);
    return std::move(*loaded);
}

Model modelOf(const Result<LoadedCheckpoint>& loaded) {
    REQUIRE(loaded);
    INFO(loaded->report.text());
    REQUIRE(loaded->model);
    return *loaded->model;
}

constexpr std::string_view hfConfig =
    R"({"model_type": "llama", "hidden_size": 64, "intermediate_size": 172, "head_dim": null,
    "num_hidden_layers": 5, "num_attention_heads": 8, "num_key_value_heads": 4, "vocab_size": 512,
    "max_position_embeddings": 512, "rms_norm_eps": 1e-05, "hidden_act": "silu",
    "tie_word_embeddings": true, "rope_theta": 10000.0, "rope_scaling": null, "bos_token_id": 1})";

/// As Hugging Face's conversion would have written the model.
NamedTensors inHfNames(const TensorSource& source) {
    NamedTensors made = renamed(source, hfName);
    for (auto& [name, tensor] : made) {
        if (name.ends_with("q_proj.weight")) tensor = evenRowsFirst(tensor, 8);
        if (name.ends_with("k_proj.weight")) tensor = evenRowsFirst(tensor, 4);
    }
    return made;
}

/// The largest difference of two stories' logits, where both were told the same words.
double largestDifference(const Story& a, const Story& b) {
    double largest = 0;
    for (std::size_t at = 0; at < a.logits.size(); ++at) {
        for (std::size_t id = 0; id < a.logits[at].size(); ++id)
            largest = std::max(largest, std::abs(double{a.logits[at][id]} - b.logits[at][id]));
        if (a.ids[at] != b.ids[at]) break;
    }
    return largest;
}

}  // namespace

TEST_CASE("stories260K tells the golden story") {
    const auto file = fixture("llama2c/stories260K.bin");
    if (!file) return;
    const auto loaded = loadCheckpoint(*file);
    REQUIRE(loaded);
    INFO(loaded->report.text());
    REQUIRE(loaded->model);
    CHECK(loaded->report.architecture == "llama-meta");
    CHECK(loaded->report.headTied);
    CHECK(loaded->report.missing.empty());
    CHECK(loaded->report.count(TensorUse::unexpected) == 0);
    CHECK(loaded->model->config.kvHeads() == 4);
    CHECK(loaded->model->config.nCtx == 512);
    const Story story = tell(*loaded->model);
    CHECK(story.ids == goldenIds);
    for (const GoldenLogit& golden : goldenLogits) {
        CAPTURE(golden.position);
        CAPTURE(golden.id);
        CHECK(std::abs(story.logits[golden.position][golden.id] - golden.logit) < 5e-5);
    }
}

// The header and every size are right, so no report can tell: parity with known logits is for that.
TEST_CASE("the golden check sees weights in the wrong places") {
    const auto file = fixture("negative/stories260K-rightsize-wrongdata.bin");
    if (!file) return;
    const auto loaded = loadCheckpoint(*file);
    REQUIRE(loaded);
    REQUIRE(loaded->model);
    CHECK(loaded->report.warnings.empty());
    CHECK_FALSE(isGolden(tell(*loaded->model)));
}

// Half-split pairs without bringing the rows in their order agree for ten tokens and derail then.
TEST_CASE("the golden check sees a rotation of the wrong pairs") {
    const auto file = fixture("llama2c/stories260K.bin");
    if (!file) return;
    for (const ArchitectureMap& map : builtinArchitectures()) {
        if (map.name != "llama-meta") continue;
        LoadOptions options;
        options.maps = {map};
        options.maps[0].interleavedRotary = false;
        const Story story = tell(modelOf(loadCheckpoint(*file, options)));
        CHECK_FALSE(isGolden(story));
        CHECK(std::equal(story.ids.begin(), story.ids.begin() + 10, goldenIds.begin()));
    }
}

// Query head h on key/value head h mod G instead of h / (H/G): the same as putting the heads in
// another order here.
TEST_CASE("the golden check sees keys given to the wrong heads") {
    const auto loaded = original();
    if (!loaded) return;
    Model model = *loaded->model;
    constexpr int heads = 8, groups = 4;
    for (int layer = 0; layer < model.config.nLayers(); ++layer)
        for (const char* name : {"attn.W_Q", "attn.W_O"}) {
            const std::string full = "blocks." + std::to_string(layer) + "." + name;
            const Tensor right = model.weights.find(full), wrong = right.copy();
            for (int at = 0; at < heads; ++at) {
                const int head = at % (heads / groups) * groups + at / (heads / groups);
                const auto from = right.at(head).values<float>();
                std::copy(from.begin(), from.end(), wrong.at(at).values<float>().begin());
            }
            model.weights.replace(full, wrong);
        }
    CHECK_FALSE(isGolden(tell(model)));
}

TEST_CASE("a head of its own, a stored copy of the embedding, and no head at all") {
    const auto loaded = original();
    if (!loaded) return;
    const Story golden = tell(*loaded->model);
    NamedTensors tensors = inHfNames(*loaded->source);
    const Settings config = flattenJson(hfConfig, "config").value();
    const auto with = [&](const char* tied) {
        Settings changed = config;
        if (tied)
            changed["tie_word_embeddings"] = tied;
        else
            changed.erase("tie_word_embeddings");
        return loadCheckpoint(sourceOfTensors(tensors), changed);
    };
    const auto notes = [](const Result<LoadedCheckpoint>& from) {
        std::string all;
        for (const auto* list : {&from->report.notes, &from->report.warnings})
            for (const std::string& each : *list) all += each + "\n";
        return all;
    };
    // absent (golden: true)
    CHECK(notes(with(nullptr)).find("nothing says whether they are tied") != std::string::npos);
    CHECK(notes(with("true")).find("tie_word_embeddings = true") != std::string::npos);
    const auto untied = with("false");
    CHECK_FALSE(untied->model);
    CHECK(untied->report.notRunnable ==
          "head: the configuration says tie_word_embeddings = false, but the file has no head of "
          "its own; download the rest of the checkpoint, or correct the configuration.");
    // a copy
    const Tensor embed = tensors[0].second;
    tensors.emplace_back("lm_head.weight", embed.copy());
    CHECK(with("true")->report.named(TensorUse::tied) ==
          std::vector<std::string>{"lm_head.weight"});
    CHECK(largestDifference(golden, tell(modelOf(with(nullptr)))) == 0);
    // another matrix
    tensors.back().second = embed.copy();
    tensors.back().second.data<float>()[0] += 1;
    CHECK_FALSE(with("false")->report.headTied);
    CHECK_FALSE(with(nullptr)->report.headTied);
    CHECK(largestDifference(golden, tell(modelOf(with("false")))) > 0);
    CHECK(with("true")->report.headTied);
    CHECK(notes(with("true")).find("is another matrix than the embedding") != std::string::npos);
}
