#include "app/cli/command.h"
#include "app/cli/heads_report.h"
#include "app/cli/interrupt.h"
#include "app/cli/many_options.h"
#include "app/cli/options.h"
#include "app/cli/prompt_options.h"
#include "app/cli/text.h"
#include "core/io/atomic_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>

namespace headloom::cli {

namespace {

constexpr PatternKind kinds[] = {PatternKind::tiles, PatternKind::heads, PatternKind::effective};

struct HeadsOptions {
    PromptOptions read;
    ManyOptions many;
    std::string sort, maps = "tiles";
    bool ascending = false, headsOnly = false, similarity = false, json = false;
    std::optional<int> layer;
    RedundancyThresholds thresholds;
    int top = 0;
    BackendOptions backend;
};

Result<void> checkLayer(const HeadsOptions& options, const ModelConfig& config) {
    if (!options.layer || (*options.layer >= 0 && *options.layer < config.nLayers())) return {};
    return fail(Error::Kind::badInput, "--layer",
                fmt::format("there is no layer {}", *options.layer),
                fmt::format("this model has layers 0 to {}", config.nLayers() - 1));
}

PatternKind kindOf(const HeadsOptions& options) {
    return *std::find_if(std::begin(kinds), std::end(kinds),
                         [&](PatternKind kind) { return options.maps == nameOf(kind); });
}

Result<HeadsReport> survey(const HeadsOptions& options) {
    const auto read = options.read.open();
    if (!read) return tl::unexpected(read.error());
    const ModelConfig& config = read->opened.model->config;
    if (auto fine = checkLayer(options, config); !fine) return tl::unexpected(fine.error());
    const auto backend = options.backend.open();
    if (!backend) return tl::unexpected(backend.error());
    ChainRequest request = read->request();
    request.maps = request.activations = false;  // made again a layer at a time
    request.keepResiduals = true;
    const auto run = runChain(request, **backend);
    if (!run) return tl::unexpected(run.error());

    HeadsReport report;
    report.model = options.read.named();
    report.tokens = run->rows;
    report.maps = kindOf(options);
    for (const HeadMeasureWords& words : headMeasures())
        if (options.sort == words.id) report.sort = words.measure;
    report.ascending = options.ascending;
    report.headsOnly = options.headsOnly;
    report.thresholds = options.thresholds;
    report.top = options.top;
    for (int layer = 0; layer < config.nLayers(); ++layer) {
        if (options.layer && layer != *options.layer) continue;
        auto found = surveyLayer(*run, layer, report.maps, **backend, interrupted);
        if (!found) return tl::unexpected(found.error());
        report.layers.push_back(std::move(*found));
    }
    return report;
}

Result<ExitCode> average(const HeadsOptions& options) {
    AveragesShown shown;
    shown.what = options.headsOnly ? "heads" : "heads and tiles";
    shown.sort = options.sort;
    shown.ascending = options.ascending;
    shown.headsOnly = options.headsOnly;
    shown.top = options.top;
    shown.json = options.json;
    if (options.similarity) {
        shown.what = fmt::format("cosines of {}", options.maps);
        shown.sort = "cosine";
    }
    const Asking ask = [&](const PromptedModel& read,
                           const PromptSet&) -> Result<std::vector<Question>> {
        const ModelConfig& config = read.opened.model->config;
        if (auto fine = checkLayer(options, config); !fine) return tl::unexpected(fine.error());
        if (options.similarity) return alone(askSimilarity(config, options.layer, kindOf(options)));
        return std::vector{askHeads(config, {options.layer, kindOf(options), options.thresholds})};
    };
    return tellAverages(options.read, options.many, options.backend, ask, shown);
}

Result<ExitCode> heads(const HeadsOptions& options) {
    if (options.many.asked()) return average(options);
    if (options.similarity)
        return fail(Error::Kind::badInput, "--similarity",
                    "of one prompt the cosines are in the JSON with the rest",
                    "give many with --examples or --prompts, or ask for --json");
    const auto report = survey(options);
    if (!report) return tl::unexpected(report.error());
    if (!options.many.csv.empty())
        if (auto written = writeFileAtomically(options.many.csv, headsAsCsv(*report)); !written)
            return tl::unexpected(written.error());
    print(options.json ? headsAsJson(*report) : headsAsText(*report));
    return exitDone;
}

void addSortOptions(CLI::App& command, HeadsOptions& options) {
    std::vector<std::string> measures;
    for (const HeadMeasureWords& words : headMeasures()) measures.emplace_back(words.id);
    auto* sort = command.add_option("--sort", options.sort,
                                    "order by a measure, most first: see below (default:\n"
                                    "the order of the model)");
    sort->type_name("MEASURE")->check(
        CLI::IsMember(measures).description(""));  // all of them stand below
    command.add_flag("--ascending", options.ascending, "least first")->needs(sort);
    command.add_flag("--heads", options.headsOnly, "list heads only, without their tiles");
    command.add_option("--layer", options.layer, "this layer only (default: all)")->type_name("L");
    command.add_option("--top", options.top, "lines of the list to print (default 0: all)")
        ->type_name("K")
        ->check(CLI::NonNegativeNumber);
}

void addPatternOptions(CLI::App& command, HeadsOptions& options) {
    command
        .add_option("--maps", options.maps,
                    "patterns that are compared: tiles, heads (mean over\n"
                    "the pseudo-queries of the sum over the key families)\n"
                    "or effective (M[target, source]); default tiles")
        ->type_name("KIND")
        ->check(CLI::IsMember({"tiles", "heads", "effective"}));
    command
        .add_option("--similar", options.thresholds.similar,
                    "cosine above which two patterns count as one\n"
                    "(default 0.95)")
        ->type_name("S")
        ->check(CLI::Range(-1.0, 1.0));
    command
        .add_flag("--similarity", options.similarity,
                  "of many prompts: the cosine of every two patterns of a\n"
                  "layer instead, the most alike first")
        ->excludes("--sort")
        ->excludes("--heads");
    command
        .add_option("--dead", options.thresholds.dead,
                    "mass below which a pattern is dead (default 0.01)")
        ->type_name("M")
        ->check(CLI::NonNegativeNumber);
}

std::string footer() {
    std::string text =
        "Measures, of a head's map (mean over its pseudo-queries of the sum over the key "
        "families) or\n"
        "of a tile as it is; the mean over the rows for which there is something to look for:\n";
    for (const HeadMeasureWords& words : headMeasures())
        text += fmt::format("  {:<16}{}\n", words.id, words.definition);
    return text +
           "The model is fed the true chain of the example, or the prompt. JSON: {\"model\", "
           "\"tokens\",\n"
           "\"maps\", \"similar\", \"dead\", \"heads\": [{\"part\", a number or null a measure}], "
           "\"layers\":\n"
           "[{\"layer\", \"count\", \"distinct\", \"dead\", \"effective_rank\", \"patterns\": "
           "[{\"name\", \"cluster\"\n"
           "(-1: dead), \"mass\", \"entropy\" in bits}], by cluster, \"similarity\" (cosines, in "
           "that order)}]}.\n"
           "CSV: part,layer,head,query_pseudo,key_pseudo and the measures, a line a head or "
           "tile.\n" +
           manyFooter("\"heads\", \"layers\"; with --similarity \"similarity\"");
}

}  // namespace

void addHeadsCommand(CLI::App& program, Work& work) {
    auto options = std::make_shared<HeadsOptions>();
    CLI::App* command = program.add_subcommand(
        "heads", "Find heads and tiles by what they do, and which are alike");
    options->read.addTo(*command);
    options->many.addTo(*command);
    addSortOptions(*command, *options);
    addPatternOptions(*command, *options);
    command->add_flag("--json", options->json, "print JSON");
    command->add_option("--csv", options->many.csv, "also write the list as CSV")
        ->type_name("FILE");
    options->backend.addTo(*command);
    command->footer(footer());
    command->callback([options, &work] { work = [options] { return heads(*options); }; });
}

}  // namespace headloom::cli
