#include "core/io/model_file.h"
#include "core/io/safetensors.h"
#include "core/session/filter_file.h"
#include "tests/support/temporary_folder.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>

using namespace headloom;
using headloom::testing::contentsOf;
using headloom::testing::TemporaryFolder;

namespace {

/// Trained for a few steps, so that nothing in it is a default.
SavedFilter small(AttentionKind kind = AttentionKind::iha, int nPseudo = 2) {
    SavedFilter filter;
    FilterRecipe& recipe = filter.recipe;
    recipe.graph = FilterGraph::ring;
    recipe.config = {kind, 2, nPseudo, 2, 4, 3};
    recipe.mixing = {MixingStart::mean, 0.2, 0.1};
    recipe.seed = 5;
    recipe.steps = 10;
    recipe.learningRate = 0.02;
    recipe.batch = 3;
    recipe.evaluateSamples = 40;
    recipe.evaluateEvery = 7;
    recipe.restarts = 2;
    const auto run = FilterRun::start(recipe, "cpu").value();
    filter.result = run->run({}).value();
    filter.weights = run->weights();
    return filter;
}

using Entries = std::vector<std::pair<std::string, Tensor>>;
using Metadata = std::map<std::string, std::string>;

/// Saves a filter with a change, and gives what loading it says, without the folder.
std::string sentenceAfter(const std::function<void(Entries&, Metadata&)>& change) {
    const TemporaryFolder folder;
    REQUIRE(saveFilter(folder / "f", small()));
    const auto file = SafetensorsFile::open(folder / "f").value();
    Entries entries;
    for (const auto& entry : file.entries())
        entries.emplace_back(entry.name, file.read(entry, DType::f32).value());
    Metadata metadata = file.metadata();
    change(entries, metadata);
    REQUIRE(writeSafetensors(folder / "f", entries, metadata));
    const auto filter = loadFilter(folder / "f");
    return filter ? "" : filter.error().sentence().substr(folder.path().string().size() + 1);
}

/// The same with a part of the recipe's text replaced.
std::string sentenceWith(const std::string& part, const std::string& by) {
    return sentenceAfter([&](Entries&, Metadata& metadata) {
        std::string& text = metadata["headloom.filter"];
        const std::size_t at = text.find(part);
        REQUIRE(at != std::string::npos);
        text.replace(at, part.size(), by);
    });
}

}  // namespace

TEST_CASE("a filter survives saving and loading, byte for byte") {
    const TemporaryFolder folder;
    for (const auto& filter : {small(), small(AttentionKind::mha, 1)}) {
        REQUIRE(saveFilter(folder / "one", filter));
        const auto loaded = loadFilter(folder / "one");
        REQUIRE(loaded);
        CHECK(loaded->recipe.graph == FilterGraph::ring);
        CHECK(loaded->recipe.config.kind == filter.recipe.config.kind);
        CHECK(loaded->recipe.config.dNode == 3);
        CHECK(loaded->recipe.mixing.start == MixingStart::mean);
        CHECK(loaded->recipe.mixing.collapseNoise == 0.1);
        CHECK(loaded->recipe.seed == 5);
        CHECK(loaded->recipe.evaluateEvery == 7);
        CHECK(loaded->recipe.restarts == 2);
        CHECK(loaded->result.seed == filter.result.seed);
        CHECK(loaded->result.restarts == filter.result.restarts);
        CHECK(loaded->result.cpuSeconds == filter.result.cpuSeconds);
        REQUIRE(loaded->weights.entries().size() == filter.weights.entries().size());
        for (std::size_t i = 0; i < filter.weights.entries().size(); ++i) {
            const auto& [name, tensor] = filter.weights.entries()[i];
            CHECK(loaded->weights.entries()[i].first == name);
            const auto values = loaded->weights.entries()[i].second.values<float>();
            CHECK(std::equal(values.begin(), values.end(), tensor.values<float>().begin()));
        }
        REQUIRE(saveFilter(folder / "two", *loaded));
        CHECK(contentsOf(folder / "one") == contentsOf(folder / "two"));
    }
    CHECK(isFilterFile(folder / "one"));
    CHECK_FALSE(isFilterFile(folder / "three"));
}

