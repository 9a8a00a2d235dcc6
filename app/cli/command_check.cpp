#include "app/cli/command.h"
#include "app/cli/comparison_report.h"
#include "app/cli/interrupt.h"
#include "app/cli/options.h"
#include "app/cli/prompt_options.h"
#include "app/cli/text.h"
#include "core/backend/conformance.h"
#include "core/models/guarded.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace headloom::cli {

namespace {

struct CheckOptions {
    PromptOptions read;
    BackendOptions backend;
    std::string against = "reference";
    bool failuresOnly = false, json = false;
    std::uint64_t seed = 1;
};

struct Tally {
    int passed = 0, failed = 0;
};

void show(const std::vector<ConformanceRecord>& records, const CheckOptions& options,
          const std::string& backend, Tally& tally) {
    for (const ConformanceRecord& record : records) {
        ++(record.passed ? tally.passed : tally.failed);
        if (record.passed && options.failuresOnly) continue;
        fmt::print("{} {:<10} {:<26} abs {:8.2e}  rel {:8.2e} (at most {:8.2e})  {}\n",
                   record.passed ? "ok  " : "FAIL", backend, record.op, record.maxAbsolute,
                   record.maxRelative, record.tolerance, record.shape);
    }
}

Result<ExitCode> check(const CheckOptions& options) {
    // Says what is wrong with the options before any backend is skipped for it.
    if (const auto any = options.backend.open(); !any) return tl::unexpected(any.error());
    std::vector<std::string> names = {options.backend.name};
    if (options.backend.name == "auto") names = backendNames();
    names.erase(std::remove(names.begin(), names.end(), "auto"), names.end());
    Tally tally;
    for (const std::string& name : names) {
        BackendOptions one = options.backend;
        one.name = name;
        const auto backend = one.open();
        if (!backend) {
            fmt::print("skip {:<10} {}\n", name, backend.error().sentence());
            continue;
        }
        const ConformanceOptions conformance{options.seed, DType::f32};
        for (const auto part : {checkAgainstReference, checkGradients}) {
            if (interrupted()) return fail(Error::Kind::interrupted, {}, "stopped");
            const auto records = guarded([&]() -> Result<std::vector<ConformanceRecord>> {
                return part(**backend, conformance);
            });
            if (!records) return tl::unexpected(records.error());
            show(*records, options, name, tally);
        }
    }
    fmt::print("{} passed, {} failed\n", tally.passed, tally.failed);
    return tally.failed > 0 ? exitDifferences : exitDone;
}

/// One model's pass on two backends.
Result<ExitCode> compare(const CheckOptions& options) {
    const auto tested = options.backend.open();
    if (!tested) return tl::unexpected(tested.error());
    BackendOptions other = options.backend;
    other.name = options.against;
    const auto against = other.open();
    if (!against) return tl::unexpected(against.error());
    const auto read = options.read.open();
    if (!read) return tl::unexpected(read.error());
    const auto compared = compareBackends(read->request(), **tested, **against);
    if (!compared) return tl::unexpected(compared.error());
    const ComparisonShown shown{options.read.named(), read->opened.model->config.summary(),
                                options.failuresOnly};
    print(options.json ? comparisonAsJson(shown, *compared) : comparisonAsText(shown, *compared));
    return compared->beyond() > 0 ? exitDifferences : exitDone;
}

}  // namespace

void addCheckCommand(CLI::App& program, Work& work) {
    auto options = std::make_shared<CheckOptions>();
    CLI::App* command = program.add_subcommand(
        "check", "Compare operators with plain loops, or a model on two backends");
    options->read.addTo(*command, false);
    CLI::Option* model = command->get_option("MODEL");
    options->backend.addTo(*command);
    command
        ->add_option("--against", options->against,
                     "the backend to compare a model's pass with\n(default reference)")
        ->type_name("NAME")
        ->needs(model);
    command->add_flag("--json", options->json, "print JSON")->needs(model);
    command->add_option("--seed", options->seed, "of the numbers and random shapes (default 1)")
        ->type_name("S")
        ->excludes(model);
    command->add_flag("--failures", options->failuresOnly, "list failures only");
    command->footer(
        "Without MODEL: every operator forward and backward on edge shapes and random ones,\n"
        "and every gradient against finite differences. abs is the largest error, rel the\n"
        "same beside the largest entry. --backend auto checks all there are.\n"
        "With MODEL: its pass over the prompt on --backend and on --against, the time of both\n"
        "and the largest difference of every tensor between. JSON: {\"model\", \"rows\",\n"
        "\"backend\", \"against\": {\"name\", \"description\", \"milliseconds\", \"passes\"},\n"
        "\"tensors\": [{\"name\", \"shape\", \"max_absolute\", \"max_relative\", \"tolerance\",\n"
        "\"within\"}], \"beyond\", \"verdict\", \"reason\"}. A number that is infinite is null.\n"
        "Exit code 1 if anything fails or differs by more than rounding.");
    command->callback([options, &work] {
        work = [options] {
            return options->read.model.empty() ? check(*options) : compare(*options);
        };
    });
}

}  // namespace headloom::cli
