#include "app/cli/command.h"
#include "app/cli/interrupt.h"
#include "app/cli/options.h"
#include "app/cli/text.h"
#include "core/base/utf8.h"
#include "core/session/filter_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <memory>
#include <optional>

namespace headloom::cli {

namespace {

struct FilterOptions {
    FilterRecipe recipe;
    std::string graph = "shift", backend = "auto";
    std::optional<int> pseudo;
    std::optional<std::string> start;
    std::optional<double> noise;
    std::optional<int> seeds;
    std::string save;
    bool json = false;
};

int seedsOf(const FilterOptions& options) {
    constexpr int usualSeeds = 3;
    return options.seeds.value_or(options.save.empty() ? usualSeeds : 1);
}

Result<FilterRecipe> readRecipe(const FilterOptions& options) {
    FilterRecipe recipe = options.recipe;
    const auto graph = filterGraphFrom(options.graph);
    if (!graph) return tl::unexpected(graph.error());
    recipe.graph = *graph;
    if (options.pseudo) {
        recipe.config.kind = AttentionKind::iha;
        recipe.config.nPseudo = *options.pseudo;
    }
    if (!options.pseudo && (options.start || options.noise))
        return fail(Error::Kind::badInput, options.start ? "--init" : "--noise",
                    "MHA has no mixing to start", "leave it out, or train IHA with --pseudo");
    if (options.start) {
        const auto start = mixingStartFrom(*options.start);
        if (!start)
            return fail(Error::Kind::badInput, "--init", start.error().what, start.error().remedy);
        recipe.mixing.start = *start;
    }
    if (options.noise) recipe.mixing.alphaNoise = recipe.mixing.collapseNoise = *options.noise;
    constexpr int mostSeeds = 1000;  // a restart's seed is this far from its run's
    static_assert(mostSeeds <= FilterRecipe::seedsApart);
    if (const int seeds = seedsOf(options); seeds < 1 || seeds > mostSeeds)
        return fail(Error::Kind::badInput, "--seeds", fmt::format("{} seeds cannot be run", seeds),
                    fmt::format("use 1 to {}", mostSeeds));
    if (!options.save.empty() && seedsOf(options) > 1)
        return fail(Error::Kind::badInput, "--save", "one file holds the filter of one seed",
                    "leave --seeds out and name the seed with --seed");
    if (auto fine = validate(recipe); !fine) return tl::unexpected(fine.error());
    return recipe;
}

void printJson(const FilterRecipe& recipe, const FilterResult& result, const RankFloor& floor) {
    const FilterConfig& config = recipe.config;
    const nlohmann::json line = {{"graph", nameOf(recipe.graph)},
                                 {"kind", nameOf(config.kind)},
                                 {"k", config.order},
                                 {"nodes", config.nNodes},
                                 {"dim", config.dNode},
                                 {"heads", config.nHeads},
                                 {"pseudo", config.nPseudo},
                                 {"init", nameOf(recipe.mixing.start)},
                                 {"parameters", result.parameters},
                                 {"seed", recipe.seed},
                                 {"relative_mse", result.relativeError},
                                 {"mha_floor", floor.expected},
                                 {"mha_floor_deviation", floor.deviation},
                                 {"restarts", result.restarts},
                                 {"final_seed", result.seed},
                                 {"steps", recipe.steps},
                                 {"updates", result.updates},
                                 {"cpu_seconds", result.cpuSeconds}};
    fmt::print("{}\n", line.dump());
    std::fflush(stdout);
}

std::string restartsOf(const FilterRecipe& recipe, const FilterResult& result) {
    if (recipe.restarts == 0) return "off";
    if (result.restarts == 0) return "none";
    return fmt::format("{}, kept seed {}", result.restarts, result.seed);
}

void printTable(const std::vector<std::pair<FilterRecipe, FilterResult>>& done,
                const RankFloor& floor) {
    // Two are for the eye; of many seeds on one evaluation set some pass that by chance.
    constexpr double deviations = 5;
    Table table({"seed", "relative MSE", "MHA floor", "updates", "CPU s", "restarts"});
    int below = 0;
    for (const auto& [recipe, result] : done) {
        table.add({fmt::format("{}", recipe.seed), fmt::format("{:.3g}", result.relativeError),
                   fmt::format("{:.4f}", floor.expected), fmt::format("{}", result.updates),
                   fmt::format("{:.2f}", result.cpuSeconds), restartsOf(recipe, result)});
        below += result.relativeError < floor.expected - deviations * floor.deviation;
    }
    fmt::print("{}", table.text());
    fmt::print("{} of {} seeds end below the floor by more than {} deviations.\n", below,
               done.size(), deviations);
}

Result<ExitCode> filter(const FilterOptions& options) {
    auto recipe = readRecipe(options);
    if (!recipe) return tl::unexpected(recipe.error());
    const FilterConfig& config = recipe->config;
    const RankFloor floor = mhaFloor(*recipe);
    std::vector<std::pair<FilterRecipe, FilterResult>> done;
    const std::uint64_t first = recipe->seed;
    for (int i = 0; i < seedsOf(options); ++i) {
        recipe->seed = first + static_cast<std::uint64_t>(i);
        const auto run = FilterRun::start(*recipe, options.backend);
        if (!run) return tl::unexpected(run.error());
        if (i == 0 && !options.json) {
            fmt::print(
                "{} filter, k = {}, N = {}, d = {}: {}, {} parameters, {} steps of {} "
                "samples\n",
                nameOf(recipe->graph), config.order, config.nNodes, config.dNode, config.summary(),
                (*run)->model().weights().parameterCount(), recipe->steps, recipe->batch);
            fmt::print(
                "predicting zero: 1; floor of MHA with H = {}: {:.4f} +- {:.4f} (two "
                "deviations on {} samples)\n",
                config.nHeads, floor.expected, 2 * floor.deviation, recipe->evaluateSamples);
            std::fflush(stdout);
        }
        FilterCallbacks callbacks;
        callbacks.cancelled = interrupted;
        if (!options.json)
            callbacks.restarted = [&](const FilterProgress& given) {
                fmt::print("seed {}: relative MSE {:.3g} at step {}, starts again as seed {}\n",
                           recipe->seed, given.relativeError, given.step,
                           given.seed + FilterRecipe::seedsApart);
                std::fflush(stdout);
            };
        const auto result = (*run)->run(callbacks);
        if (!result) return tl::unexpected(result.error());
        if (!options.save.empty())
            if (auto saved = saveFilter(options.save, {*recipe, *result, (*run)->weights()});
                !saved)
                return tl::unexpected(saved.error());
        if (options.json)
            printJson(*recipe, *result, floor);
        else
            done.emplace_back(*recipe, *result);
    }
    if (!options.json) printTable(done, floor);
    if (!options.json && !options.save.empty()) fmt::print("Written: {}\n", visible(options.save));
    return exitDone;
}

}  // namespace

void addFilterCommand(CLI::App& program, Work& work) {
    auto options = std::make_shared<FilterOptions>();
    FilterRecipe& recipe = options->recipe;
    CLI::App* command = program.add_subcommand(
        "filter", "Train graph filters, and see which heads get below the rank floor");
    const auto number = [&](const char* name, auto& value, const char* help, const char* type) {
        command->add_option(name, value, help)->type_name(type);
    };
    number("--k", recipe.config.order, "filters: X, AX, .., A^(k-1) X (default 4)", "K");
    number("--nodes", recipe.config.nNodes, "nodes of the graph (default 8)", "N");
    number("--dim", recipe.config.dNode, "numbers a node (default 2)", "D");
    number("--heads", recipe.config.nHeads, "heads; H must divide k * d (default 2)", "H");
    number("--pseudo", options->pseudo, "pseudo-heads a head: IHA (default: MHA)", "P");
    number("--graph", options->graph,
           fmt::format("{} (default shift)", fmt::join(filterGraphNames(), ", ")).c_str(), "NAME");
    number("--seeds", options->seeds,
           "how many seeds, one after the other (default 3,\nwith --save 1)", "N");
    command->add_option("--seed", recipe.seed, "the first of them (default 0)")
        ->type_name("S")
        ->check(CLI::NonNegativeNumber);
    number("--steps", recipe.steps, "updates (default 1500)", "N");
    number("--lr", recipe.learningRate, "learning rate (default 0.01)", "RATE");
    number("--batch", recipe.batch, "samples a step (default 16)", "N");
    number("--restart", recipe.restarts,
           "start again, at most this often, where the relative\nMSE is above 0.1 after three "
           "fifths of the steps\n(default 0)",
           "N");
    number("--init", options->start,
           "IHA: how alpha and R start, as in train (default\nidentity+noise)", "NAME");
    number("--noise", options->noise, "IHA: deviation of the noise there (default 0.3)", "SIGMA");
    number("--save", options->save,
           "write the trained filter to this file (safetensors);\nof one seed (see --seed)",
           "FILE");
    number("--backend", options->backend,
           fmt::format("one of {} (default auto)", fmt::join(backendNames(), ", ")).c_str(),
           "NAME");
    command->add_flag("--json", options->json, "one JSON object a seed");
    command->footer(
        "The layer has linear attention without a mask; queries and keys are learned for each\n"
        "node, values come from the inputs, which are N(0, 1). A is the graph's adjacency over\n"
        "its largest degree; shift takes from node n - 1, cyclic. Relative MSE is measured on\n"
        "1000 fresh samples, the same for all seeds; predicting zero has 1. MHA with H heads has\n"
        "H maps and so a floor, (k - H) / k for shift: an expected value, which a measurement\n"
        "may miss by its sampling error. IHA has up to H^2 maps.\n"
        "A restart takes new weights and samples, those of seed + 1000; its seconds count, and\n"
        "the rule is the same for every arm. Repeatable bit for bit on the same machine.");
    command->callback([options, &work] { work = [options] { return filter(*options); }; });
}

}  // namespace headloom::cli
