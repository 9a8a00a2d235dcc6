#include "core/session/checkpoint.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <sstream>

#include "cli_support.h"

using namespace headloom;
using namespace headloom::testing;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

/// Two arms, two seeds.
std::string spec(const std::string& steps = "4") {
    return R"({"task": "four-witnesses", "base": ["mha", "iha"], "seeds": 2,
               "settings": {"batch": 4, "steps": )" +
           steps + R"(}, "evaluate": {"every": 0, "examples": 5}})";
}

/// Every file of the folder that ends so, by name.
std::vector<fs::path> filesIn(const fs::path& folder, const std::string& ending) {
    std::vector<fs::path> files;
    if (fs::exists(folder))
        for (const auto& entry : fs::directory_iterator(folder))
            if (entry.path().string().ends_with(ending)) files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    return files;
}

/// What the results say, without the seconds, which differ from run to run.
std::vector<json> resultsIn(const fs::path& folder) {
    std::vector<json> all;
    for (const fs::path& file : filesIn(folder, ".json")) {
        all.push_back(json::parse(contentsOf(file)));
        for (const char* clock : {"seconds", "cpuSeconds"})
            all.back()["recipe"]["measured"].erase(clock);
    }
    return all;
}

int waitFor(pid_t child) {
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/// Runs a shell line in which $CLI is the program.
Ended shell(const std::string& line) {
    return runProgram("/bin/sh", {"-c", "CLI='" HEADLOOM_CLI "'; " + line});
}

}  // namespace

TEST_CASE("--list numbers the jobs, and says which are done") {
    const TemporaryFolder folder;
    const std::string file = folder.write("s.json", spec());
    const Ended listed = cli({"sweep", file, "--list"});
    REQUIRE(listed.code == 0);
    CHECK(listed.out ==
          "0 four-witnesses mha, seed 0\n1 four-witnesses mha, seed 1\n"
          "2 four-witnesses iha, seed 0\n3 four-witnesses iha, seed 1\n");
    CHECK(!fs::exists(folder / "s"));  // looking writes nothing
    REQUIRE(cli({"sweep", file, "--job", "2"}).code == 0);
    CHECK(contains(cli({"sweep", file, "--list"}).out, "iha, seed 0 (done)\n3 "));
}

TEST_CASE("jobs one by one are the same as all at once, and are not done twice") {
    const TemporaryFolder folder;
    const std::string file = folder.write("s.json", spec());
    for (const char* job : {"3", "0", "2", "1"}) {
        const Ended ended = cli({"sweep", file, "--job", job, "--out", folder / "one"});
        CAPTURE(ended.err);
        CHECK(ended.code == 0);
        CHECK(contains(ended.out, "after 4 steps"));
    }
    const Ended all = cli({"sweep", file, "--json"});
    REQUIRE(all.code == 0);
    REQUIRE(lines(all.out).size() == 4);
    CHECK(json::parse(lines(all.out)[3])["job"] == "four-witnesses iha, seed 1");
    CHECK(resultsIn(folder / "one") == resultsIn(folder / "s"));
    CHECK(resultsIn(folder / "s").size() == 4);
    CHECK(filesIn(folder / "s", ".checkpoint").empty());
    const auto before = fs::last_write_time(filesIn(folder / "s", ".json")[0]);
    CHECK(cli({"sweep", file}).out.empty());
    CHECK(contains(cli({"sweep", file, "--job", "0"}).out, "mha, seed 0: exact"));
    CHECK(fs::last_write_time(filesIn(folder / "s", ".json")[0]) == before);
}

TEST_CASE("--merge writes the numbers and prints the spread") {
    const TemporaryFolder folder;
    const std::string file = folder.write("s.json", spec());
    REQUIRE(cli({"sweep", file, "--job", "0"}).code == 0);
    const Ended part = cli({"sweep", file, "--merge"});
    CHECK(part.code == 0);
    CHECK(contains(part.out, "1 of 2"));
    CHECK(contains(part.out, "1 of 4 jobs are done."));
    REQUIRE(cli({"sweep", file}).code == 0);
    const Ended ended = cli({"sweep", file, "--merge"});
    REQUIRE(ended.code == 0);
    const auto said = lines(ended.out);
    REQUIRE(said.size() == 5);
    for (const char* heading : {"parameters", "exact, mean (range)", "CPU s, mean (range)", "arm"})
        CHECK(contains(said[0], heading));
    CHECK(contains(said[1], "4550"));
    CHECK(said[2].ends_with("four-witnesses iha"));
    // hardly trained: neither arm is ahead in every seed
    CHECK(contains(said[3], "ranges overlap; it takes "));
    const auto csv = lines(contentsOf(folder / "s/results.csv"));
    REQUIRE(csv.size() == 5);
    CHECK(csv[0].starts_with("job,task,arm,seed,parameters"));
    CHECK(csv[4].starts_with("3,four-witnesses,iha,1,4582,4,false,5,"));
}

