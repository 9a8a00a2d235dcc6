#include "app/cli/command_theory.h"
#include "app/cli/interrupt.h"
#include "app/cli/options.h"
#include "app/cli/text.h"
#include "core/session/look_back.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <memory>

namespace headloom::cli {

namespace {

constexpr int mostExamples = 10'000;
constexpr int evaluatedExamples = 1000;  // as all tables of tasks are measured

struct LookBackOptions {
    std::vector<std::string> models;
    std::string maps = "effective";
    int examples = 100, evaluated = evaluatedExamples;
    OffsetRule rule;
    BackendOptions backend;
    bool json = false;
};

/// All arms as they were read and measured.
struct LookBackReport {
    LookBackArms arms;
    OffsetMaps kind;
    std::vector<OffsetReading> readings;
    std::vector<Evaluation> evaluations;
};

Result<LookBackReport> read(const LookBackOptions& options) {
    const auto kind = offsetMapsFrom(options.maps);
    if (!kind) return tl::unexpected(kind.error());
    const auto threads = options.backend.threadCount(coreCount());
    if (!threads) return tl::unexpected(threads.error());
    auto arms = openLookBackArms(options.models);
    if (!arms) return tl::unexpected(arms.error());
    const auto backend = options.backend.open();
    if (!backend) return tl::unexpected(backend.error());
    LookBackReport report{std::move(*arms), *kind, {}, {}};
    for (const LookBackArm& arm : report.arms.arms) {
        auto reading =
            offsetsOver(report.arms, arm, *kind, 0, options.examples, **backend, interrupted);
        if (!reading) return tl::unexpected(reading.error());
        report.readings.push_back(std::move(*reading));
    }
    auto evaluations =
        evaluateLookBack(report.arms, options.evaluated, options.backend.name, *threads);
    if (!evaluations) return tl::unexpected(evaluations.error());
    report.evaluations = std::move(*evaluations);
    return report;
}

nlohmann::json jsonOf(const OffsetMap& map, const OffsetProfile& profile, const OffsetRule& rule) {
    nlohmann::json weights = nlohmann::json::array(), shares = nlohmann::json::array();
    for (int offset = 0; offset < profile.offsets(); ++offset) {
        weights.push_back(profile.weight(offset));
        shares.push_back(profile.share(offset));
    }
    nlohmann::json root = {{"name", map.name}, {"mass", profile.mass()}, {"weights", weights},
                           {"shares", shares}, {"dominant", nullptr},    {"carries", nullptr}};
    if (const auto dominant = profile.dominant()) root["dominant"] = *dominant;
    if (const auto carried = profile.carried(rule)) root["carries"] = *carried;
    return root;
}

void printJson(const LookBackReport& report, const LookBackOptions& options) {
    nlohmann::json arms = nlohmann::json::array();
    for (std::size_t i = 0; i < report.arms.arms.size(); ++i) {
        const LookBackArm& arm = report.arms.arms[i];
        const ModelConfig& config = arm.model->config;
        nlohmann::json maps = nlohmann::json::array();
        for (std::size_t map = 0; map < report.readings[i].maps().size(); ++map)
            maps.push_back(jsonOf(report.readings[i].maps()[map],
                                  report.readings[i].profiles()[map], options.rule));
        nlohmann::json mixes = nlohmann::json::array();
        for (const OffsetMix& mix : report.readings[i].mixes())
            mixes.push_back(
                {{"offset", mix.offset}, {"share", mix.share}, {"weights", mix.weights}});
        const Score& score = report.evaluations[i].teacherForced;
        arms.push_back({{"model", arm.name},
                        {"title", arm.model->name},
                        {"heads", config.nHeads},
                        {"pseudo", config.layers.front().nPseudo},
                        {"parameters", arm.parameters},
                        {"accuracy", score.accuracy},
                        {"exact", score.exact},
                        {"maps", maps},
                        {"carried", report.readings[i].carried(options.rule)},
                        {"mixes", mixes}});
    }
    print(jsonText({{"task", report.arms.task->info().id},
                    {"looks_back", report.arms.reach()},
                    {"examples", options.examples},
                    {"evaluated", options.evaluated},
                    {"maps", nameOf(report.kind)},
                    {"share_above", options.rule.share},
                    {"dead_below", options.rule.dead},
                    {"arms", arms},
                    {"verdict", lookBackVerdict(report.arms, report.evaluations)}}));
}

std::string carriedText(const OffsetProfile& profile, const OffsetRule& rule) {
    const auto dominant = profile.dominant();
    if (!dominant || profile.mass() < rule.dead) return "dead";
    const std::string most =
        *dominant == 0 ? fmt::format("own token, {:.2f}", profile.share(0))
                       : fmt::format("{} back, {:.2f}", *dominant, profile.share(*dominant));
    return profile.carried(rule) ? most : "none (most " + most + ")";
}

void printMaps(const LookBackReport& report, const LookBackOptions& options) {
    std::vector<std::string> headings = {"arm", "map", "mass", "own token"};
    const int reach = report.arms.reach();
    for (int offset = 1; offset <= reach; ++offset)
        headings.push_back(fmt::format("{} back", offset));
    headings.insert(headings.end(), {"further", "carries, share"});
    Table table(headings);
    for (std::size_t i = 0; i < report.readings.size(); ++i) {
        const OffsetReading& reading = report.readings[i];
        for (std::size_t map = 0; map < reading.maps().size(); ++map) {
            const OffsetProfile& profile = reading.profiles()[map];
            std::vector<std::string> cells = {map == 0 ? report.arms.arms[i].model->name : "",
                                              reading.maps()[map].name,
                                              fmt::format("{:.2f}", profile.mass())};
            for (int offset = 0; offset <= reach; ++offset)
                cells.push_back(fmt::format("{:.2f}", profile.weight(offset)));
            double further = 0;
            for (int offset = reach + 1; offset < profile.offsets(); ++offset)
                further += profile.weight(offset);
            cells.push_back(fmt::format("{:.2f}", further));
            cells.push_back(carriedText(profile, options.rule));
            table.add(std::move(cells));
        }
    }
    print(table.text());
}

/// What the maps of an arm do together, and what it comes to.
void printArms(const LookBackReport& report, const LookBackOptions& options) {
    std::vector<std::string> headings = {"arm", "carried alone", "maps"};
    for (int offset = 1; offset <= report.arms.reach(); ++offset)
        headings.push_back(fmt::format("mix {} back", offset));
    headings.insert(headings.end(), {"sum", "parameters", "accuracy", "exact"});
    Table table(headings);
    for (std::size_t i = 0; i < report.arms.arms.size(); ++i) {
        const OffsetReading& reading = report.readings[i];
        const std::vector<int> carried = reading.carried(options.rule);
        std::vector<std::string> cells = {
            report.arms.arms[i].model->name,
            carried.empty() ? std::string("none") : fmt::format("{}", fmt::join(carried, " ")),
            fmt::format("{}", reading.maps().size())};
        double sum = 0;
        for (const OffsetMix& mix : reading.mixes()) {
            cells.push_back(fmt::format("{:.2f}", mix.share));
            sum += mix.share;
        }
        const Score& score = report.evaluations[i].teacherForced;
        cells.insert(cells.end(),
                     {fmt::format("{:.2f}", sum), fmt::format("{}", report.arms.arms[i].parameters),
                      fmt::format("{:.4f}", score.accuracy), fmt::format("{:.4f}", score.exact)});
        table.add(std::move(cells));
    }
    print(table.text());
}

void printText(const LookBackReport& report, const LookBackOptions& options) {
    fmt::print(
        "Look-back bank: every token names the {} before it. Trained models, their {} maps;\n"
        "weight by tokens back, mean over the rows with a target of {} held-out examples\n",
        report.arms.reach(), nameOf(report.kind), options.examples);
    printMaps(report, options);
    fmt::print(
        "A map carries an offset alone where it has more than {:.2f} of its magnitude. Blended\n"
        "maps may do as well: a mix is the weighted sum of an arm's maps that comes nearest to "
        "the\n"
        "shifted diagonal, and how near. H maps mix to H offsets at most. That bounds the mix and\n"
        "not the accuracy, which asks for the largest logit only.\n\n",
        options.rule.share);
    printArms(report, options);
    fmt::print("Accuracy and exact (whole rows, all {} answers) on {} held-out examples.\n",
               report.arms.reach(), options.evaluated);
    const std::string verdict = lookBackVerdict(report.arms, report.evaluations);
    for (std::size_t from = 0; from < verdict.size();) {
        const std::size_t end = std::min(verdict.find('\n', from), verdict.size());
        print(wrapped(verdict.substr(from, end - from), 2));
        from = end + 1;
    }
    print(
        "With interleaving fewer heads suffice; MHA with as many heads as jobs does them as "
        "well.\n");
}

Result<ExitCode> lookBack(const LookBackOptions& options) {
    const auto report = read(options);
    if (!report) return tl::unexpected(report.error());
    (options.json ? printJson : printText)(*report, options);
    return exitDone;
}

}  // namespace

void addTheoryLookBack(CLI::App& theory, Work& work) {
    auto options = std::make_shared<LookBackOptions>();
    CLI::App* command = theory.add_subcommand(
        "look-back", "Two heads, four jobs: the offsets that maps of trained arms carry");
    command
        ->add_option("--model", options->models,
                     "a model file or bundled model of the look-back bank; may\n"
                     "be repeated (default: the bundled arms)")
        ->type_name("NAME");
    command
        ->add_option("--maps", options->maps,
                     "effective (M[target, source], signed), queries (a pseudo-\n"
                     "query's tiles summed over the key families) or tiles\n"
                     "(default effective; of MHA all are its heads)")
        ->type_name("KIND")
        ->check(CLI::IsMember({"effective", "queries", "tiles"}));
    command
        ->add_option("--examples", options->examples,
                     "held-out examples whose maps are read (default 100)")
        ->type_name("N")
        ->check(CLI::Range(1, mostExamples).description(""));
    command
        ->add_option("--evaluate", options->evaluated,
                     "held-out examples to measure on (default 1000)")
        ->type_name("N")
        ->check(CLI::Range(1, mostExamples).description(""));
    command
        ->add_option("--share", options->rule.share,
                     "share of a map's magnitude that it must have above this\n"
                     "on one offset to carry it (default 0.5: more than all\n"
                     "others together)")
        ->type_name("S")
        ->check(CLI::Range(0.0, 1.0).description(""));
    options->backend.addTo(*command);
    command->add_flag("--json", options->json, "JSON");
    command->footer(
        "Offsets are read in the rows that have a target, which have all the tokens that they\n"
        "name before them. Weights are means of the map's numbers, which are signed in effective\n"
        "maps; shares are of their magnitudes. A map with mass below 0.01 carries nothing.");
    command->callback([options, &work] { work = [options] { return lookBack(*options); }; });
}

}  // namespace headloom::cli
