#include "app/cli/command_theory.h"
#include "app/cli/options.h"
#include "app/cli/text.h"
#include "core/theory/cpm3_construction.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <memory>

namespace headloom::cli {

namespace {

struct Cpm3Options {
    std::string sequence;
    Cpm3Task task;
    BackendOptions backend;
    bool json = false;
};

bool allRight(const Cpm3Run& run) {
    return run.mha.counts == run.expected && run.iha.counts == run.expected;
}

nlohmann::json jsonOf(const Cpm3Arm& arm) {
    return {{"heads", arm.nHeads},
            {"pseudo", arm.nPseudo},
            {"parameters", arm.parameters},
            {"rounded_by", arm.roundedBy},
            {"counts", arm.counts}};
}

void printJson(const Cpm3Run& run) {
    const nlohmann::json root = {{"n", run.task.nTokens()},
                                 {"m", run.task.m},
                                 {"g", run.task.g},
                                 {"sequence", run.task.sequence},
                                 {"order_sensitive", isOrderSensitive(run.task)},
                                 {"type", run.type == DType::f64 ? "float64" : "float32"},
                                 {"counts", run.iha.counts},
                                 {"expected", run.expected},
                                 {"mha", jsonOf(run.mha)},
                                 {"iha", jsonOf(run.iha)}};
    fmt::print("{}\n", root.dump());
}

void printCounts(const Cpm3Run& run) {
    Table table({"token", "symbol", "MHA", "IHA", "one by one"});
    for (std::size_t i = 0; i < run.expected.size(); ++i)
        table.add({fmt::format("{}", i), fmt::format("{}", run.task.sequence[i]),
                   fmt::format("{}", run.mha.counts[i]), fmt::format("{}", run.iha.counts[i]),
                   fmt::format("{}", run.expected[i])});
    fmt::print("{}", table.text());
}

void printText(const Cpm3Run& run) {
    const Cpm3Task& task = run.task;
    fmt::print(
        "Ordered pairs (j1, j2) with x_i + {} x_j1 + x_j2 divisible by {}, for each of N = {} "
        "tokens;\nhard attention and an MLP, constructed weights\n",
        task.g, task.m, task.nTokens());
    printCounts(run);
    Table table({"", "heads", "pseudo-heads", "parameters", ""});
    const auto add = [&](const char* name, const Cpm3Arm& arm, const char* known) {
        table.add({name, fmt::format("{}", arm.nHeads), fmt::format("{}", arm.nPseudo),
                   fmt::format("{}", arm.parameters), known});
    };
    add("MHA", run.mha, "N heads: the best known, not proved to be needed");
    add("IHA", run.iha, "ceil(sqrt N) heads");
    fmt::print(
        "{}Parameters are those of the attention; both have the same MLP of N^2 hidden units.\n",
        table.text());
    if (!isOrderSensitive(task))
        fmt::print(
            "{}: not order-sensitive, (j1, j2) counts where (j2, j1) does. G > 2 M, the\n"
            "paper's condition, does not rule this out.\n",
            task.m == 1 ? "M = 1 divides every sum" : "G mod M = 1");
}

Result<ExitCode> cpm3(Cpm3Options options) {
    auto sequence = sequenceFrom(options.sequence);
    if (!sequence) return tl::unexpected(sequence.error());
    options.task.sequence = std::move(*sequence);
    const auto backend = options.backend.open();
    if (!backend) return tl::unexpected(backend.error());
    const DType type = (*backend)->info().name == "reference" ? DType::f64 : DType::f32;
    const auto run = runCpm3(options.task, type, **backend);
    if (!run) return tl::unexpected(run.error());
    (options.json ? printJson : printText)(*run);
    return allRight(*run) ? exitDone : exitDifferences;
}

}  // namespace

void addTheoryCpm3(CLI::App& theory, Work& work) {
    auto options = std::make_shared<Cpm3Options>();
    options->backend.name = "reference";
    CLI::App* command = theory.add_subcommand(
        "cpm3", "Order-sensitive counting: N heads of MHA, ceil(sqrt N) of IHA");
    command
        ->add_option("--sequence", options->sequence,
                     fmt::format("x, up to {} whole numbers of 0 to {},\nsuch as 3,1,4,1",
                                 Cpm3Task::mostTokens, Cpm3Task::mostSymbol))
        ->type_name("X")
        ->required();
    command->add_option("--g", options->task.g, "factor of x_j1 (default 10)")->type_name("G");
    command->add_option("--m", options->task.m, "what sums are divided by (default 4)")
        ->type_name("M");
    options->backend.addTo(*command);
    command->add_flag("--json", options->json, "one JSON object");
    command->footer(
        "For every token i: how many ordered pairs (j1, j2) make x_i + G x_j1 + x_j2 divisible by\n"
        "M. Heads shift the sequence until every row lists all of it, an MLP with a unit a pair\n"
        "counts. Exit code 1 if a construction counts other than going through all pairs does.");
    command->callback([options, &work] { work = [options] { return cpm3(*options); }; });
}

}  // namespace headloom::cli
