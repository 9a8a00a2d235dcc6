#include "core/session/checkpoint.h"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <sstream>

#include "cli_support.h"

using namespace headloom;
using namespace headloom::testing;
namespace fs = std::filesystem;

namespace {

std::vector<std::string> training(const std::string& out, std::vector<std::string> more) {
    std::vector<std::string> all = {"train", "four-witnesses",  "--batch", "16",           "--out",
                                    out,     "--eval-examples", "5",       "--eval-every", "0"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
}

}  // namespace

TEST_CASE("a killed training goes on from what it saved, with the same bits") {
    const TemporaryFolder folder;
    const std::string killed = folder / "killed", whole = folder / "whole",
                      checkpoint = killed + ".checkpoint";
    // a machine in a hurry may finish before it is killed: then train for longer
    for (const char* steps : {"600", "6000", "60000"}) {
        const pid_t child = start(training(killed, {"--steps", steps, "--save-every", "0.001"}));
        for (int i = 0; i < 10000 && !fs::exists(checkpoint); ++i) ::usleep(1000);
        ::usleep(10000);
        ::kill(child, SIGKILL);
        int status = 0;
        ::waitpid(child, &status, 0);
        if (fs::exists(killed)) continue;
        REQUIRE(WIFSIGNALED(status));
        CHECK(loadCheckpoint(checkpoint).value().state.step > 0);
        const Ended resumed = cli({"train", "--resume", checkpoint, "--out", killed});
        CAPTURE(resumed.err);
        REQUIRE(resumed.code == 0);
        CHECK(!fs::exists(checkpoint));
        REQUIRE(cli(training(whole, {"--steps", steps})).code == 0);
        CHECK(sameWeights(killed, whole));
        return;
    }
    FAIL("never killed in time");
}

TEST_CASE("a finished training takes its checkpoint away") {
    const TemporaryFolder folder;
    const std::string out = folder / "m";
    REQUIRE(cli(training(out, {"--steps", "60", "--save-every", "0.0001"})).code == 0);
    CHECK(fs::exists(out));
    CHECK(!fs::exists(out + ".checkpoint"));
}

TEST_CASE("a new training does not write over what an interrupted one saved") {
    const TemporaryFolder folder;
    const std::string out = folder / "m", checkpoint = out + ".checkpoint";
    const auto kept = folder.write("m.checkpoint", "precious");
    const Ended refused = cli(training(out, {"--steps", "5"}));
    CHECK(refused.code == 2);
    CHECK(contains(refused.err,
                   "m.checkpoint: an interrupted training was saved there; go on with "
                   "--resume"));
    CHECK(contentsOf(kept) == "precious");
    CHECK(cli(training(out, {"--steps", "5", "--checkpoint", folder / "other"})).code == 0);
    CHECK(contentsOf(kept) == "precious");
}

TEST_CASE("--deterministic gives the same bits with any number of threads") {
    const TemporaryFolder folder;
    const std::string one = folder / "one", three = folder / "three", plain = folder / "plain";
    REQUIRE(cli(training(one, {"--steps", "30", "--deterministic"})).code == 0);
    REQUIRE(cli(training(three, {"--steps", "30", "--deterministic", "--threads", "3"})).code == 0);
    REQUIRE(cli(training(plain, {"--steps", "30"})).code == 0);
    CHECK(sameWeights(one, three));
    CHECK(contains(cli({"train", "--resume", one, "--out", plain, "--deterministic"}).err,
                   "keeps its shards"));
    CHECK(!sameWeights(one, plain));  // sums in another order: the test can tell
    CHECK(recipeFromJson(loadModel(one).value().recipe).value().settings.shards == 8);
}
