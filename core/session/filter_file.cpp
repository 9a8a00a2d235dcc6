#include "core/session/filter_file.h"

#include "core/io/own_files.h"
#include "core/session/json_fields.h"

#include <fmt/format.h>

#include <algorithm>

namespace headloom {

using nlohmann::json;

namespace {

constexpr const char* formatVersion = "1";

template <class Visitor, class Config>
void visitConfig(Visitor&& field, Config& config) {
    field("nHeads", config.nHeads);
    field("nPseudo", config.nPseudo);
    field("order", config.order);
    field("nNodes", config.nNodes);
    field("dNode", config.dNode);
}

template <class Visitor, class Mixing>
void visitMixing(Visitor&& field, Mixing& mixing) {
    field("alphaNoise", mixing.alphaNoise);
    field("collapseNoise", mixing.collapseNoise);
}

template <class Visitor, class Recipe>
void visitSettings(Visitor&& field, Recipe& recipe) {
    field("seed", recipe.seed);
    field("steps", recipe.steps);
    field("learningRate", recipe.learningRate);
    field("batch", recipe.batch);
    field("evaluateSamples", recipe.evaluateSamples);
    field("evaluateEvery", recipe.evaluateEvery);
    field("restarts", recipe.restarts);
}

template <class Visitor, class Outcome>
void visitResult(Visitor&& field, Outcome& result) {
    field("relativeError", result.relativeError);
    field("seed", result.seed);
    field("restarts", result.restarts);
    field("updates", result.updates);
    field("cpuSeconds", result.cpuSeconds);
    field("parameters", result.parameters);
}

std::string textOf(const SavedFilter& filter) {
    const FilterRecipe& recipe = filter.recipe;
    json config = {{"kind", nameOf(recipe.config.kind)}},
         mixing = {{"start", nameOf(recipe.mixing.start)}}, settings, result;
    visitConfig(FieldWriter{config}, recipe.config);
    visitMixing(FieldWriter{mixing}, recipe.mixing);
    visitSettings(FieldWriter{settings}, recipe);
    visitResult(FieldWriter{result}, filter.result);
    return json{{"graph", nameOf(recipe.graph)},
                {"config", config},
                {"mixing", mixing},
                {"settings", settings},
                {"result", result}}
        .dump();
}

/// Recipe and result, without the weights.
Result<SavedFilter> filterFrom(const std::string& text) {
    const auto bad = [](const std::string& field) {
        return fail(Error::Kind::badFile, "filter, " + field, "is not a value of the right kind",
                    "the file is damaged: train the filter again");
    };
    const json root = json::parse(text, nullptr, false);
    if (!root.is_object()) return bad("recipe");
    SavedFilter filter;
    FilterRecipe& recipe = filter.recipe;
    std::string wrong;
    const json config = part(root, "config", wrong), mixing = part(root, "mixing", wrong),
               settings = part(root, "settings", wrong), result = part(root, "result", wrong);
    std::string graph, kind, start;
    FieldReader{root, wrong}("graph", graph);
    FieldReader{config, wrong}("kind", kind);
    FieldReader{mixing, wrong}("start", start);
    visitConfig(FieldReader{config, wrong}, recipe.config);
    visitMixing(FieldReader{mixing, wrong}, recipe.mixing);
    visitSettings(FieldReader{settings, wrong}, recipe);
    visitResult(FieldReader{result, wrong}, filter.result);
    if (!wrong.empty()) return bad(wrong);
    const auto knownGraph = filterGraphFrom(graph);
    const auto knownKind = attentionKindFrom(kind);
    const auto knownStart = mixingStartFrom(start);
    if (!knownGraph) return bad("graph");
    if (!knownKind) return bad("kind");
    if (!knownStart) return bad("start");
    recipe.graph = *knownGraph;
    recipe.config.kind = *knownKind;
    recipe.mixing.start = *knownStart;
    if (auto fine = validate(recipe); !fine) return tl::unexpected(fine.error());
    return filter;
}

Result<void> checkOrigin(const SafetensorsFile& file) {
    const std::string name = file.path().string(), format = metadataOf(file, "headloom.format");
    if (!file.metadata().contains("headloom.filter"))
        return fail(Error::Kind::badFile, name,
                    "is a safetensors file, but not a filter of Headloom",
                    "open one that \"headloom-cli filter --save\" wrote");
    if (format != formatVersion)
        return fail(Error::Kind::unsupported, name,
                    fmt::format("has filter format \"{}\", but this program reads \"{}\"", format,
                                formatVersion),
                    "use a newer Headloom or train the filter again");
    return {};
}

/// Reads the tensors that the recipe asks for, of the shapes it asks for, and no others.
Result<Weights> weightsFrom(const SafetensorsFile& file, const FilterConfig& config) {
    const auto bad = [](const std::string& tensor, std::string what) {
        return fail(Error::Kind::badFile, tensor, std::move(what),
                    "the file is damaged: train the filter again");
    };
    Weights weights;
    for (const WeightSpec& spec : weightSpecs(config)) {
        const SafetensorsEntry* entry = file.find(spec.name);
        if (!entry) return bad(spec.name, "the tensor is missing");
        const auto wanted = spec.shape.sizes();
        if (!std::equal(entry->shape.begin(), entry->shape.end(), wanted.begin(), wanted.end()))
            return bad(spec.name, fmt::format("is not {} as its recipe says", spec.shape.text()));
        auto tensor = file.read(*entry, DType::f32);
        if (!tensor) return tl::unexpected(tensor.error());
        weights.add(spec.name, std::move(*tensor));
    }
    for (const SafetensorsEntry& entry : file.entries())
        if (!weights.find(entry.name)) return bad(entry.name, "a filter has no such tensor");
    return weights;
}

}  // namespace

Result<SavedFilter> loadFilter(const std::filesystem::path& path) {
    const auto file = SafetensorsFile::open(path);
    if (!file) return tl::unexpected(file.error());
    if (auto fine = checkOrigin(*file); !fine) return tl::unexpected(fine.error());
    const std::string name = path.string();
    auto filter = filterFrom(metadataOf(*file, "headloom.filter"));
    if (!filter) return tl::unexpected(inFile(name, filter.error()));
    if (filter->recipe.config.kind == AttentionKind::iha)
        if (auto fine = checkAlphaOrder(*file); !fine) return tl::unexpected(fine.error());
    auto weights = weightsFrom(*file, filter->recipe.config);
    if (!weights) return tl::unexpected(inFile(name, weights.error()));
    filter->weights = std::move(*weights);
    return filter;
}

Result<void> saveFilter(const std::filesystem::path& path, const SavedFilter& filter) {
    std::map<std::string, std::string> metadata = {
        {"headloom.format", formatVersion},
        {"headloom.filter", textOf(filter)},
        {"headloom.name", filter.recipe.config.summary()}};
    if (filter.recipe.config.kind == AttentionKind::iha)
        metadata["iha.alpha_order"] = ownAlphaOrder;
    return writeSafetensors(path, filter.weights.entries(), metadata);
}

bool isFilterFile(const std::filesystem::path& path) {
    const auto file = SafetensorsFile::open(path);
    return file && file->metadata().contains("headloom.filter");
}

}  // namespace headloom
