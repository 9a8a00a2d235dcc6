#include "app/cli/command.h"
#include "app/cli/edit_options.h"
#include "app/cli/options.h"
#include "core/io/model_file.h"
#include "core/session/bundled.h"
#include "core/session/evaluate.h"
#include "core/session/layer_copies.h"
#include "core/session/recipe.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <memory>
#include <string>

namespace headloom::cli {

namespace {

struct EvalOptions {
    std::string model, task;
    int examples = 1000;
    SettingOptions set;
    EditOptions edits;
    BackendOptions backend;
    bool json = false;
};

/// The task asked for, else the one that the model's recipe names; of the model's own task with its
/// settings, unless others are given.
Result<std::unique_ptr<Task>> taskFor(const EvalOptions& options, const Model& model) {
    auto settings = options.set.read();
    if (!settings) return tl::unexpected(settings.error());
    const auto recipe = recipeFromJson(model.recipe);
    const bool own = recipe && (options.task.empty() || options.task == recipe->task);
    if (!own && !options.task.empty()) return makeTask(options.task, *settings);
    if (model.recipe.empty())
        return fail(Error::Kind::badInput, options.model,
                    "the file does not say what the model was trained on",
                    "name the task with --task");
    if (!recipe) return tl::unexpected(recipe.error());
    if (!settings->count("preset"))
        settings->insert(recipe->taskSettings.begin(), recipe->taskSettings.end());
    return makeTask(recipe->task, *settings);
}

nlohmann::json jsonOf(const Score& score) {
    return {{"accuracy", score.accuracy}, {"exact", score.exact}};
}

nlohmann::json jsonOf(const std::vector<LayerCopies>& layers) {
    nlohmann::json all = nlohmann::json::array();
    for (const LayerCopies& layer : layers) {
        nlohmann::json heads = nlohmann::json::array();
        for (const PseudoCopies& head : layer.heads)
            heads.push_back({{"head", head.head},
                             {"copies", head.copies()},
                             {"smallest", head.smallest},
                             {"mean", head.mean},
                             {"tiles_smallest", head.tilesSmallest},
                             {"tiles_mean", head.tilesMean}});
        all.push_back({{"layer", layer.layer}, {"copies", layer.copies()}, {"heads", heads}});
    }
    return all;
}

void print(const EvalOptions& options, const TaskInfo& task, const Evaluation& evaluation,
           const std::vector<LayerCopies>& layers) {
    if (options.json) {
        nlohmann::json line = {{"model", options.edits.named(options.model)},
                               {"task", task.id},
                               {"examples", evaluation.examples},
                               {"loss", evaluation.loss},
                               {"teacher_forced", jsonOf(evaluation.teacherForced)},
                               {"free_running", nullptr},
                               {"pseudo_heads", jsonOf(layers)}};
        if (evaluation.freeRunning) line["free_running"] = jsonOf(*evaluation.freeRunning);
        fmt::print("{}\n", line.dump());
        return;
    }
    const auto row = [](const char* name, const Score& score) {
        fmt::print("{:<24} accuracy {:.5f}  exact {:.4f}\n", name, score.accuracy, score.exact);
    };
    fmt::print("{} on {} held-out examples of {}: loss {:.5f}\n",
               options.edits.named(options.model), evaluation.examples, task.id, evaluation.loss);
    row("fed the true tokens", evaluation.teacherForced);
    if (evaluation.freeRunning)
        row("feeding itself", *evaluation.freeRunning);
    else
        fmt::print("nothing is generated here: exact counts whole {}\n",
                   task.exactRows ? "rows" : "samples");
    for (const LayerCopies& layer : layers)
        fmt::print("layer {}: {}\n", layer.layer, copiesSentence(layer.heads));
}

Result<ExitCode> evaluate(const EvalOptions& options) {
    const auto threads = options.backend.threadCount(coreCount());
    if (!threads) return tl::unexpected(threads.error());
    const auto file = findModelFile(options.model);
    if (!file) return tl::unexpected(file.error());
    auto loaded = loadModel(*file);
    if (!loaded) return tl::unexpected(loaded.error());
    const auto edited = options.edits.applyTo(std::make_shared<const Model>(std::move(*loaded)));
    if (!edited) return tl::unexpected(edited.error());
    const auto& model = *edited;
    const auto task = taskFor(options, *model);
    if (!task) return tl::unexpected(task.error());
    const auto evaluator =
        Evaluator::make(**task, options.examples, options.backend.name, *threads);
    if (!evaluator) return tl::unexpected(evaluator.error());
    const auto evaluation = (*evaluator)->evaluate(model->config, model->weights, true);
    if (!evaluation) return tl::unexpected(evaluation.error());
    const auto backend = options.backend.open();
    if (!backend) return tl::unexpected(backend.error());
    const auto copies = layerCopies(model->config, model->weights, **task, **backend);
    if (!copies) return tl::unexpected(copies.error());
    print(options, (*task)->info(), *evaluation, *copies);
    return exitDone;
}

}  // namespace

void addEvalCommand(CLI::App& program, Work& work) {
    auto options = std::make_shared<EvalOptions>();
    CLI::App* command = program.add_subcommand(
        "eval", "Measure on held-out examples: accuracy and whole chains exact");
    command->add_option("MODEL", options->model, "model file, or the name of a bundled model")
        ->required();
    command
        ->add_option("--examples", options->examples,
                     "the first N held-out examples (default 1000)")
        ->type_name("N");
    command->add_option("--task", options->task, "on which task (default: the model's own)")
        ->type_name("TASK");
    options->set.addTo(*command);
    options->edits.addTo(*command);
    options->backend.addTo(*command);
    command->add_flag("--json", options->json, "print one JSON object (see below)");
    command->footer(
        "\"fed the true tokens\" (teacher-forced) measures each prediction after a true "
        "beginning;\n"
        "\"feeding itself\" (free-running) lets the model write the chain from the prompt on.\n"
        "--json prints {\"model\", \"task\", \"examples\", \"loss\", \"teacher_forced\":\n"
        "{\"accuracy\", \"exact\"}, \"free_running\": the same, or null where nothing is "
        "generated,\n"
        "\"pseudo_heads\": [{\"layer\", \"copies\", \"heads\": [{\"head\", \"copies\", "
        "\"smallest\", \"mean\",\n"
        "\"tiles_smallest\", \"tiles_mean\"}]}]}: cosines between the maps of a head's "
        "pseudo-heads;\n"
        "above 0.98 they are copies of one another.");
    command->callback([options, &work] { work = [options] { return evaluate(*options); }; });
}

}  // namespace headloom::cli