// The result is measured on what the file holds: the same weights give the same error, to the bit.
TEST_CASE("the weights are those that were measured") {
    const SavedFilter filter = small();
    const auto backend = makeCpuBackend(1);
    const FilterModel model(filter.recipe.config, filter.weights, *backend);
    const GraphFilter task(filter.recipe.graph, 2, 4, 3);
    const FilterBatch batch = task.batch(Split::heldOut, 0, 0, 40);
    const Tensor out = model.forward(batch.x).out;
    double error = 0, size = 0;
    for (std::int64_t i = 0; i < out.count(); ++i) {
        const double wanted = batch.target.data<float>()[i],
                     difference = out.data<float>()[i] - wanted;
        error += difference * difference;
        size += wanted * wanted;
    }
    // float32 differences, summed in another order
    CHECK(error / size == doctest::Approx(filter.result.relativeError).epsilon(1e-5));
}

TEST_CASE("a file of tokens is not a filter, nor the other way round") {
    const TemporaryFolder folder;
    REQUIRE(saveFilter(folder / "f", small()));
    CHECK(loadModel(folder / "f").error().what == "holds a graph filter, which reads no tokens");
    CHECK(sentenceAfter([](Entries&, Metadata& m) { m.erase("headloom.filter"); }) ==
          "f: is a safetensors file, but not a filter of Headloom; open one that \"headloom-cli "
          "filter --save\" wrote.");
    CHECK(sentenceAfter([](Entries&, Metadata& m) { m["headloom.format"] = "2"; }) ==
          "f: has filter format \"2\", but this program reads \"1\"; use a newer Headloom or train "
          "the filter again.");
    CHECK(sentenceAfter([](Entries&, Metadata& m) {
              m.erase("iha.alpha_order");
          }).starts_with("f: does not say that its alphas are ordered"));
}

TEST_CASE("what is damaged is a sentence that names it") {
    const std::string again = "; the file is damaged: train the filter again.";
    CHECK(sentenceAfter([](Entries& e, Metadata&) { e.pop_back(); }) ==
          "f, attn.alpha_V: the tensor is missing" + again);
    CHECK(sentenceAfter([](Entries& e, Metadata&) {
              for (auto& [name, tensor] : e)
                  if (name == "attn.R") tensor = Tensor::host({4, 2}, DType::f32);
          }) == "f, attn.R: is not [2, 4] as its recipe says" + again);
    CHECK(sentenceAfter([](Entries& e, Metadata&) {
              for (auto& [name, tensor] : e)
                  if (name == "attn.R") tensor = Tensor::host({2, 4, 1, 1, 1, 1}, DType::f32);
          }) == "f, attn.R: is not [2, 4] as its recipe says" + again);
    CHECK(sentenceAfter([](Entries& e, Metadata&) {
              e.emplace_back("attn.X", Tensor::host({1}, DType::f32));
          }) == "f, attn.X: a filter has no such tensor" + again);
    CHECK(sentenceAfter([](Entries&, Metadata& m) { m["headloom.filter"] = "[]"; }) ==
          "f, filter, recipe: is not a value of the right kind" + again);
    CHECK(sentenceWith("\"ring\"", "\"cube\"") ==
          "f, filter, graph: is not a value of the right kind" + again);
    CHECK(sentenceWith("\"iha\"", "7") ==
          "f, filter, kind: is not a value of the right kind" + again);
    CHECK(sentenceWith("\"batch\":3", "\"batch\":\"3\"") ==
          "f, filter, batch: is not a value of the right kind" + again);
    CHECK(sentenceWith("\"nNodes\":4", "\"nNodes\":1000000") ==
          "f, nodes N: 1000000 cannot be had; use 2 to 64.");
    CHECK(sentenceWith("\"nHeads\":2", "\"nHeads\":4") ==
          "f, heads H: 4 heads do not divide the 6 outputs of a node (k = 2 times d = 3); choose H "
          "so that k * d is a multiple of it.");
}
