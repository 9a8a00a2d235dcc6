#include "app/cli/command.h"
#include "app/cli/options.h"
#include "app/cli/text.h"
#include "core/analysis/cost.h"
#include "core/base/counted.h"
#include "core/base/utf8.h"
#include "core/io/model_file.h"
#include "core/session/bundled.h"
#include "core/session/filter_file.h"
#include "core/session/recipe.h"

#include <fmt/format.h>

#include <memory>

namespace headloom::cli {

namespace {

void showBackends() {
    fmt::print("Backends\n");
    for (const std::string& name : backendNames()) {
        if (name == "auto") continue;
        BackendOptions options;
        options.name = name;
        const auto backend = options.open();
        fmt::print("  {:<10} {}\n", name,
                   backend ? (*backend)->info().description : backend.error().sentence());
    }
}

void showExamples() {
    fmt::print("\nBundled models\n");
    const auto assets = assetsFolder();
    if (!assets) return fmt::print("  none: {}\n", assets.error().sentence());
    auto examples = bundledExamples(*assets);
    if (BundledExample filters = bundledFilters(*assets); !filters.models.empty())
        examples.push_back(std::move(filters));
    if (examples.empty()) fmt::print("  none in {}\n", (*assets / "models").string());
    for (const BundledExample& example : examples) {
        fmt::print("  {}. {}\n", example.title, example.hint);
        for (const BundledModel& model : example.models)
            fmt::print("    {:<26} {}\n", model.name, model.title);
    }
}

/// What can be learnt, and what a user may set in it.
Result<ExitCode> showTasks() {
    for (const std::string& id : taskIds()) {
        const auto task = makeTask(id);
        const auto choices = taskChoices(id);
        if (!task) return tl::unexpected(task.error());
        if (!choices) return tl::unexpected(choices.error());
        fmt::print("{}: {}\n", id, (*task)->info().title);
        for (const TaskSetting& setting : choices->settings)
            fmt::print("  {}={} ({})\n      {}\n", setting.name, setting.standard, setting.range(),
                       setting.sentence);
        for (const TaskPreset& preset : choices->presets)
            fmt::print("  preset={}\n      {}\n", preset.name, preset.title);
    }
    return exitDone;
}

Result<ExitCode> showProgram() {
    fmt::print("headloom-cli {}\n\n", HEADLOOM_VERSION);
    showBackends();
    showExamples();
    return exitDone;
}

void showLayers(const ModelConfig& config) {
    Table table({"layer", "kind", "P", "mask", "score", "window", "positions", "collapse",
                 "mixing parameters"});
    for (int i = 0; i < config.nLayers(); ++i) {
        const LayerConfig& layer = config.layers[static_cast<std::size_t>(i)];
        const bool interleaves = layer.kind == AttentionKind::iha;
        std::string positions(nameOf(layer.positions));
        if (layer.positionFactor != 1) positions += fmt::format(" x {}", layer.positionFactor);
        table.add({std::to_string(i), std::string(nameOf(layer.kind)),
                   std::to_string(layer.nPseudo), std::string(nameOf(layer.mask)),
                   std::string(nameOf(layer.score)),
                   layer.window > 0 ? std::to_string(layer.window) : "none", positions,
                   interleaves ? std::string(nameOf(layer.collapse)) : "-",
                   mixingParameterFormula(config, i)});
    }
    fmt::print("\n{}", table.text());
}

void showCost(const ModelConfig& config) {
    const Cost cost = costOf(config, config.nCtx);
    fmt::print(
        "\nOne pass over {} tokens: {} score entries, {} flops, {} bytes of keys and values; "
        "{} maps in layer 0.\n",
        config.nCtx, cost.scoreEntries, cost.flops, cost.cacheBytes, cost.patterns);
}

void showRecipe(const std::string& text) {
    if (text.empty()) return fmt::print("\nThe file does not say how it was trained.\n");
    const auto recipe = recipeFromJson(text);
    if (!recipe) return fmt::print("\nIts recipe cannot be read: {}\n", recipe.error().sentence());
    const TrainSettings& settings = recipe->settings;
    fmt::print("\nTrained on {}, arm {}, seed {}: at most {} steps of {} samples at rate {}.\n",
               recipe->task, recipe->arm, recipe->seed, settings.steps, settings.batch,
               settings.learningRate);
    std::string set;
    for (const auto& [name, value] : recipe->taskSettings)
        set += fmt::format("{}{}={}", set.empty() ? "" : ", ", name, value);
    if (!set.empty()) fmt::print("Set in the task: {}.\n", set);
    if (!recipe->measured) return;
    const Measured& measured = *recipe->measured;
    fmt::print(
        "Measured after {} steps on {} held-out examples: accuracy {:.4f}, whole chain {:.4f}"
        "; {:.1f} s ({} x {}).\n",
        measured.steps, measured.examples, measured.accuracy, measured.exact, measured.seconds,
        measured.threads, measured.backend);
}

void showTensors(const Weights& weights) {
    Table table({"parameters", "shape", "tensor"});
    for (const auto& [name, tensor] : weights.entries())
        table.add({std::to_string(tensor.count()), tensor.shape().text(), name});
    table.add({std::to_string(weights.parameterCount()), "", "all"});
    fmt::print("\n{}", table.text());
}

Result<ExitCode> showFilter(const std::filesystem::path& file) {
    const auto filter = loadFilter(file);
    if (!filter) return tl::unexpected(filter.error());
    const FilterRecipe& recipe = filter->recipe;
    const FilterConfig& config = recipe.config;
    const FilterResult& result = filter->result;
    fmt::print("{}\n{}\n\n", file.string(), config.summary());
    fmt::print("{} filter, k = {}, N = {}, d = {}: linear attention, no tokens\n",
               nameOf(recipe.graph), config.order, config.nNodes, config.dNode);
    fmt::print("Trained from seed {} for {} steps of {} samples; restarts: {}{}.\n", recipe.seed,
               recipe.steps, recipe.batch, result.restarts,
               result.restarts > 0 ? fmt::format(", kept seed {}", result.seed) : "");
    fmt::print(
        "Measured on {} samples: relative MSE {:.3g}; floor of MHA with H = {}: {:.4f}; CPU {:.2f} "
        "s, all attempts.\n",
        recipe.evaluateSamples, result.relativeError, config.nHeads, mhaFloor(recipe).expected,
        result.cpuSeconds);
    showTensors(filter->weights);
    return exitDone;
}

Result<ExitCode> showModel(const std::string& named) {
    const auto file = findModelFile(named);
    if (!file) return tl::unexpected(file.error());
    if (isFilterFile(*file)) return showFilter(*file);
    const auto model = loadModel(*file);
    if (!model) return tl::unexpected(model.error());
    const ModelConfig& config = model->config;
    std::string tokens;
    for (const std::string& token : model->vocabulary.tokens()) tokens += " " + visible(token);
    fmt::print("{}\n{}\n{}\n\n", file->string(), model->name, config.summary());
    fmt::print("D = {}, H = {}, d = {}, MLP {}, {} norm, {}learned positions, rope theta {}\n",
               config.dModel, config.nHeads, config.dHead(), config.dMlp, nameOf(config.norm),
               config.learnedPositions ? "" : "no ", config.ropeTheta);
    fmt::print("context {} tokens, {} a token, vocabulary of {}:{}\n", config.nCtx,
               counted(config.nSlots, "answer"), config.dVocab, tokens);
    if (config.dVocabOut > 0)
        fmt::print("answers are among the first {} tokens\n", config.dVocabOut);
    if (model->vocabulary.mostSummed() > 1)
        fmt::print("up to {} tokens share a position, as in {}\n", model->vocabulary.mostSummed(),
                   visible(model->vocabulary.text(model->vocabulary.sumOf({0, 1}))));
    if (model->vocabulary.endToken() >= 0)
        fmt::print("a chain ends with {}\n",
                   visible(model->vocabulary.text(model->vocabulary.endToken())));
    showLayers(config);
    showCost(config);
    showRecipe(model->recipe);
    showTensors(model->weights);
    return exitDone;
}

}  // namespace

void addInfoCommand(CLI::App& program, Work& work) {
    auto model = std::make_shared<std::string>();
    CLI::App* command =
        program.add_subcommand("info", "Show the backends and bundled models, or one model");
    CLI::Option* named = command
                             ->add_option("MODEL", *model,
                                          "a model file, or the name of a bundled model: show its\n"
                                          "configuration, cost, recipe and tensors")
                             ->type_name("NAME");
    auto tasks = std::make_shared<bool>(false);
    command->add_flag("--tasks", *tasks, "show the toy tasks and what can be set in them")
        ->excludes(named);
    command->callback([model, tasks, &work] {
        work = [model, tasks] {
            return *tasks ? showTasks() : model->empty() ? showProgram() : showModel(*model);
        };
    });
}

}  // namespace headloom::cli
