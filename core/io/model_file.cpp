#include "core/io/model_file.h"

#include "core/io/model_name.h"
#include "core/io/own_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace headloom {

namespace {

constexpr const char* formatVersion = "1";

bool interleaves(const ModelConfig& config) {
    return std::any_of(config.layers.begin(), config.layers.end(),
                       [](const LayerConfig& layer) { return layer.kind == AttentionKind::iha; });
}

Result<void> checkOrigin(const SafetensorsFile& file) {
    const std::string name = file.path().string(), format = metadataOf(file, "headloom.format");
    if (file.metadata().contains("headloom.filter"))
        return fail(Error::Kind::unsupported, name, "holds a graph filter, which reads no tokens",
                    "show it with \"headloom-cli info\", or open a model of tokens");
    if (!file.metadata().contains("headloom.config"))
        return fail(Error::Kind::badFile, name,
                    "is a safetensors file, but not a Headloom model (it has no headloom.config)",
                    "open a model that \"headloom-cli train\" wrote");
    if (format != formatVersion)
        return fail(Error::Kind::unsupported, name,
                    fmt::format("has model format \"{}\", but this program reads \"{}\"", format,
                                formatVersion),
                    "use a newer Headloom or train the model again");
    return {};
}

Result<void> checkVocabulary(const Model& model) {
    const int size = model.vocabulary.size();
    if (size > 0 && size != model.config.dVocab)
        return fail(
            Error::Kind::badFile, "vocabulary",
            fmt::format("lists {} tokens, but the configuration has {}", size, model.config.dVocab),
            "the file is damaged: train the model again");
    if (model.vocabulary.endToken() >= std::max(size, model.config.dVocab))
        return fail(
            Error::Kind::badFile, "vocabulary",
            fmt::format("the end token {} is not one of its tokens", model.vocabulary.endToken()),
            "the file is damaged: train the model again");
    return {};
}

Result<std::map<std::string, Tensor>> readAll(const SafetensorsFile& file,
                                              const Progress& progress) {
    LoadProgress reached;
    const auto bytesOf = [](const SafetensorsEntry& entry) {
        std::uint64_t bytes = sizeof(float);
        for (const std::int64_t size : entry.shape) bytes *= static_cast<std::uint64_t>(size);
        return bytes;
    };
    for (const SafetensorsEntry& entry : file.entries()) reached.total += bytesOf(entry);
    const auto goOn = [&] { return !progress || progress(reached); };
    std::map<std::string, Tensor> tensors;
    for (const SafetensorsEntry& entry : file.entries()) {
        auto tensor = file.read(entry, DType::f32, goOn);
        if (!tensor) return tl::unexpected(tensor.error());
        tensors[entry.name] = std::move(*tensor);
        reached.done += bytesOf(entry);
    }
    if (!goOn()) return fail(Error::Kind::interrupted, {}, "stopped");
    return tensors;
}

}  // namespace

Result<Model> loadModel(const std::filesystem::path& path, const Progress& progress) {
    const auto file = SafetensorsFile::open(path);
    if (!file) return tl::unexpected(file.error());
    if (auto fine = checkOrigin(*file); !fine) return tl::unexpected(fine.error());
    const std::string name = path.string();

    Model model;
    model.name = metadataOf(*file, "headloom.name");
    if (model.name.empty()) model.name = modelName(path);
    auto config = configFromJson(metadataOf(*file, "headloom.config"));
    if (!config) return tl::unexpected(inFile(name, config.error()));
    model.config = std::move(*config);
    if (interleaves(model.config))
        if (auto fine = checkAlphaOrder(*file); !fine) return tl::unexpected(fine.error());
    if (const std::string text = metadataOf(*file, "headloom.vocabulary"); !text.empty()) {
        auto vocabulary = Vocabulary::fromJson(text);
        if (!vocabulary) return tl::unexpected(inFile(name, vocabulary.error()));
        model.vocabulary = std::move(*vocabulary);
    }
    if (auto fine = checkVocabulary(model); !fine)
        return tl::unexpected(inFile(name, fine.error()));
    model.recipe = metadataOf(*file, "headloom.recipe");

    auto tensors = readAll(*file, progress);
    if (!tensors) return tl::unexpected(tensors.error());
    // In the order of the configuration; what it does not name follows, for checkWeights to refuse.
    for (const WeightSpec& spec : weightSpecs(model.config))
        if (auto node = tensors->extract(spec.name)) model.weights.add(node.key(), node.mapped());
    for (const auto& [key, tensor] : *tensors) model.weights.add(key, tensor);
    if (auto fine = checkWeights(model.config, model.weights); !fine)
        return tl::unexpected(inFile(name, fine.error()));
    return model;
}

Result<void> saveModel(const std::filesystem::path& path, const Model& model) {
    std::map<std::string, std::string> metadata = {
        {"headloom.format", formatVersion},
        {"headloom.config", toJson(model.config)},
        {"headloom.vocabulary", model.vocabulary.toJson()}};
    if (!model.name.empty()) metadata["headloom.name"] = model.name;
    if (!model.recipe.empty()) metadata["headloom.recipe"] = model.recipe;
    if (interleaves(model.config)) metadata["iha.alpha_order"] = ownAlphaOrder;
    return writeSafetensors(path, model.weights.entries(), metadata);
}

}  // namespace headloom
