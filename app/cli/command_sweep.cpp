#include "app/cli/command.h"
#include "app/cli/interrupt.h"
#include "app/cli/options.h"
#include "app/cli/text.h"
#include "core/io/atomic_file.h"
#include "core/session/sweep_run.h"
#include "core/session/sweep_table.h"
#include "core/session/verdict.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>

namespace headloom::cli {

namespace {

namespace fs = std::filesystem;

struct SweepCommand {
    std::string spec, out;
    bool list = false, merge = false, json = false, deterministic = false;
    std::optional<std::int64_t> job;
    double saveEvery = 1;
    BackendOptions backend;
};

Result<std::vector<SweepJob>> readJobs(const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    if (!in.good() && text.empty())
        return fail(Error::Kind::notFound, file, "cannot be read or is empty", "check the name");
    auto jobs = sweepFromJson(text);
    if (jobs) return jobs;
    Error error = jobs.error();
    error.where = error.where.empty() ? file : file + ", " + error.where;
    return tl::unexpected(std::move(error));
}

/// The specification's name without ".json".
std::string folderOf(const SweepCommand& command) {
    if (!command.out.empty()) return command.out;
    const fs::path spec = command.spec;
    return spec.extension() == ".json" ? fs::path(spec).replace_extension().string()
                                       : command.spec + ".results";
}

void print(const SweepJob& job, const SweepResult& result, const SweepCommand& command) {
    if (command.json) {
        fmt::print("{}\n", sweepLine(job, result));
    } else if (!result.problem.empty()) {
        fmt::print("{}: failed: {}\n", job.name(), result.problem);
    } else {
        const Measured& measured = *result.recipe.measured;
        fmt::print("{}: exact {:.4f}, accuracy {:.5f} after {} steps{}, CPU {:.1f} s\n", job.name(),
                   measured.exact, measured.accuracy, measured.steps,
                   result.goalReached ? " (goal reached)" : "", measured.cpuSeconds);
    }
    std::fflush(stdout);
}

tl::unexpected<Error> someFailed(std::size_t failed, std::size_t of) {
    return fail(Error::Kind::badInput, "sweep", fmt::format("{} of {} jobs failed", failed, of),
                "--merge shows which; delete a result file to run its job again");
}

Result<ExitCode> run(const std::vector<SweepJob>& jobs, const SweepCommand& command) {
    const auto folder = SweepFolder::open(folderOf(command));
    if (!folder) return tl::unexpected(folder.error());
    const auto threads = command.backend.threadCount(1);
    if (!threads) return tl::unexpected(threads.error());
    SweepOptions options;
    options.backend = command.backend.name;
    options.threads = *threads;
    options.saveEvery = command.saveEvery;
    options.cancelled = interrupted;
    if (command.job) {
        const SweepJob& job = jobs[static_cast<std::size_t>(*command.job)];
        auto kept = folder->load(job);
        if (!kept) return tl::unexpected(kept.error());
        if (!*kept) {
            auto made = runSweepJob(job, *folder, options);
            if (!made) return tl::unexpected(made.error());
            *kept = std::move(*made);
        }
        if (!(*kept)->problem.empty())
            return fail(Error::Kind::badInput, job.name(), (*kept)->problem, {});
        print(job, **kept, command);
        return exitDone;
    }
    while (const SweepJob* job = nextSweepJob(jobs, *folder)) {
        const auto made = runSweepJob(*job, *folder, options);
        if (!made) return tl::unexpected(made.error());
        print(*job, *made, command);
    }
    const auto results = loadSweep(jobs, *folder);
    if (!results) return tl::unexpected(results.error());
    std::size_t failed = 0;
    for (const auto& result : *results) failed += result && !result->problem.empty();
    if (failed > 0) return someFailed(failed, jobs.size());
    return exitDone;
}

Result<ExitCode> list(const std::vector<SweepJob>& jobs, const SweepCommand& command) {
    const SweepFolder folder(folderOf(command));
    for (std::size_t i = 0; i < jobs.size(); ++i)
        fmt::print("{} {}{}\n", i, jobs[i].name(), folder.done(jobs[i]) ? " (done)" : "");
    return exitDone;
}

std::string range(const Spread& spread, int digits) {
    return fmt::format("{:.{}f} ({:.{}f}-{:.{}f})", spread.mean, digits, spread.least, digits,
                       spread.most, digits);
}

Result<ExitCode> merge(const std::vector<SweepJob>& jobs, const SweepCommand& command) {
    const SweepFolder folder(folderOf(command));
    const auto results = loadSweep(jobs, folder);
    if (!results) return tl::unexpected(results.error());
    std::size_t done = 0;
    for (const auto& result : *results) done += result.has_value();
    if (done == 0)
        return fail(Error::Kind::notFound, folder.path().string(), "no job of this sweep is done",
                    "run it first, or name the folder with --out");
    const fs::path csv = folder.path() / "results.csv";
    if (auto saved = writeFileAtomically(csv, sweepCsv(jobs, *results)); !saved)
        return tl::unexpected(saved.error());
    if (command.json) {
        for (std::size_t i = 0; i < jobs.size(); ++i)
            if ((*results)[i]) fmt::print("{}\n", sweepLine(jobs[i], *(*results)[i]));
        return exitDone;
    }
    Table table({"parameters", "seeds", "exact, mean (range)", "accuracy, mean (range)",
                 "CPU s, mean (range)", "arm"});
    std::vector<ArmResult> arms;
    for (const SweepRow& row : summarise(jobs, *results)) {
        arms.push_back({row.group, row.exactBySeed, {row.cpuSeconds.mean}});
        std::string seeds = row.measured == row.seeds
                                ? fmt::format("{}", row.seeds)
                                : fmt::format("{} of {}", row.measured, row.seeds);
        if (row.failed > 0) seeds += fmt::format(", {} failed", row.failed);
        if (row.measured == 0)
            table.add({"-", seeds, "-", "-", "-", row.group});
        else
            table.add({fmt::format("{}", row.parameters), seeds, range(row.exact, 4),
                       range(row.accuracy, 4), range(row.cpuSeconds, 1), row.group});
    }
    fmt::print("{}", table.text());
    // Every arm against every other would be read by nobody.
    constexpr std::size_t mostCompared = 8;
    if (done == jobs.size() && arms.size() <= mostCompared)
        if (const std::string verdict = verdictOn(arms); !verdict.empty())
            fmt::print("{}\n", verdict);
    if (done < jobs.size()) fmt::print("{} of {} jobs are done.\n", done, jobs.size());
    fmt::print("Written: {}\n", csv.string());
    return exitDone;
}

Result<ExitCode> sweep(const SweepCommand& command) {
    auto jobs = readJobs(command.spec);
    if (!jobs) return tl::unexpected(jobs.error());
    for (SweepJob& job : *jobs)
        if (command.deterministic) job.recipe.settings.shards = deterministicShards;
    if (command.list) return list(*jobs, command);
    if (command.merge) return merge(*jobs, command);
    if (command.job &&
        (*command.job < 0 || *command.job >= static_cast<std::int64_t>(jobs->size())))
        return fail(Error::Kind::badInput, "--job", fmt::format("there is no job {}", *command.job),
                    fmt::format("use 0 to {}", jobs->size() - 1));
    return run(*jobs, command);
}

}  // namespace

void addSweepCommand(CLI::App& program, Work& work) {
    auto options = std::make_shared<SweepCommand>();
    CLI::App* command = program.add_subcommand(
        "sweep", "Train every combination of settings, each a job, and sum them up");
    command->add_option("SPEC", options->spec, "what to train, a JSON file (see below)")
        ->type_name("FILE")
        ->required();
    CLI::Option* modes[] = {
        command->add_flag("--list", options->list, "list the jobs: number and name"),
        command->add_option("--job", options->job, "run this job only, unless it is done")
            ->type_name("K"),
        command->add_flag("--merge", options->merge,
                          "write results.csv and print the spread over seeds")};
    for (CLI::Option* one : modes)
        for (CLI::Option* other : modes)
            if (one != other) one->excludes(other);
    command
        ->add_option("--out", options->out, "folder of the results (default: SPEC without .json)")
        ->type_name("FOLDER");
    addSaveEvery(*command, options->saveEvery);
    addDeterministic(*command, options->deterministic);
    options->backend.addTo(*command, "threads, a shard of the batch each (default 1)");
    command->add_flag("--json", options->json, "print results as the JSON lines they are kept as");
    command->footer(fmt::format(
        "SPEC is one JSON object; only \"task\" is required:\n"
        "  task           what to learn\n"
        "  task_settings  what to set in it, as in {{\"hops\": 3}} (see info --tasks)\n"
        "  base           arms: \"iha\", or a list of ids and of {{\"arm\": \"mha\", \"name\":\n"
        "                 \"wide\", \"changes\": {{\"width\": 64}}}} (default: every arm)\n"
        "  grid           lists of values, every combination of which is trained:\n"
        "                 {{\"heads\": [2, 4], \"task.hops\": [2, 3]}}\n"
        "  settings       changes for every job, as in {{\"steps\": 500}}\n"
        "  seeds          how many, or a list (default 3: seeds 0, 1, 2)\n"
        "  evaluate       {{\"every\": 100, \"examples\": 1000, \"goal\": 0.99}}\n"
        "Grid, settings and changes take these keys:\n  {}\n"
        "Without --list, --job or --merge every job that is not done is run, those first that\n"
        "nobody has begun. Each job has a file in the folder with one JSON line, written when it\n"
        "is done, and a checkpoint until then: run the same line again to go on, also after\n"
        "Ctrl-C or a crash, and on as many machines as share the folder.\n"
        "  seq 0 11 | parallel headloom-cli sweep SPEC.json --job {{}}\n"
        "  srun headloom-cli sweep SPEC.json --job $SLURM_ARRAY_TASK_ID   # --array=0-11",
        [] {
            std::string text;
            std::size_t width = 0;
            for (const std::string& key : armChangeKeys()) {
                if (width > 70) text += "\n  ", width = 0;
                text += key + " ";
                width += key.size() + 1;
            }
            return text;
        }()));
    command->callback([options, &work] { work = [options] { return sweep(*options); }; });
}

}  // namespace headloom::cli
