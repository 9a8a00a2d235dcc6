#include "core/io/architectures/load_checkpoint.h"

#include "core/io/architectures/config_values.h"
#include "core/io/architectures/weight_checks.h"
#include "core/io/model_file.h"
#include "core/io/model_name.h"
#include "core/models/guarded.h"

#include <fmt/format.h>

#include <algorithm>

namespace headloom {

namespace {

std::string tensorsAre(std::size_t count) {
    return count == 1 ? "1 tensor is" : fmt::format("{} tensors are", count);
}

constexpr std::uintmax_t largestConfiguration = 1 << 24;

/// A configuration's name with {number} written out: the digits that a checkpoint's name ends with.
std::string numbered(std::string name, const std::filesystem::path& checkpoint) {
    constexpr std::string_view placeholder = "{number}";
    const auto at = name.find(placeholder);
    if (at == std::string::npos) return name;
    const std::string stem = checkpoint.stem().string();
    const auto last = stem.find_last_not_of("0123456789");
    return name.replace(at, placeholder.size(),
                        stem.substr(last == std::string::npos ? 0 : last + 1));
}

/// The configuration beside a checkpoint: under one of the architecture's names in its folder, or
/// under the checkpoint's own name with .json.
std::optional<std::filesystem::path> configBeside(const std::filesystem::path& path,
                                                  const ArchitectureMap& map) {
    if (map.files.empty()) return std::nullopt;
    std::error_code ignored;
    const bool isFolder = std::filesystem::is_directory(path, ignored);
    const std::filesystem::path folder = isFolder ? path : path.parent_path();
    std::vector<std::filesystem::path> candidates;
    if (!isFolder) {
        std::filesystem::path own = path;
        candidates.push_back(own.replace_extension(".json"));
    }
    for (const std::string& name : map.files) candidates.push_back(folder / numbered(name, path));
    for (const std::filesystem::path& candidate : candidates)
        if (candidate != path && std::filesystem::is_regular_file(candidate, ignored))
            return candidate;
    return std::nullopt;
}

Result<Settings> readConfig(const std::filesystem::path& path) {
    const auto file = SourceFile::open(path);
    if (!file) return tl::unexpected(file.error());
    if (file->bytes.size() > largestConfiguration)
        return fail(Error::Kind::badFile, file->name(), "is too large for a configuration",
                    "move it away from the checkpoint");
    return flattenJson(file->text(), file->name());
}

/// Whether the file itself answers a question of the map's.
bool answersInside(const TensorSource& source, const ArchitectureMap& map) {
    const auto known = [&](const std::string& key) { return source.metadata().contains(key); };
    return std::any_of(map.config.begin(), map.config.end(), [&](const auto& setting) {
        return std::any_of(setting.second.begin(), setting.second.end(), known);
    });
}

/// The configuration of an own file that has all of its tensors; of a damaged one, loading says
/// what is wrong.
std::optional<ModelConfig> ownConfig(const TensorSource& source) {
    const auto text = source.metadata().find("headloom.config");
    if (text == source.metadata().end()) return std::nullopt;
    auto config = configFromJson(text->second);
    if (!config) return std::nullopt;
    for (const WeightSpec& spec : weightSpecs(*config)) {
        const TensorEntry* entry = source.find(spec.name);
        const auto sizes = spec.shape.sizes();
        if (!entry ||
            !std::equal(sizes.begin(), sizes.end(), entry->shape.begin(), entry->shape.end()))
            return std::nullopt;
    }
    return std::move(*config);
}

/// Our own files say all of it themselves; `key` is the metadata by which they are known.
Result<LoadedCheckpoint> ownModel(const std::filesystem::path& path,
                                  std::shared_ptr<const TensorSource> source,
                                  const std::string& key, const LoadOptions& options) {
    LoadedCheckpoint loaded;
    loaded.report.container = source->format();
    loaded.report.architecture = "headloom";
    loaded.report.title = "a model of this program";
    loaded.report.reason = "its metadata has " + key;
    loaded.report.configSource = "the file itself";
    for (const TensorEntry& entry : source->entries()) {
        loaded.report.tensors.push_back({entry.name, TensorUse::used, {entry.name}});
        ++loaded.report.types[entry.typeName];
    }
    if (!options.weights) loaded.config = ownConfig(*source);
    if (!loaded.config) {
        auto model = loadModel(path, options.progress);
        if (!model && model.error().kind == Error::Kind::interrupted)
            return tl::unexpected(model.error());
        if (model) {
            loaded.config = model->config;
            loaded.model = std::move(*model);
        } else {
            loaded.report.notRunnable = model.error().sentence();
        }
    }
    if (loaded.config) loaded.report.headTied = loaded.config->tiedHead;
    loaded.source = std::move(source);
    return loaded;
}

const char* readable(const std::string& setting) {
    return setting == "normEpsilon"  ? "the epsilon of the norms"
           : setting == "ropeTheta"  ? "the base of the rotary frequencies"
           : setting == "activation" ? "the activation of the MLP"
                                     : setting.c_str();
}

void reportAssumptions(const ConfigValues& values, const ModelConfig& config, LoadReport& report) {
    for (const auto& [setting, value] : values.assumed()) {
        if (setting == "positions" || (setting == "ropeTheta" && config.learnedPositions)) continue;
        report.notes.push_back(fmt::format("{} is not stated: {} is assumed (--set {}=...)",
                                           readable(setting), value, setting));
    }
}

Result<void> load(const ArchitectureMap& map, const ConfigValues& values,
                  const LoadOptions& options, LoadedCheckpoint& loaded) {
    LoadReport& report = loaded.report;
    const auto stays = [&](const Error& error) { report.notRunnable = error.sentence(); };
    const auto tensors = matchTensors(*loaded.source, map);
    if (!tensors) return stays(tensors.error()), Result<void>();
    report.tensors = tensors->fates;
    for (const auto& [name, piece] : tensors->pieces)
        if (piece.part == 0) ++report.types[piece.entry->typeName];
    if (const auto plan = planModel(map, values, *loaded.source, *tensors, report); !plan) {
        stays(plan.error());
    } else {
        reportAssumptions(values, plan->config, report);
        if (plan->config.tiedHead)
            if (const Piece* head = tensors->find("unembed.W_U"))
                for (TensorFate& fate : report.tensors)
                    if (fate.name == head->entry->name) fate.use = TensorUse::tied;
        if (const std::size_t strange = report.count(TensorUse::unexpected); strange > 0)
            report.warnings.push_back(fmt::format("{} unexpected: what {} in the model is left out",
                                                  tensorsAre(strange),
                                                  strange == 1 ? "it does" : "they do"));
        report.missing = missingTensors(*plan, map, *tensors);
        if (!report.missing.empty())
            return stays(
                       Error{Error::Kind::badFile, map.title,
                             fmt::format("{} missing, the first is {}",
                                         tensorsAre(report.missing.size()), report.missing.front()),
                             "download the rest of the checkpoint"}),
                   Result<void>();
        loaded.config = plan->config;
        if (!options.weights) return {};
        auto weights = readWeights(*plan, *loaded.source, *tensors, options.progress);
        if (!weights && weights.error().kind == Error::Kind::interrupted)
            return tl::unexpected(weights.error());
        if (!weights) {
            loaded.config.reset();
            return stays(weights.error()), Result<void>();
        }
        for (std::string& strange : checkNumbers(*weights))
            report.warnings.push_back(std::move(strange));
        Model model;
        model.config = plan->config;
        model.weights = std::move(*weights);
        loaded.model = std::move(model);
    }
    return {};
}

/// Picks the map, asks `configFor` for the configuration that goes with it, and loads.
template <class ConfigFor>
Result<LoadedCheckpoint> loadAny(std::shared_ptr<const TensorSource> source,
                                 const LoadOptions& options, ConfigFor configFor) {
    LoadedCheckpoint loaded;
    loaded.source = std::move(source);
    LoadReport& report = loaded.report;
    report.container = loaded.source->format();
    report.warnings = loaded.source->warnings();
    std::vector<const ArchitectureMap*> maps;
    for (const ArchitectureMap& map : options.maps) maps.push_back(&map);
    for (const ArchitectureMap& map : builtinArchitectures()) maps.push_back(&map);
    const auto recognised = recognise(*loaded.source, maps);
    const ArchitectureMap* map = recognised.first;
    report.reason = recognised.second;
    if (!map) {
        for (const TensorEntry& entry : loaded.source->entries())
            report.tensors.push_back({entry.name, TensorUse::unexpected, {}});
        report.notRunnable =
            !loaded.source->entries().empty()
                ? "no known architecture has these tensors; look at them one by one."
            : loaded.source->metadata().contains("tokenizer.ggml.model")
                ? "it holds a tokenizer and no tensors: name it as the tokenizer of a model."
                : "it holds no tensors.";
        return loaded;
    }
    report.architecture = map->name;
    report.title = map->title;
    Result<Settings> stored = configFor(*map, report.configSource);
    if (!stored) return tl::unexpected(stored.error());
    // what stands in the file itself belongs to it for certain
    for (const auto& [key, value] : loaded.source->metadata()) (*stored)[key] = value;
    if (answersInside(*loaded.source, *map))
        report.configSource +=
            report.configSource.empty() ? "the file itself" : " and the file itself";
    const ConfigValues values(*map, options.settings, std::move(*stored));
    if (!values.type().empty())
        report.reason += fmt::format(", and {} is {}", values.keyOf("type"), values.type());
    if (const auto bos = values.integer("bos"); bos && *bos >= 0 && *bos < (1 << 24))
        loaded.bos = static_cast<int>(*bos);
    const auto done = guarded([&] { return load(*map, values, options, loaded); });
    if (!done) return tl::unexpected(done.error());
    return loaded;
}

}  // namespace

Result<LoadedCheckpoint> loadCheckpoint(const std::filesystem::path& path,
                                        const LoadOptions& options) {
    auto source = openTensorSource(path);
    if (!source) return tl::unexpected(source.error());
    for (const char* own : {"headloom.config", "headloom.filter"})  // a filter is refused as one
        if ((*source)->metadata().contains(own)) return ownModel(path, *source, own, options);
    auto loaded = loadAny(*source, options,
                          [&](const ArchitectureMap& map, std::string& from) -> Result<Settings> {
                              const auto beside = configBeside(path, map);
                              if (!beside) return Settings{};
                              from = beside->string();
                              return readConfig(*beside);
                          });
    if (loaded && loaded->model) loaded->model->name = modelName(path);
    return loaded;
}

Result<LoadedCheckpoint> loadCheckpoint(std::shared_ptr<const TensorSource> source, Settings config,
                                        const LoadOptions& options) {
    return loadAny(std::move(source), options,
                   [&](const ArchitectureMap&, std::string& from) -> Result<Settings> {
                       if (!config.empty()) from = "given";
                       return std::move(config);
                   });
}

Result<std::vector<LoadedCheckpoint>> loadEveryAnswer(const std::filesystem::path& path,
                                                      const LoadOptions& options) {
    std::vector<LoadedCheckpoint> all;
    auto first = loadCheckpoint(path, options);
    if (!first) return tl::unexpected(first.error());
    const auto question = first->report.question;
    if (!question) {
        all.push_back(std::move(*first));
        return all;
    }
    for (const std::string& answer : question->answers) {
        LoadOptions answered = options;
        answered.settings[question->setting] = answer;
        auto loaded = loadCheckpoint(path, answered);
        if (!loaded) return tl::unexpected(loaded.error());
        all.push_back(std::move(*loaded));
    }
    return all;
}

}  // namespace headloom
