#include "core/session/checkpoint.h"

#include "core/io/own_files.h"

#include <nlohmann/json.hpp>

#include <map>

namespace headloom {

using nlohmann::json;

namespace {

constexpr const char* versionKey = "headloom.checkpoint";
constexpr const char* version = "1";
constexpr const char* progressKey = "headloom.progress";
constexpr const char* recipeKey = "headloom.recipe";

/// The tensors of one kind, "adam.m." + name, in the order of the weights.
Result<Weights> readAll(const SafetensorsFile& file, const ModelConfig& config,
                        const std::string& prefix) {
    Weights weights;
    for (const WeightSpec& spec : weightSpecs(config)) {
        const SafetensorsEntry* entry = file.find(prefix + spec.name);
        if (!entry)
            return fail(Error::Kind::badFile, file.path().string(),
                        "the tensor " + prefix + spec.name + " is missing",
                        "start the training again");
        auto tensor = file.read(*entry, DType::f32);
        if (!tensor) return tl::unexpected(tensor.error());
        weights.add(spec.name, std::move(*tensor));
    }
    if (auto fine = checkWeights(config, weights); !fine) return tl::unexpected(fine.error());
    return weights;
}

}  // namespace

Result<void> saveCheckpoint(const std::filesystem::path& path, const Checkpoint& checkpoint) {
    std::vector<std::pair<std::string, Tensor>> tensors = checkpoint.state.weights.entries();
    for (const auto& [name, tensor] : checkpoint.state.firstMoments.entries())
        tensors.emplace_back("adam.m." + name, tensor);
    for (const auto& [name, tensor] : checkpoint.state.secondMoments.entries())
        tensors.emplace_back("adam.v." + name, tensor);
    const json progress = {{"step", checkpoint.state.step},
                           {"nextSample", checkpoint.state.nextSample},
                           {"threads", checkpoint.threads},
                           {"seconds", checkpoint.seconds},
                           {"cpuSeconds", checkpoint.cpuSeconds}};
    return writeSafetensors(path, std::move(tensors),
                            {{versionKey, version},
                             {recipeKey, toJson(checkpoint.recipe)},
                             {progressKey, progress.dump()}});
}

Result<Checkpoint> loadCheckpoint(const std::filesystem::path& path) {
    const auto file = SafetensorsFile::open(path);
    if (!file) return tl::unexpected(file.error());
    const std::string name = path.string();
    if (metadataOf(*file, versionKey) != version)
        return fail(Error::Kind::badFile, name, "is not a training checkpoint of this version",
                    "resume from the file that an interrupted training named");
    auto recipe = recipeFromJson(metadataOf(*file, recipeKey));
    if (!recipe) return tl::unexpected(recipe.error());

    Checkpoint checkpoint;
    checkpoint.recipe = std::move(*recipe);
    const json progress = json::parse(metadataOf(*file, progressKey), nullptr, false);
    const auto number = [&](const char* key, auto& out) {
        if (!progress.is_object() || !progress.contains(key) || !progress[key].is_number())
            return false;
        progress[key].get_to(out);
        return true;
    };
    if (!number("step", checkpoint.state.step) ||
        !number("nextSample", checkpoint.state.nextSample) ||
        !number("threads", checkpoint.threads) || !number("seconds", checkpoint.seconds) ||
        !number("cpuSeconds", checkpoint.cpuSeconds) || checkpoint.state.step < 0 ||
        checkpoint.threads < 1)
        return fail(Error::Kind::badFile, name, "does not say how far the training came",
                    "start the training again");
    const std::pair<const char*, Weights*> parts[] = {{"", &checkpoint.state.weights},
                                                      {"adam.m.", &checkpoint.state.firstMoments},
                                                      {"adam.v.", &checkpoint.state.secondMoments}};
    for (const auto& [prefix, weights] : parts) {
        auto read = readAll(*file, checkpoint.recipe.config, prefix);
        if (!read) return tl::unexpected(read.error());
        *weights = std::move(*read);
    }
    return checkpoint;
}

}  // namespace headloom