TEST_CASE("Ctrl-C keeps a checkpoint, and the same line goes on") {
    const TemporaryFolder folder;
    const std::string file = folder.write("s.json", spec("300"));
    const pid_t child = start({"sweep", file, "--job", "3", "--save-every", "0"});
    while (filesIn(folder / "s", ".checkpoint").empty()) ::usleep(1000);
    ::kill(child, SIGINT);
    const int code = waitFor(child);
    // a machine in a hurry may have finished
    CHECK((code == 130 || code == 0));
    CHECK(filesIn(folder / "s", ".checkpoint").size() == (code == 130 ? 1u : 0u));
    REQUIRE(cli({"sweep", file, "--job", "3"}).code == 0);
    REQUIRE(cli({"sweep", file, "--job", "3", "--out", folder / "whole"}).code == 0);
    CHECK(resultsIn(folder / "s") == resultsIn(folder / "whole"));
}

TEST_CASE("kill -9 at any time leaves whole files only, and loses little") {
    const TemporaryFolder folder;
    const std::string file = folder.write("s.json", spec("120"));
    const fs::path out = folder / "s";
    int kills = 0;
    for (int delay = 1000; delay < 400000 && filesIn(out, ".json").size() < 4; delay += delay / 2) {
        // saves all the time, so that it is most likely killed while writing
        const pid_t child = start({"sweep", file, "--save-every", "0.0001"});
        ::usleep(static_cast<useconds_t>(delay));
        ::kill(child, SIGKILL);
        kills += waitFor(child) == 128 + SIGKILL;
        for (const fs::path& kept : filesIn(out, ".checkpoint")) CHECK(loadCheckpoint(kept));
        for (const fs::path& kept : filesIn(out, ".json"))
            CHECK(json::parse(contentsOf(kept), nullptr, false).is_object());
    }
    CHECK(kills > 0);
    REQUIRE(cli({"sweep", file}).code == 0);
    REQUIRE(cli({"sweep", file, "--out", folder / "whole"}).code == 0);
    CHECK(resultsIn(out) == resultsIn(folder / "whole"));
}

TEST_CASE("two programs at one sweep do no harm") {
    const TemporaryFolder folder;
    const std::string file = folder.write("s.json", spec("60"));
    const pid_t one = start({"sweep", file, "--save-every", "0.001"});
    const pid_t other = start({"sweep", file, "--save-every", "0.001"});
    CHECK(waitFor(one) == 0);
    CHECK(waitFor(other) == 0);
    const pid_t same = start({"sweep", file, "--job", "1", "--out", folder / "same"});
    CHECK(cli({"sweep", file, "--job", "1", "--out", folder / "same"}).code == 0);
    CHECK(waitFor(same) == 0);
    REQUIRE(cli({"sweep", file, "--out", folder / "alone"}).code == 0);
    CHECK(resultsIn(folder / "s") == resultsIn(folder / "alone"));
    CHECK(resultsIn(folder / "same") == std::vector<json>{resultsIn(folder / "alone")[3]});
    CHECK(filesIn(folder / "s", ".tmp").empty());
}

