#include "core/io/model_file.h"
#include "core/io/safetensors.h"
#include "tests/support/temporary_folder.h"

#include <doctest/doctest.h>

#include <functional>

using namespace headloom;
using headloom::testing::contentsOf;
using headloom::testing::TemporaryFolder;

namespace {

Model smallModel() {
    Model model;
    model.name = "IHA, 2 heads x 2";
    model.config.dModel = 4;
    model.config.nHeads = 2;
    model.config.dVocab = 3;
    model.config.nCtx = 5;
    model.config.layers = {LayerConfig{}, LayerConfig{}};
    model.config.layers[1].kind = AttentionKind::iha;
    model.config.layers[1].nPseudo = 2;
    model.vocabulary = Vocabulary({"a", "b", "."}, 2);
    model.recipe = R"({"task": "four-witnesses"})";
    model.weights = initialWeights(model.config, 1);
    return model;
}

using Entries = std::vector<std::pair<std::string, Tensor>>;
using Metadata = std::map<std::string, std::string>;

/// Saves the small model with a change, and gives what loading it says, without the folder.
std::string sentenceAfter(const std::function<void(Entries&, Metadata&)>& change) {
    const TemporaryFolder folder;
    REQUIRE(saveModel(folder / "m", smallModel()));
    const auto file = SafetensorsFile::open(folder / "m").value();
    Entries entries;
    for (const auto& entry : file.entries())
        entries.emplace_back(entry.name, file.read(entry, DType::f32).value());
    Metadata metadata = file.metadata();
    change(entries, metadata);
    REQUIRE(writeSafetensors(folder / "m", entries, metadata));
    const auto model = loadModel(folder / "m");
    return model ? "" : model.error().sentence().substr(folder.path().string().size() + 1);
}

}  // namespace

TEST_CASE("a model survives saving and loading, byte for byte") {
    const TemporaryFolder folder;
    const Model model = smallModel();
    REQUIRE(saveModel(folder / "one.safetensors", model));
    const auto loaded = loadModel(folder / "one.safetensors");
    REQUIRE(loaded);
    CHECK(loaded->name == model.name);
    CHECK(loaded->recipe == model.recipe);
    CHECK(toJson(loaded->config) == toJson(model.config));
    CHECK(loaded->vocabulary.tokens() == model.vocabulary.tokens());
    CHECK(loaded->vocabulary.endToken() == 2);
    REQUIRE(loaded->weights.entries().size() == model.weights.entries().size());
    for (std::size_t i = 0; i < model.weights.entries().size(); ++i) {
        const auto& [name, tensor] = model.weights.entries()[i];
        CHECK(loaded->weights.entries()[i].first == name);
        const auto values = loaded->weights.entries()[i].second.values<float>();
        CHECK(std::equal(values.begin(), values.end(), tensor.values<float>().begin()));
    }
    REQUIRE(saveModel(folder / "two.safetensors", *loaded));
    CHECK(contentsOf(folder / "one.safetensors") == contentsOf(folder / "two.safetensors"));
}

TEST_CASE("the metadata are those of the format") {
    const TemporaryFolder folder;
    REQUIRE(saveModel(folder / "m", smallModel()));
    const auto file = SafetensorsFile::open(folder / "m").value();
    CHECK(file.metadata().at("headloom.format") == "1");
    CHECK(file.metadata().at("iha.alpha_order") == "source_target_pseudo");
    CHECK(file.metadata().contains("headloom.config"));
    CHECK(file.metadata().contains("headloom.vocabulary"));
    CHECK(file.metadata().contains("headloom.recipe"));
    Model plain = smallModel();
    plain.config.layers.pop_back();
    plain.weights = initialWeights(plain.config, 1);
    plain.name.clear();
    REQUIRE(saveModel(folder / "plain.safetensors", plain));
    CHECK_FALSE(SafetensorsFile::open(folder / "plain.safetensors")
                    ->metadata()
                    .contains("iha.alpha_order"));
    // A file without a name goes by its own.
    CHECK(loadModel(folder / "plain.safetensors")->name == "plain");
}

TEST_CASE("weights of other floating types become float32") {
    CHECK(sentenceAfter([](Entries& entries, Metadata&) {
              for (auto& entry : entries) entry.second = entry.second.cast(DType::f64);
          }) == "");
}

TEST_CASE("a file that is not a whole model of ours is refused with one sentence") {
    CHECK(sentenceAfter([](Entries&, Metadata& metadata) { metadata.clear(); }) ==
          "m: is a safetensors file, but not a Headloom model (it has no headloom.config); open a "
          "model that \"headloom-cli train\" wrote.");
    CHECK(sentenceAfter([](Entries&, Metadata& metadata) { metadata["headloom.format"] = "2"; }) ==
          "m: has model format \"2\", but this program reads \"1\"; use a newer Headloom or train "
          "the model again.");
    CHECK(sentenceAfter([](Entries&, Metadata& metadata) { metadata.erase("iha.alpha_order"); }) ==
          "m: does not say that its alphas are ordered source_target_pseudo (iha.alpha_order); "
          "save it again with that order stated.");
    CHECK(sentenceAfter([](Entries&, Metadata& metadata) { metadata["headloom.config"] = "no"; }) ==
          "m, configuration, text: is not a JSON object; save the model again.");
    CHECK(sentenceAfter([](Entries&, Metadata& metadata) {
              metadata["headloom.vocabulary"] = R"({"tokens": ["a"]})";
          }) ==
          "m, vocabulary: lists 1 tokens, but the configuration has 3; the file is damaged: train "
          "the model again.");
    CHECK(sentenceAfter([](Entries&, Metadata& metadata) {
              metadata["headloom.vocabulary"] = R"({"tokens": ["a", "b", "c"], "end": 3})";
          }) ==
          "m, vocabulary: the end token 3 is not one of its tokens; the file is damaged: train the "
          "model again.");
    CHECK(sentenceAfter([](Entries& entries, Metadata&) { entries.pop_back(); }) ==
          "m, unembed.b_U: the tensor is missing; the file does not belong to this "
          "configuration.");
    CHECK(sentenceAfter([](Entries& entries, Metadata&) {
              entries.emplace_back("more", Tensor::host({1}, DType::f32));
          }) ==
          "m, more: the configuration has no such tensor; the file does not belong to this "
          "configuration.");
    CHECK(
        sentenceAfter([](Entries& entries, Metadata&) {
            entries[0].second = Tensor::host({1}, DType::f32);
        }) ==
        "m, blocks.0.attn.W_K: has shape [1], but the configuration needs [2, 4, 2]; the file does "
        "not belong to this configuration.");
}

TEST_CASE("a configuration that no model can have is refused, however the file claims it") {
    const auto config = [](const std::string& from, const std::string& to) {
        return sentenceAfter([&](Entries&, Metadata& metadata) {
            std::string& text = metadata["headloom.config"];
            const auto at = text.find(from);
            REQUIRE(at != std::string::npos);
            text.replace(at, from.size(), to);
        });
    };
    CHECK(config("\"nHeads\":2", "\"nHeads\":3") ==
          "m, heads H: H = 3 does not divide D = 4; choose H so that every head has the same whole "
          "width D/H.");
    CHECK(config("\"nPseudo\":2", "\"nPseudo\":0") ==
          "m, layer 1: P = 0 pseudo-heads; P must lie in 1..1024.");
    CHECK(config("\"dModel\":4", "\"dModel\":1048576").find("the configuration needs") !=
          std::string::npos);
}
