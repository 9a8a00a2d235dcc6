#include "app/cli/command.h"
#include "app/cli/interrupt.h"
#include "app/cli/options.h"
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
    BackendOptions backend;
    bool failuresOnly = false;
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

}  // namespace

void addCheckCommand(CLI::App& program, Work& work) {
    auto options = std::make_shared<CheckOptions>();
    CLI::App* command = program.add_subcommand(
        "check", "Compare every operator of the backends with plain loops in double");
    options->backend.addTo(*command);
    command->add_option("--seed", options->seed, "of the numbers and random shapes (default 1)")
        ->type_name("S");
    command->add_flag("--failures", options->failuresOnly, "list failures only");
    command->footer(
        "Every operator forward and backward on edge shapes and random ones, and every\n"
        "gradient against finite differences. abs is the largest error, rel the same\n"
        "beside the largest entry. --backend auto checks all there are. Exit code 1 if\n"
        "anything fails.");
    command->callback([options, &work] { work = [options] { return check(*options); }; });
}

}  // namespace headloom::cli
