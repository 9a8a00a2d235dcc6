#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <cstdlib>
#include <fstream>

#include "cli_support.h"

using namespace headloom::testing;
using nlohmann::json;

namespace {

json jsonOf(std::vector<std::string> arguments) {
    arguments.emplace_back("--json");
    const Ended ended = cli(std::move(arguments));
    REQUIRE(ended.code == 0);
    CHECK(ended.err.empty());  // no counter where nobody sees it
    return json::parse(ended.out);
}

const json& partOf(const json& table, const std::string& name) {
    for (const json& line : table)
        if (line["part"] == name) return line;
    throw std::runtime_error("no part " + name);
}

std::string sentence(std::vector<std::string> arguments) {
    const Ended ended = cli(std::move(arguments));
    CHECK(ended.code == 2);
    CHECK(ended.out.empty());
    return ended.err;
}

}  // namespace

TEST_CASE("averages of heads are those of the single examples") {
    const json all = jsonOf({"heads", "four-witnesses-iha", "--examples", "3", "--from", "4"});
    CHECK(all["over"] == "held-out examples 4 to 6 of four-witnesses");
    CHECK(all["asked"] == 3);
    CHECK(all["done"] == 3);
    REQUIRE(all["heads"].size() == 10);
    double sum = 0, squares = 0;
    for (const char* example : {"4", "5", "6"}) {
        const json one = jsonOf({"heads", "four-witnesses-iha", "--example", example});
        const double value = partOf(one["heads"], "L0H1.q0k1")["entropy"];
        sum += value;
        squares += value * value;
    }
    const json& entropy = partOf(all["heads"], "L0H1.q0k1")["entropy"];
    CHECK(entropy["mean"].get<double>() == doctest::Approx(sum / 3));
    // the difference of squares loses some digits
    CHECK(entropy["sd"].get<double>() ==
          doctest::Approx(std::sqrt((squares - sum * sum / 3) / 2)).epsilon(1e-3));
    CHECK(entropy["n"] == 3);
    CHECK(all["layers"][0]["part"] == "L0");
    CHECK(all["layers"][0]["distinct"]["max"].get<double>() <= 8);
    CHECK(all["answers"]["accuracy"]["mean"] == 1);
}

TEST_CASE("parts by what the answers lose on average") {
    const json root = jsonOf({"ablate", "pointer-chain-iha", "--rank", "heads", "--examples", "4"});
    REQUIRE(root["ranking"].size() == 8);
    for (std::size_t i = 1; i < 8; ++i)
        CHECK(root["ranking"][i]["log-ratio"]["mean"] >=
              root["ranking"][i - 1]["log-ratio"]["mean"]);
    CHECK(root["ranking"][0]["flipped"]["mean"] > 0);
    const json step = jsonOf(
        {"ablate", "pointer-chain-iha", "--rank", "heads", "--examples", "4", "--step", "3"});
    CHECK(step["ranking"] != root["ranking"]);
    const Ended text =
        cli({"ablate", "pointer-chain-iha", "--rank", "heads", "--examples", "4", "--top", "2"});
    CHECK(contains(text.out,
                   "heads, each replaced by zero over held-out examples 0 to 3 of pointer-chain"));
    CHECK(contains(text.out, "2 of 8 parts"));
    CHECK(contains(text.out, " ± "));
}

TEST_CASE("parts of a logit, heads as one, against another token") {
    const json root = jsonOf({"attribute", "pointer-chain-iha", "--examples", "3", "--heads"});
    double sum = 0;
    for (const json& part : root["parts"]) sum += part["adds"]["mean"].get<double>();
    CHECK(sum == doctest::Approx(root["logit"]["sum"]["mean"].get<double>()));
    CHECK(std::abs(root["parts"][0]["adds"]["mean"].get<double>()) >=
          std::abs(root["parts"][1]["adds"]["mean"].get<double>()));
    partOf(root["parts"], "L1H3");
    const json other = jsonOf({"attribute", "pointer-chain-iha", "--examples", "3", "--heads",
                               "--against", "c", "--step", "0"});
    CHECK(other["logit"] != root["logit"]);
}

TEST_CASE("the lens beside the parts, and every two tiles") {
    const json root =
        jsonOf({"attribute", "pointer-chain-iha", "--examples", "3", "--heads", "--lens"});
    REQUIRE(root["lens"].size() == 5);
    CHECK(root["lens"][4]["part"] == "L1.resid_post");
    CHECK(root["lens"][4]["top"]["mean"] == 1);
    CHECK(root["lens"][0]["probability"]["n"] == 3);
    CHECK(root["parts"].size() > 5);
    const json alike = jsonOf({"heads", "four-witnesses-iha", "--examples", "3", "--similarity"});
    REQUIRE(alike["similarity"].size() == 8 * 7 / 2);
    CHECK(alike["similarity"][0]["cosine"]["mean"].get<double>() >=
          alike["similarity"][27]["cosine"]["mean"].get<double>());
    CHECK(partOf(alike["similarity"], "L0H0.q0k0 ~ H1.q1k1")["cosine"]["n"] == 3);
    const json heads = jsonOf({"heads", "pointer-chain-iha", "--examples", "3", "--similarity",
                               "--maps", "heads", "--layer", "1"});
    CHECK(heads["similarity"].size() == 6);
}

