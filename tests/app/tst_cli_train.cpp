#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <csignal>
#include <cstdio>
#include <cstring>
#include <sstream>

#include "cli_support.h"

using namespace headloom;
using namespace headloom::testing;
using nlohmann::json;

namespace {

/// A training of the smallest kind, with what a test adds to it.
std::vector<std::string> training(const std::string& out, std::vector<std::string> more) {
    std::vector<std::string> all = {"train", "four-witnesses",  "--batch", "4", "--out",
                                    out,     "--eval-examples", "5"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
}

/// Starts a program, presses Ctrl-C once it has printed `lines` lines, and waits for it.
int interruptAfter(int nLines, std::vector<std::string> arguments) {
    int ends[2];
    if (::pipe(ends) != 0) throw std::runtime_error("no pipe");
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
    ::posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    ::posix_spawn_file_actions_addclose(&actions, ends[0]);
    arguments.insert(arguments.begin(), HEADLOOM_CLI);
    std::vector<char*> pointers;
    for (std::string& argument : arguments) pointers.push_back(argument.data());
    pointers.push_back(nullptr);
    pid_t child = 0;
    const int failed =
        ::posix_spawn(&child, HEADLOOM_CLI, &actions, nullptr, pointers.data(), environ);
    ::posix_spawn_file_actions_destroy(&actions);
    ::close(ends[1]);
    if (failed) throw std::runtime_error("cannot start the program");
    std::FILE* out = ::fdopen(ends[0], "r");
    for (int c; nLines > 0 && (c = std::fgetc(out)) != EOF;) nLines -= c == '\n';
    ::kill(child, SIGINT);
    while (std::fgetc(out) != EOF) {
    }
    std::fclose(out);
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

TEST_CASE("train reports and writes a model that eval measures the same") {
    const TemporaryFolder folder;
    const std::string file = folder / "a.safetensors";
    const Ended ended =
        cli(training(file, {"--arm", "mha-h4", "--steps", "4", "--eval-every", "2"}));
    CAPTURE(ended.err);
    REQUIRE(ended.code == 0);
    const auto said = lines(ended.out);
    REQUIRE(said.size() == 4);  // what is trained, two evaluations, what came of it
    CHECK(contains(said[0], "MHA, 4 heads: 4550 parameters, seed 0, 4 steps of 4 samples"));
    for (const char* part : {"step      2 of 4", "loss", "accuracy", "exact", "steps/s", "CPU"})
        CHECK(contains(said[1], part));
    CHECK(contains(said[3], "5 held-out examples after 4 steps"));

    const Ended measured = cli({"eval", file, "--examples", "5", "--json"});
    REQUIRE(measured.code == 0);
    const json result = json::parse(measured.out);
    CHECK(result["task"] == "four-witnesses");
    CHECK(result["examples"] == 5);
    CHECK(result["teacher_forced"]["exact"] == result["free_running"]["exact"]);
    const Recipe recipe = recipeFromJson(loadModel(file).value().recipe).value();
    CHECK(result["teacher_forced"]["accuracy"] == recipe.measured->accuracy);
    CHECK(recipe.measured->backend == "cpu");
    CHECK(contains(cli({"eval", file, "--examples", "5"}).out, "feeding itself"));
}

TEST_CASE("a goal ends a training and is reported, also after a resumption") {
    const TemporaryFolder folder;
    const std::string file = folder / "a.safetensors";
    // of 5 chains none is right at first: 0 of 1 steps is a goal that is not reached
    const Ended missed = cli(training(file, {"--steps", "2", "--goal", "1"}));
    CHECK(missed.code == 0);
    CHECK(contains(missed.out, "goal of 1 exact not reached\n"));
    const std::vector<std::string> bank = {"train",           "look-back-bank",
                                           "--eval-every",    "10",
                                           "--goal",          "0.01",
                                           "--out",           file,
                                           "--batch",         "8",
                                           "--seed",          "3",
                                           "--eval-examples", "50"};
    const Ended met = cli(bank);
    CAPTURE(met.err);
    REQUIRE(met.code == 0);
    CHECK(contains(met.out, "goal of 0.01 exact reached at step "));
    auto asJson = bank;
    asJson.emplace_back("--json");
    CHECK(json::parse(lines(cli(asJson).out).back())["goal_reached"] == true);
    const Ended refused = cli(training(file, {"--goal", "2"}));
    CHECK(refused.code == 2);
    CHECK(contains(refused.err, "the goal is a share of whole chains"));
}

TEST_CASE("--set changes the task, and the model's file says so") {
    const TemporaryFolder folder;
    const std::string file = folder / "a.safetensors";
    const Ended ended =
        cli(training(file, {"--steps", "2", "--set", "length=3", "--set", "lags=1,2 3,4"}));
    CAPTURE(ended.err);
    REQUIRE(ended.code == 0);
    CHECK(loadModel(file).value().config.nCtx == 4 + 3 - 1);
    CHECK(contains(cli({"info", file}).out, "lags=1,2,3,4, length=3"));
    const auto exact = [&](std::vector<std::string> more) {
        std::vector<std::string> all = {"eval", file, "--examples", "5"};
        all.insert(all.end(), more.begin(), more.end());
        return cli(all);
    };
    CHECK(exact({}).code == 0);
    CHECK(exact({"--set", "length=2"}).code == 0);
    CHECK(contains(exact({"--set", "length=9"}).err, "do not fit the task"));
    CHECK(contains(cli({"run", file}).out, "3"));
}

TEST_CASE("a model of a task where nothing is written is read out row by row") {
    const TemporaryFolder folder;
    const std::string file = saved(folder, "m.safetensors", untrained("cpm-3", "mha"));
    const Ended ended = cli({"run", file, "--example", "1", "--json"});
    CAPTURE(ended.err);
    REQUIRE(ended.code == 0);
    CHECK(json::parse(ended.out)["steps"].size() == 6);
    CHECK(contains(cli({"eval", file, "--examples", "5"}).out, "exact counts whole samples"));
}

TEST_CASE("info lists the tasks and what can be set in them") {
    const Ended ended = cli({"info", "--tasks"});
    REQUIRE(ended.code == 0);
    for (const char* part :
         {"four-witnesses: Four witnesses", "lags=2,3,4,5 (numbers from 1 to 9)",
          "hops=4 (1 to 26)", "How many clauses lead from a chain's first name to its digit."})
        CHECK(contains(ended.out, part));
    CHECK(cli({"info", "--tasks", "x"}).code == 2);
}

TEST_CASE("eval says whether pseudo-heads are copies") {
    const TemporaryFolder folder;
    // identity without noise and without rotary positions under the token mask: exact copies
    const auto measured = [&](const char* name, const std::function<void(ModelConfig&)>& change,
                              MixingStart start, std::vector<std::string> more) {
        Model model = untrained("four-witnesses", "iha", change);
        MixingInit mixing;
        mixing.start = start;
        model.weights = initialWeights(model.config, 1, mixing);
        // untrained maps are all but uniform, hence alike; sharp ones differ where they can
        for (float& value : model.weights.find("blocks.0.attn.W_Q").values<float>()) value *= 20;
        std::vector<std::string> all = {"eval", saved(folder, name, model), "--examples", "5"};
        all.insert(all.end(), more.begin(), more.end());
        return cli(all).out;
    };
    const auto still = [](ModelConfig& config) {
        config.layers[0].positions = PositionKind::none;
        config.layers[0].mask = MaskKind::token;
    };
    CHECK(contains(measured("a.st", still, MixingStart::identity, {}),
                   "layer 0: pseudo-heads are copies in every head"));
    const json copies = json::parse(measured("a.st", still, MixingStart::identity, {"--json"}));
    CHECK(copies["pseudo_heads"][0]["copies"] == true);
    CHECK(copies["pseudo_heads"][0]["heads"][1]["smallest"].get<double>() > 0.999);
    CHECK(copies["pseudo_heads"][0]["heads"][1]["tiles_smallest"].get<double>() > 0.999);

    CHECK(contains(measured("b.st", {}, MixingStart::identityNoise, {}),
                   "layer 0: pseudo-heads differ: map cosine"));
    const json noisy = json::parse(measured("b.st", {}, MixingStart::identityNoise, {"--json"}));
    CHECK(noisy["pseudo_heads"][0]["copies"] == false);

    const std::string mha = saved(folder, "c.st", untrained("four-witnesses", "mha"));
    CHECK(!contains(cli({"eval", mha, "--examples", "5"}).out, "pseudo"));
}

TEST_CASE("train --json prints an object a line, the recipe last") {
    const TemporaryFolder folder;
    const std::string file = folder / "a.safetensors";
    const Ended ended = cli(training(file, {"--steps", "3", "--eval-every", "0", "--json"}));
    REQUIRE(ended.code == 0);
    const auto said = lines(ended.out);
    REQUIRE(said.size() == 2);
    const json progress = json::parse(said[0]);
    for (const char* key : {"step", "steps", "loss", "learning_rate", "accuracy", "exact",
                            "steps_per_second", "seconds", "cpu_seconds"})
        CHECK(progress.contains(key));
    const json end = json::parse(said[1]);
    CHECK(end["model"] == file);
    CHECK(end["recipe"]["arm"] == "iha");
    CHECK(end["recipe"]["settings"]["batch"] == 4);
}

TEST_CASE("Ctrl-C saves, and --resume goes on with the same bits") {
    const TemporaryFolder folder;
    const std::string stopped = folder / "stopped.safetensors",
                      whole = folder / "whole.safetensors";
    // a machine that is in a hurry may finish before the key is pressed: then train for longer
    for (const char* steps : {"400", "4000", "40000"}) {
        const std::vector<std::string> more = {"--steps", steps, "--eval-every", "10"};
        const int code = interruptAfter(2, training(stopped, more));
        if (code == 0) continue;
        CHECK(code == 130);
        CHECK(!std::filesystem::exists(stopped));
        const Ended resumed =
            cli({"train", "--resume", stopped + ".checkpoint", "--out", stopped, "--json"});
        CAPTURE(resumed.err);
        REQUIRE(resumed.code == 0);
        REQUIRE(cli(training(whole, more)).code == 0);
        CHECK(sameWeights(stopped, whole));
        return;
    }
    FAIL("never interrupted");
}

TEST_CASE("what cannot be trained or measured is one sentence and exit code 2") {
    const TemporaryFolder folder;
    const std::string out = folder / "x.safetensors";
    const std::string model = saved(folder, "m.safetensors", untrained("four-witnesses", "mha"));
    Model anonymous = untrained("four-witnesses", "mha");
    anonymous.recipe.clear();
    const std::string nameless = saved(folder, "n.safetensors", anonymous);
    struct Case {
        std::vector<std::string> arguments;
        std::string says;
    };
    for (const Case& one : {
             Case{{"train", "--out", out}, "use one of: four-witnesses, pointer-chain"},
             {{"train", "five", "--out", out}, "\"five\" is not a task; use one of"},
             {{"train", "four-witnesses", "--arm", "x", "--out", out}, "mha, mha-pm2, mha-h4, iha"},
             {{"train", "four-witnesses"}, "--out is required"},
             {{"train", "four-witnesses", "--out", folder / "no/x"}, "there is no such folder"},
             {{"train", "four-witnesses", "--out", folder.path()}, "is a folder"},
             {training(out, {"--steps", "0"}), "at least one step"},
             {training(out, {"--score", "hard"}), "hard scores have no gradient"},
             {training(out, {"--score", "x"}), "softmax, linear"},
             {training(out, {"--steps", "x"}), "--steps"},
             {training(out, {"--steps", "5", "--seconds", "2"}), "--steps excludes --seconds"},
             {training(out, {"--seconds", "0"}), "the time must be above 0"},
             {training(out, {"--lr", "-1"}), "learning rate must be above 0"},
             {training(out, {"--lr", "1e30"}), "first bad tensor is"},
             {{"train", "four-witnesses", "--batch", "0", "--out", out}, "at least one sample"},
             {training(out, {"--seed", "-1"}), "--seed"},
             {training(out, {"--eval-every", "-1"}), "cannot be negative"},
             {{"train", "four-witnesses", "--eval-examples", "0", "--out", out},
              "at least one example"},
             {training(out, {"--threads", "0"}), "use 1 to 256"},
             {training(out, {"--backend", "abacus"}), "is not a backend"},
             {training(out, {"--colour"}), "--colour"},
             {{"train", "--resume", folder / "none", "--out", out}, "none"},
             {{"train", "--resume", model, "--out", out}, "is not a training checkpoint"},
             {{"train", "--resume", model, "--seed", "1", "--out", out}, "excludes"},
             {training(out, {"--set", "length"}), "\"length\" is not NAME=VALUE"},
             {training(out, {"--set", "length=3", "--set", "length=4"}), "length is set twice"},
             {training(out, {"--set", "length=99"}), "not a whole number from 1 to 64"},
             {training(out, {"--set", "hops=3"}), "use one of: books, lags, weights, length"},
             {{"eval", model, "--set", "length=99"}, "setting length"},
             {{"eval"}, "MODEL is required"},
             {{"eval", folder / "none"}, "none"},
             {{"eval", model, "--examples", "0"}, "at least one example"},
             {{"eval", model, "--task", "five"}, "is not a task"},
             {{"eval", model, "--task", "pointer-chain"}, "do not fit the task pointer-chain"},
             {{"eval", nameless}, "--task"},
         }) {
        const Ended ended = cli(one.arguments);
        CAPTURE(one.says);
        CAPTURE(ended.err);
        CHECK(ended.code == 2);
        CHECK(lines(ended.err).size() == 1);
        CHECK(contains(ended.err, one.says));
        CHECK(!std::filesystem::exists(out));
    }
    CHECK(cli({"eval", nameless, "--task", "four-witnesses", "--examples", "5"}).code == 0);
}

TEST_CASE("--init and --noise choose how the mixing starts") {
    const TemporaryFolder folder;
    const std::string file = folder / "m.safetensors";
    // one step at a rate too small to move a weight by more than the rate
    REQUIRE(cli(training(file,
                         {"--steps", "1", "--lr", "1e-9", "--init", "select-last", "--noise", "0"}))
                .code == 0);
    const Model model = loadModel(file).value();
    const Tensor r = model.weights.find("blocks.0.attn.R");
    const float want[] = {0, 1, 0, 0, 0, 0, 0, 1};
    for (std::int64_t i = 0; i < 8; ++i)
        CHECK(r.data<float>()[i] == doctest::Approx(want[i]).epsilon(1e-6));
    CHECK(recipeFromJson(model.recipe).value().mixing.start == MixingStart::selectLast);

    const auto refused = [&](std::vector<std::string> more) {
        const Ended ended = cli(training(file, std::move(more)));
        CHECK(ended.code == 2);
        return ended.err;
    };
    CHECK(contains(refused({"--init", "zero"}), "--init: \"zero\" is not a way to start"));
    CHECK(contains(refused({"--arm", "mha", "--init", "mean"}), "--init: this arm has no mixing"));
    CHECK(contains(refused({"--noise", "-1"}), "--noise: the deviation"));
    CHECK(contains(refused({"--init", "identity", "--noise", "1"}), "has no noise"));
    CHECK(contains(cli({"train", "--resume", file, "--out", file, "--noise", "1"}).err,
                   "--noise: a training that is resumed has started already"));
}