TEST_CASE("what cannot be swept is one sentence and exit code 2") {
    const TemporaryFolder folder;
    const std::string file = folder.write("s.json", spec());
    const auto wrong = [&](const char* name, const std::string& text) -> std::string {
        return folder.write(name, text);
    };
    struct Case {
        std::vector<std::string> arguments;
        std::string says;
    };
    for (const Case& one : {
             Case{{"sweep"}, "SPEC is required"},
             {{"sweep", folder / "none.json"}, "none.json: cannot be read"},
             {{"sweep", wrong("a.json", "{")}, "a.json: it is not a JSON object"},
             {{"sweep", wrong("b.json", R"({"task": "four-witnesses", "sedes": 3})")},
              "\"sedes\" is not a key of it; use one of: task, task_settings"},
             {{"sweep",
               wrong("c.json",
                     R"({"task": "four-witnesses", "base": "mha", "grid": {"heads": [3]}})")},
              "c.json, job 0 (four-witnesses mha heads=3), heads H: H = 3 does not divide"},
             {{"sweep", file, "--job", "4"}, "there is no job 4; use 0 to 3"},
             {{"sweep", file, "--job", "-1"}, "there is no job -1"},
             {{"sweep", file, "--job", "x"}, "--job"},
             {{"sweep", file, "--job", "1", "--list"}, "excludes"},
             {{"sweep", file, "--merge"}, "no job of this sweep is done"},
             {{"sweep", file, "--save-every", "-1"}, "--save-every"},
             {{"sweep", file, "--threads", "0"}, "use 1 to 256"},
             {{"sweep", file, "--backend", "abacus"}, "is not a backend"},
             {{"sweep", file, "--out", file}, "the folder cannot be created"},
             {{"sweep", file, "--out", "/proc/headloom"}, "the folder cannot be created"},
         }) {
        const Ended ended = cli(one.arguments);
        CAPTURE(one.says);
        CAPTURE(ended.err);
        CHECK(ended.code == 2);
        CHECK(lines(ended.err).size() == 1);
        CHECK(contains(ended.err, one.says));
    }
}

TEST_CASE("a job that breaks down fails, and the others go on") {
    const TemporaryFolder folder;
    const std::string file =
        folder.write("s.json", R"({"task": "four-witnesses", "base": "mha", "seeds": 1,
        "grid": {"learningRate": [1e30, 0.01]}, "settings": {"batch": 4, "steps": 4},
        "evaluate": {"every": 0, "examples": 5}})");
    const Ended ended = cli({"sweep", file});
    CHECK(ended.code == 2);
    CHECK(contains(ended.err, "1 of 2 jobs failed"));
    CHECK(contains(ended.out, "learningRate=0.01, seed 0: exact"));
    const Ended again = cli({"sweep", file, "--job", "0"});
    CHECK(again.code == 2);
    CHECK(contains(again.err, "first bad tensor is"));
    CHECK(contains(cli({"sweep", file, "--merge"}).out, "1 failed"));
}

// The superuser may write everywhere, so that the test becomes someone else for a moment.
TEST_CASE("a folder that may not be written is one sentence") {
    const TemporaryFolder folder;
    const std::string file = folder.write("s.json", spec());
    constexpr auto reading = static_cast<fs::perms>(0555);
    fs::create_directory(folder / "s");
    fs::permissions(folder / "s", reading);
    fs::permissions(file, reading);
    fs::permissions(folder.path(), reading | fs::perms::owner_write);
    const uid_t before = ::geteuid();
    constexpr uid_t nobody = 65534;
    if (before == 0) REQUIRE(::seteuid(nobody) == 0);
    const bool canRun = ::faccessat(AT_FDCWD, HEADLOOM_CLI, X_OK, AT_EACCESS) == 0;
    const Ended ended = canRun ? cli({"sweep", file}) : Ended{};
    REQUIRE(::seteuid(before) == 0);
    fs::permissions(folder / "s", fs::perms::owner_all);
    if (!canRun) {
        MESSAGE("skipped: the program lies where only the superuser may go");
        return;
    }
    CAPTURE(ended.err);
    CHECK(ended.code == 2);
    CHECK(lines(ended.err).size() == 1);
    CHECK(contains(ended.err, "cannot be written (Permission denied)"));
}

// A disk without room cannot be had in a test; a limit on the size of a file fails the same call.
TEST_CASE("a disk that is full is one sentence, and nothing half is left") {
    const TemporaryFolder folder;
    const std::string file = folder.write("s.json", spec());
    const std::string line = " sweep " + file + " --job 0";
    // 32 KiB: no checkpoint
    const Ended early = shell("ulimit -f 64; exec $CLI" + line);
    CHECK(early.code == 2);
    CHECK(lines(early.err).size() == 1);
    CHECK(contains(early.err, ".checkpoint: cannot be written (File too large)"));
    CHECK(fs::is_empty(folder / "s"));
    REQUIRE(cli({"sweep", file}).code == 0);
    const Ended merged = shell("(ulimit -f 0; exec $CLI sweep " + file + " --merge) 2>&1 | cat");
    CHECK(contains(merged.out, "results.csv: cannot be written (File too large)"));
    CHECK(filesIn(folder / "s", ".csv").empty());
    CHECK(filesIn(folder / "s", ".tmp").empty());
}
