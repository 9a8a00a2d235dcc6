#include "app/cli/command.h"
#include "app/cli/interrupt.h"
#include "app/cli/options.h"
#include "core/base/counted.h"
#include "core/io/model_file.h"
#include "core/session/training_run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>

namespace headloom::cli {

namespace {

struct TrainOptions {
    std::string task, arm = "iha", out, resume, checkpoint;
    std::uint64_t seed = 0;
    std::optional<std::int64_t> steps, evaluateEvery;
    std::optional<double> seconds, learningRate, goal;
    std::optional<std::string> start;
    std::optional<double> noise;
    std::optional<int> batch, evaluateExamples;
    std::string score;
    SettingOptions set;
    BackendOptions backend;
    double saveEvery = 1;
    bool json = false, deterministic = false;
};

tl::unexpected<Error> bad(std::string where, std::string what, std::string remedy) {
    return fail(Error::Kind::badInput, std::move(where), std::move(what), std::move(remedy));
}

/// What the command line changes in a recipe or in one that is resumed.
Result<void> apply(const TrainOptions& options, TrainSettings& settings) {
    settings.steps = options.steps.value_or(settings.steps);
    settings.seconds = options.seconds.value_or(settings.seconds);
    settings.learningRate = options.learningRate.value_or(settings.learningRate);
    settings.batch = options.batch.value_or(settings.batch);
    settings.evaluateEvery = options.evaluateEvery.value_or(settings.evaluateEvery);
    settings.evaluateExamples = options.evaluateExamples.value_or(settings.evaluateExamples);
    settings.goal = options.goal.value_or(settings.goal);
    if (options.seconds && !(*options.seconds > 0))
        return bad("--seconds", "the time must be above 0", "give for example 60");
    if (settings.evaluateEvery < 0)
        return bad("--eval-every", "the number of steps cannot be negative",
                   "give for example 100, or 0 for only at the end");
    return {};
}

/// --init and --noise, for models that have something to mix with.
Result<void> apply(const TrainOptions& options, const ModelConfig& config, MixingInit& mixing) {
    if (!options.start && !options.noise) return {};
    bool mixes = false;
    for (const WeightSpec& spec : weightSpecs(config)) mixes |= spec.role == WeightRole::mixing;
    if (!mixes)
        return bad(options.start ? "--init" : "--noise", "this arm has no mixing to start",
                   "leave it out or choose another arm");
    if (options.start) {
        const auto start = mixingStartFrom(*options.start);
        if (!start) return bad("--init", start.error().what, start.error().remedy);
        mixing.start = *start;
    }
    if (!options.noise) return {};
    if (mixing.start == MixingStart::identity)
        return bad("--noise", "the initialisation \"identity\" has no noise",
                   "use --init identity+noise, or leave --noise out");
    if (!(*options.noise >= 0 && *options.noise <= 100))
        return bad("--noise", "the deviation of the noise must lie in 0..100",
                   "give for example 0.3");
    mixing.alphaNoise = mixing.collapseNoise = *options.noise;
    return {};
}

/// Refuses a place that cannot be written now rather than after the training.
Result<void> checkFolder(const std::filesystem::path& file) {
    const std::filesystem::path folder = file.has_parent_path() ? file.parent_path() : ".";
    std::error_code ignored;
    if (std::filesystem::is_directory(file, ignored))
        return bad(file.string(), "is a folder", "name a file");
    if (!std::filesystem::is_directory(folder, ignored))
        return fail(Error::Kind::notFound, folder.string(), "there is no such folder",
                    "create it or name another file");
    return {};
}

/// A new training does not write over what another one has saved.
Result<void> checkKept(const TrainOptions& options) {
    std::error_code ignored;
    if (!std::filesystem::exists(options.checkpoint, ignored) ||
        (!options.resume.empty() &&
         std::filesystem::equivalent(options.resume, options.checkpoint, ignored)))
        return {};
    return bad(options.checkpoint, "an interrupted training was saved there",
               "go on with --resume, or delete it, or name another file with --checkpoint");
}

void print(const TrainingProgress& progress, const TrainOptions& options) {
    const Score score = progress.evaluation.freeRunning.value_or(progress.evaluation.teacherForced);
    if (options.json) {
        const nlohmann::json line = {{"step", progress.step},
                                     {"steps", progress.steps},
                                     {"loss", progress.loss},
                                     {"learning_rate", progress.learningRate},
                                     {"accuracy", progress.evaluation.teacherForced.accuracy},
                                     {"exact", score.exact},
                                     {"steps_per_second", progress.stepsPerSecond},
                                     {"seconds", progress.seconds},
                                     {"cpu_seconds", progress.cpuSeconds}};
        fmt::print("{}\n", line.dump());
    } else {
        fmt::print(
            "step {:>6} of {}  loss {:.4f}  accuracy {:.4f}  exact {:.4f}  {:.0f} steps/s  "
            "{:.1f} s, CPU {:.1f} s\n",
            progress.step, progress.steps, progress.loss,
            progress.evaluation.teacherForced.accuracy, score.exact, progress.stepsPerSecond,
            progress.seconds, progress.cpuSeconds);
    }
    std::fflush(stdout);
}

void printStart(const TrainingRun& run, const TrainOptions& options, int threads) {
    if (options.json) return;
    const Recipe& recipe = run.recipe();
    const Model model = run.model();
    fmt::print("{}, {}: {} parameters, seed {}, {} of {} samples, {}\n", recipe.task, model.name,
               model.weights.parameterCount(), recipe.seed,
               recipe.settings.seconds > 0 ? fmt::format("{} s", recipe.settings.seconds)
                                           : fmt::format("{} steps", recipe.settings.steps),
               recipe.settings.batch, counted(threads, "thread"));
    std::fflush(stdout);
}

void printEnd(const Recipe& recipe, bool goalReached, const TrainOptions& options) {
    const Measured& measured = *recipe.measured;
    if (options.json) {
        nlohmann::json line = {{"model", options.out},
                               {"recipe", nlohmann::json::parse(toJson(recipe))}};
        if (recipe.settings.goal > 0) line["goal_reached"] = goalReached;
        fmt::print("{}\n", line.dump());
        return;
    }
    if (recipe.settings.goal > 0)
        fmt::print("goal of {} exact {}\n", recipe.settings.goal,
                   goalReached ? fmt::format("reached at step {}", measured.steps) : "not reached");
    fmt::print(
        "{}: exact {:.4f}, accuracy {:.5f} on {} held-out examples after {} steps, CPU "
        "{:.1f} s\n",
        options.out, measured.exact, measured.accuracy, measured.examples, measured.steps,
        measured.cpuSeconds);
}

Result<std::unique_ptr<TrainingRun>> begin(const TrainOptions& options, int& threads) {
    if (!options.resume.empty()) {
        if (options.start || options.noise)
            return bad(options.start ? "--init" : "--noise",
                       "a training that is resumed has started already", "leave it out");
        if (options.deterministic)
            return bad("--deterministic", "a training that is resumed keeps its shards",
                       "leave it out");
        auto checkpoint = loadCheckpoint(options.resume);
        if (!checkpoint) return tl::unexpected(checkpoint.error());
        if (auto fine = apply(options, checkpoint->recipe.settings); !fine)
            return tl::unexpected(fine.error());
        if (!options.backend.threads) threads = checkpoint->threads;
        return TrainingRun::resume(*checkpoint, options.backend.name, threads);
    }
    if (options.task.empty())
        return bad("TASK", "no task was given",
                   fmt::format("use one of: {}", fmt::join(taskIds(), ", ")));
    const auto taskSettings = options.set.read();
    if (!taskSettings) return tl::unexpected(taskSettings.error());
    auto recipe = makeRecipe(options.task, options.arm, options.seed, *taskSettings);
    if (!recipe) return tl::unexpected(recipe.error());
    if (!options.score.empty()) {
        const auto score = scoreFrom(options.score);
        if (!score) return tl::unexpected(score.error());
        for (LayerConfig& layer : recipe->config.layers) layer.score = *score;
    }
    if (auto fine = apply(options, recipe->settings); !fine) return tl::unexpected(fine.error());
    if (auto fine = apply(options, recipe->config, recipe->mixing); !fine)
        return tl::unexpected(fine.error());
    if (options.deterministic) recipe->settings.shards = deterministicShards;
    return TrainingRun::start(*recipe, options.backend.name, threads);
}

Result<ExitCode> train(TrainOptions options) {
    if (options.checkpoint.empty()) options.checkpoint = options.out + ".checkpoint";
    for (const std::string& file : {options.out, options.checkpoint})
        if (auto fine = checkFolder(file); !fine) return tl::unexpected(fine.error());
    if (auto fine = checkKept(options); !fine) return tl::unexpected(fine.error());
    const auto wanted = options.backend.threadCount(1);
    if (!wanted) return tl::unexpected(wanted.error());
    int threads = *wanted;
    const auto run = begin(options, threads);
    if (!run) return tl::unexpected(run.error());
    printStart(**run, options, threads);

    TrainingCallbacks callbacks;
    callbacks.progress = [&](const TrainingProgress& progress) { print(progress, options); };
    callbacks.cancelled = interrupted;
    callbacks.save = [&](const Checkpoint& checkpoint) {
        return saveCheckpoint(options.checkpoint, checkpoint);
    };
    callbacks.saveEvery = options.saveEvery;
    const auto end = (*run)->run(callbacks);
    std::error_code ignored;
    if (!end) {
        // what broke down would do so again: there is nothing to go on with
        if (options.resume.empty() && end.error().kind == Error::Kind::badInput)
            std::filesystem::remove(options.checkpoint, ignored);
        return tl::unexpected(end.error());
    }
    if (*end == TrainingEnd::interrupted) {
        const Checkpoint checkpoint = (*run)->checkpoint();
        if (auto kept = callbacks.save(checkpoint); !kept) return tl::unexpected(kept.error());
        return fail(Error::Kind::interrupted, "training",
                    fmt::format("stopped after step {} and saved", checkpoint.state.step),
                    fmt::format("go on with \"headloom-cli train --resume {} --out {}\"",
                                options.checkpoint, options.out));
    }
    if (auto written = saveModel(options.out, (*run)->model()); !written)
        return tl::unexpected(written.error());
    std::filesystem::remove(options.checkpoint, ignored);
    printEnd((*run)->recipe(), *end == TrainingEnd::goalReached, options);
    return exitDone;
}

/// "four-witnesses (mha, mha-pm2, ...), ...": what there is to train.
std::string listOfArms() {
    std::string list = "Tasks and their arms:\n";
    for (const std::string& task : taskIds()) {
        list += "  " + task;
        list.append(18 - std::min<std::size_t>(task.size(), 16), ' ');
        std::string arms;
        for (const ArmInfo& arm : armsOf(task)) arms += (arms.empty() ? "" : ", ") + arm.id;
        list += arms + "\n";
    }
    return list + "\"headloom-cli info --tasks\" lists what can be set in them.\n" +
           fmt::format("--init is one of: {}.\n", fmt::join(mixingStartNames(), ", ")) +
           "Training is repeatable: the same recipe with as many threads on the same machine "
           "gives\n"
           "the same bits, with --deterministic any number of threads does. Ctrl-C saves a\n"
           "checkpoint and ends with exit code 130; after a crash there is the last one that was\n"
           "saved. --resume goes on from it, bit for bit.";
}

}  // namespace

void addTrainCommand(CLI::App& program, Work& work) {
    auto options = std::make_shared<TrainOptions>();
    CLI::App* command =
        program.add_subcommand("train", "Train a model on a toy task, from a recipe, and save it");
    CLI::Option* fresh[] = {
        command->add_option("TASK", options->task, "what to learn (see below)"),
        command->add_option("--arm", options->arm, "which model (see below; default iha)"),
        command
            ->add_option("--seed", options->seed,
                         "of the initial weights and the samples (default 0)")
            ->check(CLI::NonNegativeNumber),
        command->add_option("--steps", options->steps, "updates (default: the recipe's)")
            ->type_name("N"),
        command
            ->add_option("--seconds", options->seconds,
                         "as many steps as fit into this time, by the speed of the warm-up")
            ->type_name("T"),
        command->add_option("--lr", options->learningRate, "learning rate (default: the recipe's)")
            ->type_name("RATE"),
        command->add_option("--batch", options->batch, "samples a step (default: the recipe's)")
            ->type_name("N"),
        command->add_option("--score", options->score, "softmax or linear (default: the recipe's)")
            ->type_name("KIND"),
        options->set.addTo(*command)};
    addDeterministic(*command, options->deterministic);
    command
        ->add_option("--init", options->start,
                     "how alpha and R start (see below; default identity+noise)")
        ->type_name("NAME");
    command
        ->add_option("--noise", options->noise,
                     "deviation of the noise on what --init starts (default 0.3)")
        ->type_name("SIGMA");
    fresh[3]->excludes(fresh[4]);
    command
        ->add_option("--eval-every", options->evaluateEvery,
                     "steps between evaluations; 0: only at the end (default 100)")
        ->type_name("K");
    command
        ->add_option("--eval-examples", options->evaluateExamples,
                     "held-out examples to evaluate on (default 1000)")
        ->type_name("N");
    command
        ->add_option("--goal", options->goal,
                     "stop as soon as this share of chains is exact (default: never)")
        ->type_name("SHARE");
    command->add_option("--out", options->out, "model file to write (safetensors)")
        ->type_name("FILE")
        ->required();
    CLI::Option* resume =
        command->add_option("--resume", options->resume, "go on from this checkpoint")
            ->type_name("FILE");
    for (CLI::Option* option : fresh) resume->excludes(option);
    command
        ->add_option("--checkpoint", options->checkpoint,
                     "what to go on from (default: the model file's name + .checkpoint);\n"
                     "it is gone once the model is written")
        ->type_name("FILE");
    addSaveEvery(*command, options->saveEvery);
    options->backend.addTo(*command, "threads, a shard of the batch each (default 1 or as before)");
    command->add_flag("--json", options->json, "one JSON object a line");
    command->footer(listOfArms());
    command->callback([options, &work] { work = [options] { return train(*options); }; });
}

}  // namespace headloom::cli
