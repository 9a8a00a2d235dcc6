#include "core/session/sweep_run.h"
#include "core/session/sweep_table.h"
#include "tests/support/temporary_folder.h"

#include <doctest/doctest.h>

#include <fstream>
#include <string>
#include <vector>

using namespace headloom;
using headloom::testing::contentsOf;
using headloom::testing::TemporaryFolder;

namespace {

/// Two arms, two seeds, ten tiny steps.
std::vector<SweepJob> jobsOf(const std::string& steps = "10") {
    return sweepFromJson(R"({"task": "four-witnesses", "base": ["mha", "iha"], "seeds": 2,
        "settings": {"batch": 4, "warmup": 3, "steps": )" +
                         steps + R"(}, "evaluate": {"every": 0, "examples": 5}})")
        .value();
}

SweepFolder open(const TemporaryFolder& folder) {
    return SweepFolder::open(folder / "sweep").value();
}

SweepOptions stopAfter(int steps) {
    SweepOptions options;
    options.cancelled = [left = steps]() mutable { return left-- == 0; };
    return options;
}

SweepResult measured(const SweepJob& job, double exact, double cpuSeconds) {
    SweepResult result;
    result.recipe = job.recipe;
    result.recipe.measured = Measured{10, 5, 0.75, exact, 1.5, cpuSeconds, "cpu", 1};
    result.parameters = 4550;
    return result;
}

std::string without(std::string text, const std::string& part) {
    const auto at = text.find(part);
    REQUIRE(at != std::string::npos);
    return text.erase(at, part.size());
}

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a job leaves one line and no checkpoint") {
    const TemporaryFolder scratch;
    const SweepFolder folder = open(scratch);
    const auto jobs = jobsOf();
    CHECK(!folder.done(jobs[3]));
    CHECK(!folder.load(jobs[3]).value());
    const SweepResult made = runSweepJob(jobs[3], folder, {}).value();
    CHECK(made.recipe.measured->steps == 10);
    CHECK(made.parameters == 4582);
    CHECK(folder.done(jobs[3]));
    CHECK(!folder.begun(jobs[3]));
    const std::string line = contentsOf(folder.resultFile(jobs[3]));
    CHECK(line.find('\n') == line.size() - 1);
    CHECK(contains(line, "\"job\":\"four-witnesses iha, seed 1\""));
    CHECK(contains(folder.resultFile(jobs[3]).filename().string(), "four-witnesses-iha-seed-1-"));
    const SweepResult loaded = folder.load(jobs[3]).value().value();
    CHECK(toJson(loaded.recipe) == toJson(made.recipe));
    CHECK(loaded.parameters == 4582);
    CHECK(loaded.problem.empty());
    // another recipe is another job
    CHECK(!folder.done(jobsOf("11")[3]));
}

TEST_CASE("a cancelled job goes on where it stopped, and comes out the same") {
    const TemporaryFolder scratch, other;
    const SweepFolder folder = open(scratch), straight = open(other);
    const auto jobs = jobsOf();
    const auto stopped = runSweepJob(jobs[2], folder, stopAfter(6));
    REQUIRE(!stopped);
    CHECK(stopped.error().kind == Error::Kind::interrupted);
    CHECK(contains(stopped.error().sentence(), "stopped after step 6 and saved"));
    CHECK(folder.begun(jobs[2]));
    CHECK(!folder.done(jobs[2]));
    int polls = 0;
    SweepOptions counting;
    counting.cancelled = [&polls] { return ++polls < 0; };
    const SweepResult resumed = runSweepJob(jobs[2], folder, counting).value();
    CHECK(polls == 4);
    const SweepResult whole = runSweepJob(jobs[2], straight, {}).value();
    CHECK(resumed.recipe.measured->exact == whole.recipe.measured->exact);
    CHECK(resumed.recipe.measured->accuracy == whole.recipe.measured->accuracy);
    CHECK(resumed.recipe.measured->steps == whole.recipe.measured->steps);
    CHECK(!folder.begun(jobs[2]));
}

TEST_CASE("a checkpoint that cannot be read or is of another recipe starts again") {
    const TemporaryFolder scratch;
    const SweepFolder folder = open(scratch);
    const auto jobs = jobsOf();
    std::ofstream(folder.checkpointFile(jobs[0])) << "half a fi";
    CHECK(runSweepJob(jobs[0], folder, {}).value().recipe.measured->steps == 10);
    REQUIRE(!runSweepJob(jobs[1], folder, stopAfter(2)));
    std::filesystem::rename(folder.checkpointFile(jobs[1]), folder.checkpointFile(jobs[2]));
    const SweepResult made = runSweepJob(jobs[2], folder, {}).value();
    CHECK(made.recipe.arm == "iha");
    CHECK(made.parameters == 4582);
}