TEST_CASE("cross-head shares of all tiles, or the score of one cell") {
    const json root = jsonOf({"split", "four-witnesses-iha", "--examples", "3"});
    CHECK(root["cross_heads"].size() == 10);
    CHECK(partOf(root["cross_heads"], "L0H0.q1k0")["evidence"]["n"] == 3);
    const json cell =
        jsonOf({"split", "four-witnesses-iha", "--examples", "3", "--cell", "L0H1.q0k1[8,5]"});
    CHECK(cell["terms"].size() == 4);
    CHECK(cell["cell"][0]["score"]["n"] == 3);
}

TEST_CASE("rollout and flow of the answers, or of one token") {
    const json single = jsonOf({"flow", "pointer-chain-iha", "--example", "2", "--step", "1"});
    const json root =
        jsonOf({"flow", "pointer-chain-iha", "--examples", "1", "--from", "2", "--step", "1"});
    const std::size_t tokens = single["rollout"].size();
    REQUIRE(root["flow"].size() == 2 * 5 + tokens);
    for (const std::size_t token : {std::size_t(0), tokens / 2, tokens - 1}) {
        const json& line = partOf(root["flow"], "token[" + std::to_string(token) + "]");
        CHECK(line["rollout"]["mean"].get<double>() ==
              doctest::Approx(single["rollout"][token].get<double>()));
        CHECK(line["flow"]["mean"].get<double>() ==
              doctest::Approx(single["flow"][token].get<double>()));
    }
    const json row = jsonOf({"flow", "pointer-chain-iha", "--examples", "3", "--row",
                             std::to_string(single["row"].get<int>()), "--rollout"});
    const json step = jsonOf({"flow", "pointer-chain-iha", "--examples", "3", "--step", "1"});
    CHECK(partOf(row["flow"], "token[5]")["rollout"] ==
          partOf(step["flow"], "token[5]")["rollout"]);
    CHECK_FALSE(row["flow"][0].contains("flow"));
    const Ended text = cli({"flow", "pointer-chain-iha", "--examples", "3", "--top", "3"});
    CHECK(contains(text.out, "attention rollout and flow over held-out examples 0 to 2"));
    CHECK(contains(text.out, "3 of "));
    CHECK(contains(sentence({"flow", "pointer-chain-iha", "--examples", "2", "--row", "-1"}),
                   "there is no row -1"));
    CHECK(contains(sentence({"flow", "pointer-chain-iha", "--step", "99"}), "no step 99"));
}

TEST_CASE("a file of prompts, as text, JSON and CSV") {
    const TemporaryFolder folder;
    const std::string prompts = folder / "probes.txt", csv = folder / "averages.csv";
    std::ofstream(prompts) << "01234\n\n01\r\n0120\n";
    const json root = jsonOf({"heads", "four-witnesses-iha", "--prompts", prompts, "--csv", csv});
    CHECK(root["over"] == "3 prompts of probes.txt");
    const json& head = partOf(root["heads"], "L0H0");
    CHECK(head["mass"]["n"] == 3);
    CHECK(head["evidence"]["n"] == 1);
    CHECK(head["evidence"]["sd"].is_null());
    std::ifstream in(csv);
    const auto rows = lines(std::string((std::istreambuf_iterator<char>(in)), {}));
    REQUIRE(rows.size() == 1 + 10 * 8 + 3 + 4);
    CHECK(rows[0] == "table,part,layer,head,query_pseudo,key_pseudo,measure,mean,sd,n,min,max");
    CHECK(rows[1].starts_with("heads,L0H0,0,0,,,induction,0."));
    CHECK(rows[9].starts_with("heads,L0H0.q0k0,0,0,0,0,induction,"));
    CHECK(rows.back().starts_with("answers,answers,,,,,loss,"));

    const Ended text =
        cli({"heads", "four-witnesses-iha", "--prompts", prompts, "--sort", "entropy", "--heads"});
    CHECK(contains(text.out, "heads over 3 prompts of probes.txt: mean ± standard deviation"));
    CHECK_FALSE(contains(text.out, "q0k0"));

    // the commas of a weight's name stay in one cell
    CHECK(cli({"ablate", "four-witnesses-iha", "--rank", "weights", "--prompts", prompts, "--csv",
               csv})
              .code == 0);
    std::ifstream again(csv);
    CHECK(contains(std::string((std::istreambuf_iterator<char>(again)), {}),
                   "\nranking,\"L0.alphaQ[0,0,0]\",0,,,,probability,"));
}

TEST_CASE("a model without a task reads a file of prompts") {
    const TemporaryFolder folder;
    headloom::Model model = untrained("pointer-chain", "iha");
    model.recipe.clear();
    const std::string path = saved(folder, "m.safetensors", model);
    const std::string prompts = folder / "two.txt";
    std::ofstream(prompts) << "a=c;c=d;\nb=a;\n";
    const json root = jsonOf({"ablate", path, "--rank", "layers", "--prompts", prompts});
    CHECK(root["ranking"][0]["probability"]["n"] == 2);
    CHECK(root["answers"]["accuracy"]["n"] == 0);
    CHECK(root["answers"]["probability"]["n"] == 2);
    CHECK(contains(sentence({"heads", path, "--examples", "2"}), "--prompts FILE"));
}

TEST_CASE("what cannot be averaged") {
    const TemporaryFolder folder;
    const std::string prompts = folder / "probes.txt";
    std::ofstream(prompts) << "01234\n\n012x\n";
    const std::string model = "four-witnesses-iha";
    CHECK(contains(sentence({"heads", model, "--prompts", prompts}),
                   "headloom-cli: probes.txt, line 3: "));
    CHECK(contains(sentence({"heads", model, "--prompts", folder / "none.txt"}),
                   "the file cannot be read"));
    CHECK(contains(sentence({"heads", model, "--examples", "0"}), "at least one example"));
    CHECK(contains(sentence({"heads", model, "--examples", "2", "--from", "-1"}),
                   "there is no example -1"));
    CHECK(contains(sentence({"heads", model, "--from", "1"}), "--examples"));
    CHECK(contains(sentence({"heads", model, "--examples", "2", "--example", "1"}), "--example"));
    CHECK(contains(sentence({"heads", model, "--examples", "2", "--layer", "3"}),
                   "there is no layer 3"));
    CHECK(contains(sentence({"ablate", model, "--part", "L0", "--examples", "2"}), "use --rank"));
    CHECK(contains(sentence({"ablate", model, "--rank", "tiles", "--examples", "2", "--with",
                             "other", "--other-example", "1"}),
                   "a patch is for one prompt"));
    CHECK(contains(sentence({"ablate", model, "--part", "L0", "--csv", prompts}),
                   "one prompt has no averages"));
    CHECK(contains(sentence({"split", model}), "--cell: no score was named"));
    CHECK(contains(sentence({"split", model, "--examples", "2", "--cell", "L0H9[1,0]"}),
                   "there is no head 9"));
    CHECK(contains(sentence({"heads", model, "--similarity"}), "give many with --examples"));
    CHECK(contains(sentence({"attribute", "graph-filter-iha", "--examples", "2", "--lens"}),
                   "graph filter"));
    CHECK(contains(sentence({"heads", "graph-filter-iha", "--examples", "2"}), "graph filter"));
}

TEST_CASE("a terminal sees the prompts counted, and Ctrl-C ends it with those that were done") {
    const TemporaryFolder folder;
    const std::string out = folder / "out.json";
    const int terminal = ::posix_openpt(O_RDWR | O_NOCTTY);
    REQUIRE(terminal >= 0);
    REQUIRE(::grantpt(terminal) == 0);
    REQUIRE(::unlockpt(terminal) == 0);
    const int other = ::open(::ptsname(terminal), O_RDWR | O_NOCTTY);
    REQUIRE(other >= 0);
    const pid_t child = ::fork();
    if (child == 0) {
        ::dup2(::open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), 1);
        ::dup2(other, 2);
        // hours of work, so that it cannot be over before the signal comes
        ::execl(HEADLOOM_CLI, HEADLOOM_CLI, "heads", "four-witnesses-mha", "--examples",
                "100000000", "--json", nullptr);
        ::_exit(127);
    }
    REQUIRE(child > 0);
    ::close(other);
    std::string said;
    for (char byte = 0; !contains(said, " of 100000000 prompts");) {
        REQUIRE(::read(terminal, &byte, 1) == 1);
        said += byte;
    }
    ::kill(child, SIGINT);
    int status = 0;
    ::waitpid(child, &status, 0);
    ::close(terminal);
    REQUIRE(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 130);
    std::ifstream in(out);
    const json root = json::parse(in);
    CHECK(root["asked"] == 100000000);
    CHECK(root["done"] > 0);
    CHECK(root["done"] < 100000000);
    CHECK(root["heads"][0]["mass"]["n"] == root["done"]);
}