TEST_CASE("a training that breaks down is a result with a problem") {
    const TemporaryFolder scratch;
    const SweepFolder folder = open(scratch);
    const auto jobs = sweepFromJson(R"({"task": "four-witnesses", "base": "mha", "seeds": 1,
        "settings": {"batch": 4, "learningRate": 1e30}})")
                          .value();
    const SweepResult made = runSweepJob(jobs[0], folder, {}).value();
    CHECK(contains(made.problem, "is not finite"));
    CHECK(folder.done(jobs[0]));
    CHECK(folder.load(jobs[0]).value()->problem == made.problem);
    const SweepResults results = loadSweep(jobs, folder).value();
    CHECK(summarise(jobs, results)[0].failed == 1);
    CHECK(contains(sweepCsv(jobs, results), "is not finite"));
}

TEST_CASE("jobs that nobody has begun come first") {
    const TemporaryFolder scratch;
    const SweepFolder folder = open(scratch);
    const auto jobs = jobsOf();
    CHECK(nextSweepJob(jobs, folder) == &jobs[0]);
    REQUIRE(!runSweepJob(jobs[0], folder, stopAfter(1)));  // somebody is at it
    CHECK(nextSweepJob(jobs, folder) == &jobs[1]);
    for (int i = 1; i < 4; ++i)
        REQUIRE(folder.save(jobs[static_cast<std::size_t>(i)],
                            measured(jobs[static_cast<std::size_t>(i)], 0.5, 2)));
    CHECK(nextSweepJob(jobs, folder) == &jobs[0]);
    REQUIRE(folder.save(jobs[0], measured(jobs[0], 0.5, 2)));
    CHECK(nextSweepJob(jobs, folder) == nullptr);
}

TEST_CASE("a summary has the spread over seeds, and says what is missing") {
    const auto jobs = jobsOf();
    SweepResults results(4);
    results[0] = measured(jobs[0], 0.25, 1);
    results[1] = measured(jobs[1], 0.75, 4);
    results[2] = measured(jobs[2], 1, 3);
    const auto rows = summarise(jobs, results);
    REQUIRE(rows.size() == 2);
    CHECK(rows[0].group == "four-witnesses mha");
    CHECK(rows[0].seeds == 2);
    CHECK(rows[0].measured == 2);
    CHECK(rows[0].exact.mean == 0.5);
    CHECK(rows[0].exact.least == 0.25);
    CHECK(rows[0].exact.most == 0.75);
    CHECK(rows[0].cpuSeconds.mean == 2.5);
    CHECK(rows[0].exactBySeed == std::vector<double>{0.25, 0.75});
    CHECK(rows[0].parameters == 4550);
    CHECK(rows[1].measured == 1);
    CHECK(rows[1].accuracy.mean == 0.75);
}

TEST_CASE("merged results have a column for each key and quotes where they are needed") {
    const auto jobs = sweepFromJson(R"({"task": "four-witnesses", "seeds": 1,
        "base": {"arm": "mha", "name": "a, \"b\""}, "grid": {"steps": [5, 6]}})")
                          .value();
    SweepResults results(2);
    results[1] = measured(jobs[1], 0.5, 2.25);
    CHECK(sweepCsv(jobs, results) ==
          "job,task,arm,steps,seed,parameters,steps_done,goal_reached,examples,exact,accuracy,"
          "seconds,"
          "cpu_seconds,backend,threads,problem\n"
          "1,four-witnesses,\"a, \"\"b\"\"\",6,0,4550,10,false,5,0.5,0.75,1.500,2.250,cpu,1,\n");
}

TEST_CASE("a damaged result is named, not counted") {
    const TemporaryFolder scratch;
    const SweepFolder folder = open(scratch);
    const auto jobs = jobsOf();
    for (const std::string& damaged :
         {std::string("{"), std::string("[]"), std::string("{\"recipe\":{}}"),
          without(sweepLine(jobs[0], measured(jobs[0], 1, 1)), "\"parameters\":4550,")}) {
        CAPTURE(damaged);
        std::ofstream(folder.resultFile(jobs[0])) << damaged;
        const auto loaded = loadSweep(jobs, folder);
        REQUIRE(!loaded);
        CHECK(contains(loaded.error().sentence(), "is not the result of this job; delete it"));
    }
}

TEST_CASE("a folder that cannot be is refused") {
    const TemporaryFolder scratch;
    const auto file = scratch.write("file", "x");
    CHECK(contains(SweepFolder::open(file).error().sentence(), "cannot be created"));
    CHECK(contains(SweepFolder::open(file / "below").error().sentence(), "cannot be created"));
    // a folder that goes away is noticed before the training
    const SweepFolder gone(scratch / "gone");
    const auto made = runSweepJob(jobsOf()[0], gone, {});
    REQUIRE(!made);
    CHECK(contains(made.error().sentence(), "cannot be written"));
    // one that goes away meanwhile is an error as well, and not a result
    const SweepFolder going = open(scratch);
    SweepOptions options;
    options.saveEvery = 0;
    options.cancelled = [&] {
        std::filesystem::remove_all(going.path());
        return false;
    };
    const auto lost = runSweepJob(jobsOf()[0], going, options);
    REQUIRE(!lost);
    CHECK(lost.error().kind == Error::Kind::ioFailure);
}
